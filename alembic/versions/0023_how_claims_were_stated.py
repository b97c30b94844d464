"""Relationships keep the type by which they were stated, and evidence the claim that it was stated for

Revision ID: 0023
Revises: 0022
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0023'
down_revision: str | None = '0022'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    for table in ('relationship', 'relationship_version'):
        op.add_column(table, sa.Column('stated_type', sa.String(), nullable=True))
    op.add_column('evidence', sa.Column('dealt_from', sa.Uuid(), nullable=True))
    _note_turned()


def _note_turned() -> None:
    """Take the type by which a relationship was stated from its last version that led the other way; what has none, or is stored so by an inverse that was taken away, stays."""
    other = (
        'FROM relationship_version AS v WHERE v.id = relationship.id AND v.type <> relationship.type '
        'AND v.source_id = relationship.target_id AND v.target_id = relationship.source_id '
        'AND EXISTS (SELECT 1 FROM predicate AS p WHERE p.volume_id = relationship.volume_id '
        'AND p.name = v.type AND p.inverse = relationship.type)'
    )
    op.execute(
        f'UPDATE relationship SET stated_type = (SELECT v.type {other} ORDER BY v.version DESC LIMIT 1) '
        f'WHERE EXISTS (SELECT 1 {other})'
    )


def downgrade() -> None:
    op.drop_column('evidence', 'dealt_from')
    for table in ('relationship_version', 'relationship'):
        op.drop_column(table, 'stated_type')
