"""Vocabularies of volumes, and what was kept although it is not in them

Revision ID: 0013
Revises: 0012
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0013'
down_revision: str | None = '0012'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('volume', sa.Column('vocabulary', sa.JSON(none_as_null=True), nullable=True))
    op.add_column('rejection', sa.Column('kept', sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table('rejection') as batch_op:
        batch_op.alter_column('kept', server_default=None)


def downgrade() -> None:
    with op.batch_alter_table('rejection') as batch_op:
        batch_op.drop_column('kept')
    with op.batch_alter_table('volume') as batch_op:
        batch_op.drop_column('vocabulary')
