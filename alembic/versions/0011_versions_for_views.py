"""Earlier versions of claims are whole and found by index; evidence says since when it counts no more

Revision ID: 0011
Revises: 0010
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0011'
down_revision: str | None = '0010'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

INSTANT = sqlmodel.sql.sqltypes.UTCDateTime()
OLD = {
    'fact_version': (('ix_fact_version_subject_id', 'subject_id'),),
    'relationship_version': (
        ('ix_relationship_version_source_id', 'source_id'),
        ('ix_relationship_version_target_id', 'target_id'),
    ),
}
NEW = {
    'fact_version': (('fact_version_of_subject', 'subject_id'), ('fact_version_in_volume', 'volume_id')),
    'relationship_version': (
        ('relationship_version_out', 'source_id'),
        ('relationship_version_in', 'target_id'),
        ('relationship_version_in_volume', 'volume_id'),
    ),
}


def upgrade() -> None:
    for table, present in (('fact_version', 'fact'), ('relationship_version', 'relationship')):
        with op.batch_alter_table(table, schema=None) as batch_op:
            for name in ('created_at', 'updated_at'):
                batch_op.add_column(sa.Column(name, INSTANT, nullable=True))
        # A claim is made once; each version came with the instant from which on it was known.
        op.execute(
            f"UPDATE {table} SET updated_at = known_from, "
            f"created_at = (SELECT {present}.created_at FROM {present} WHERE {present}.id = {table}.id)"
        )
        with op.batch_alter_table(table, schema=None) as batch_op:
            for name in ('created_at', 'updated_at'):
                batch_op.alter_column(name, existing_type=INSTANT, nullable=False)
            for name, _ in OLD[table]:
                batch_op.drop_index(name)
            for name, column in NEW[table]:
                batch_op.create_index(name, [column, 'id'], unique=False)

    with op.batch_alter_table('evidence', schema=None) as batch_op:
        batch_op.add_column(sa.Column('ended_at', INSTANT, nullable=True))
    # What an old revision said counts no more since the next one came; where that is not known, it never did.
    op.execute(
        "UPDATE evidence SET ended_at = COALESCE((SELECT MIN(document_revision.created_at) FROM document_revision "
        "WHERE document_revision.document_id = evidence.document_id AND document_revision.number > evidence.revision), "
        "created_at) WHERE NOT live"
    )


def downgrade() -> None:
    with op.batch_alter_table('evidence', schema=None) as batch_op:
        batch_op.drop_column('ended_at')
    for table in OLD:
        with op.batch_alter_table(table, schema=None) as batch_op:
            for name, _ in NEW[table]:
                batch_op.drop_index(name)
            for name, column in OLD[table]:
                batch_op.create_index(name, [column], unique=False)
            for name in ('created_at', 'updated_at'):
                batch_op.drop_column(name)
