"""What a model took of an ingestion, and how often it asked to wait

Revision ID: 0010
Revises: 0009
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0010'
down_revision: str | None = '0009'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COLUMNS = (('ingestion', 'input_tokens'), ('ingestion', 'output_tokens'), ('job', 'waits'))


def upgrade() -> None:
    for table, name in COLUMNS:
        op.add_column(table, sa.Column(name, sa.Integer(), nullable=False, server_default=sa.text('0')))
    for table, name in COLUMNS:
        with op.batch_alter_table(table) as batch_op:
            batch_op.alter_column(name, server_default=None)


def downgrade() -> None:
    for table, name in COLUMNS:
        with op.batch_alter_table(table) as batch_op:
            batch_op.drop_column(name)
