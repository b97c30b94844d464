"""Relationships that go both ways are found from their other end without reading those that do not

Revision ID: 0005
Revises: 0004
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0005'
down_revision: str | None = '0004'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    for name, column in (('relationship_out_either_way', 'target_id'), ('relationship_in_either_way', 'source_id')):
        op.create_index(
            name,
            'relationship',
            [column, 'id'],
            sqlite_where=sa.text('bidirectional = 1'),
            postgresql_where=sa.text('bidirectional'),
        )


def downgrade() -> None:
    for name in ('relationship_out_either_way', 'relationship_in_either_way'):
        op.drop_index(name, 'relationship')
