"""Rankings of searches, and the full-text index of a store that has none yet

Revision ID: 0021
Revises: 0020
"""

from collections.abc import Sequence
from uuid import uuid4

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0021'
down_revision: str | None = '0020'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'ranking',
        sa.Column('id', sa.Uuid(), nullable=False),
        sa.Column('volume_id', sa.Uuid(), nullable=False),
        sa.Column('hits', sa.JSON(), nullable=False),
        sa.Column('expires_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('ix_ranking_expires_at', 'ranking', ['expires_at'])
    # The vectors of a store that has any get their full-text index when they are compacted next: soon after its next start.
    setting = sa.table('store_setting', sa.column('key', sa.String()), sa.column('value', sa.String()))
    note = setting.update().where(setting.c.key == 'vectors_to_compact').values(value=uuid4().hex)
    op.get_bind().execute(note)


def downgrade() -> None:
    op.drop_index('ix_ranking_expires_at', 'ranking')
    op.drop_table('ranking')
