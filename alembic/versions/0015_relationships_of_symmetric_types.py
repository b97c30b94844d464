"""Relationships of symmetric types count from both ends, and those of a type are found from either end

Revision ID: 0015
Revises: 0014
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0015'
down_revision: str | None = '0014'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

EITHER_WAY = (('relationship_out_either_way', 'target_id'), ('relationship_in_either_way', 'source_id'))
BY_TYPE = (('relationship_out_by_type', 'source_id'), ('relationship_in_by_type', 'target_id'))


def upgrade() -> None:
    for name, _ in EITHER_WAY:
        op.drop_index(name, 'relationship')
    for table in ('relationship', 'relationship_version'):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column('mutual', sa.Boolean(), nullable=False, server_default=sa.false()))
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.alter_column('mutual', existing_type=sa.Boolean(), server_default=None)
        edge = sa.table(table, sa.column('volume_id'), sa.column('type'), sa.column('mutual', sa.Boolean()))
        kind = sa.table('predicate', sa.column('volume_id'), sa.column('name'), sa.column('symmetric', sa.Boolean()))
        own = sa.and_(kind.c.volume_id == edge.c.volume_id, kind.c.name == edge.c.type, kind.c.symmetric)
        op.execute(sa.update(edge).where(sa.exists(sa.select(kind.c.name).where(own))).values(mutual=sa.true()))
    for name, column in EITHER_WAY:
        op.create_index(
            name,
            'relationship',
            [column, 'id'],
            sqlite_where=sa.text('bidirectional = 1 OR mutual = 1'),
            postgresql_where=sa.text('bidirectional OR mutual'),
        )
    for name, column in BY_TYPE:
        op.create_index(name, 'relationship', [column, 'type', 'id'])


def downgrade() -> None:
    for name, _ in (*EITHER_WAY, *BY_TYPE):
        op.drop_index(name, 'relationship')
    for table in ('relationship', 'relationship_version'):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column('mutual')
    for name, column in EITHER_WAY:
        op.create_index(
            name,
            'relationship',
            [column, 'id'],
            sqlite_where=sa.text('bidirectional = 1'),
            postgresql_where=sa.text('bidirectional'),
        )
