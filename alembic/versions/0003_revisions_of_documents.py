"""Revisions of documents

Revision ID: 0003
Revises: 0002
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0003'
down_revision: str | None = '0002'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

STATED = ('valid_from', 'valid_from_precision', 'valid_to', 'valid_to_precision')
CHECKS = {
    'origin_known': "origin IN ('stated', 'extracted')",
    'valid_from_precision_known': "valid_from_precision IN ('YEAR', 'MONTH', 'DAY', 'INSTANT')",
    'valid_to_precision_known': "valid_to_precision IN ('YEAR', 'MONTH', 'DAY', 'INSTANT')",
}


def upgrade() -> None:
    with op.batch_alter_table('document', schema=None) as batch_op:
        batch_op.drop_constraint('document_content', type_='unique')
        batch_op.create_index('document_by_content', ['volume_id', 'content_hash'], unique=False)

    with op.batch_alter_table('document_entity', schema=None) as batch_op:
        batch_op.add_column(sa.Column('live', sa.Boolean(), nullable=False, server_default=sa.true()))
    with op.batch_alter_table('document_entity', schema=None) as batch_op:
        batch_op.alter_column('live', existing_type=sa.Boolean(), server_default=None)

    with op.batch_alter_table('evidence', schema=None) as batch_op:
        batch_op.add_column(sa.Column('origin', sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default='stated'))
        batch_op.add_column(sa.Column('live', sa.Boolean(), nullable=False, server_default=sa.true()))
        for name in STATED:
            kind = sqlmodel.sql.sqltypes.AutoString() if name.endswith('precision') else sqlmodel.sql.sqltypes.UTCDateTime()
            batch_op.add_column(sa.Column(name, kind, nullable=True))
    with op.batch_alter_table('evidence', schema=None) as batch_op:
        batch_op.alter_column('origin', existing_type=sqlmodel.sql.sqltypes.AutoString(), server_default=None)
        batch_op.alter_column('live', existing_type=sa.Boolean(), server_default=None)
        for name, rule in CHECKS.items():
            batch_op.create_check_constraint(name, rule)

    # What was read out of a document has the document's own authority; each source is taken to have stated the claim's dates.
    op.execute(
        "UPDATE evidence SET origin = 'extracted' WHERE EXISTS (SELECT 1 FROM document "
        "WHERE document.id = evidence.document_id AND document.authority = evidence.authority)"
    )
    for table, key in (('fact', 'fact_id'), ('relationship', 'relationship_id')):
        for name in STATED:
            op.execute(
                f"UPDATE evidence SET {name} = (SELECT {table}.{name} FROM {table} WHERE {table}.id = evidence.{key}) "
                f"WHERE {key} IS NOT NULL"
            )


def downgrade() -> None:
    with op.batch_alter_table('evidence', schema=None) as batch_op:
        for name in CHECKS:
            batch_op.drop_constraint(name, type_='check')
        for name in (*STATED, 'live', 'origin'):
            batch_op.drop_column(name)
    with op.batch_alter_table('document_entity', schema=None) as batch_op:
        batch_op.drop_column('live')
    with op.batch_alter_table('document', schema=None) as batch_op:
        batch_op.drop_index('document_by_content')
        batch_op.create_unique_constraint('document_content', ['volume_id', 'content_hash'])
