"""From when on a claim gives way to another one

Revision ID: 0006
Revises: 0005
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0006'
down_revision: str | None = '0005'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TABLES = ('fact', 'fact_version', 'relationship', 'relationship_version')


def upgrade() -> None:
    for name in TABLES:
        with op.batch_alter_table(name, schema=None) as batch_op:
            batch_op.add_column(sa.Column('superseded_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
            batch_op.add_column(sa.Column('superseded_by', sa.Uuid(), nullable=True))


def downgrade() -> None:
    for name in TABLES:
        with op.batch_alter_table(name, schema=None) as batch_op:
            batch_op.drop_column('superseded_by')
            batch_op.drop_column('superseded_at')
