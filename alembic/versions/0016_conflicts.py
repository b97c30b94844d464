"""Conflicts between claims, and which claims another one has superseded

Revision ID: 0016
Revises: 0015
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0016'
down_revision: str | None = '0015'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

SUPERSEDED = {
    table: f'{table}_superseded_by' for table in ('fact', 'relationship', 'fact_version', 'relationship_version')
}


def upgrade() -> None:
    text, at = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        'conflict',
        sa.Column('id', sa.Uuid(), nullable=False),
        sa.Column('volume_id', sa.Uuid(), nullable=False),
        sa.Column('subject_id', sa.Uuid(), nullable=False),
        sa.Column('node_kind', text(), nullable=False),
        sa.Column('predicate', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
        sa.Column('status', text(), nullable=False),
        sa.Column('reason', text(), nullable=True),
        sa.Column('winner_id', sa.Uuid(), nullable=True),
        sa.Column('decided_for', sa.Uuid(), nullable=True),
        sa.Column('decided_reason', text(), nullable=True),
        sa.Column('decided_by', text(), nullable=True),
        sa.Column('decided_at', at(), nullable=True),
        sa.Column('opened_at', at(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.CheckConstraint("status IN ('OPEN', 'AUTO_RESOLVED', 'RESOLVED')", name='status_known'),
        sa.ForeignKeyConstraint(['subject_id'], ['entity.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('conflict_of_subject', 'conflict', ['subject_id', 'id'])
    op.create_index('conflict_in_volume', 'conflict', ['volume_id', 'id'])
    op.create_table(
        'conflict_claim',
        sa.Column('id', sa.Uuid(), nullable=False),
        sa.Column('volume_id', sa.Uuid(), nullable=False),
        sa.Column('conflict_id', sa.Uuid(), nullable=False),
        sa.Column('fact_id', sa.Uuid(), nullable=True),
        sa.Column('relationship_id', sa.Uuid(), nullable=True),
        sa.Column('takes_part', sa.Boolean(), nullable=False),
        sa.Column('decided_as', text(), nullable=True),
        sa.CheckConstraint('(fact_id IS NULL) <> (relationship_id IS NULL)', name='one_claim'),
        sa.ForeignKeyConstraint(['conflict_id'], ['conflict.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['fact_id'], ['fact.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['relationship_id'], ['relationship.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    op.create_index('conflict_fact', 'conflict_claim', ['conflict_id', 'fact_id'], unique=True)
    op.create_index('conflict_relationship', 'conflict_claim', ['conflict_id', 'relationship_id'], unique=True)
    op.create_index('conflict_of_fact', 'conflict_claim', ['fact_id'])
    op.create_index('conflict_of_relationship', 'conflict_claim', ['relationship_id'])
    given = sa.text('superseded_by IS NOT NULL')
    for table, name in SUPERSEDED.items():
        op.create_index(name, table, ['superseded_by', 'id'], sqlite_where=given, postgresql_where=given)


def downgrade() -> None:
    for table, name in SUPERSEDED.items():
        op.drop_index(name, table)
    op.drop_table('conflict_claim')
    op.drop_table('conflict')
