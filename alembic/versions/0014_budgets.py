"""Budgets of ingestions

Revision ID: 0014
Revises: 0013
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0014'
down_revision: str | None = '0013'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('ingestion', sa.Column('budget', sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table('ingestion') as batch_op:
        batch_op.drop_column('budget')
