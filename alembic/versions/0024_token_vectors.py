"""The signs of token vectors, by which the best hits of a search may be ranked anew

Revision ID: 0024
Revises: 0023
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0024'
down_revision: str | None = '0023'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'token_vectors',
        sa.Column('node_id', sa.Uuid(), nullable=False),
        sa.Column('volume_id', sa.Uuid(), nullable=False),
        sa.Column('signs', sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint('node_id'),
    )
    op.create_index('ix_token_vectors_volume_id', 'token_vectors', ['volume_id'])


def downgrade() -> None:
    op.drop_index('ix_token_vectors_volume_id', 'token_vectors')
    op.drop_table('token_vectors')
