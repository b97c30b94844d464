"""Merges of entities: records that can be undone, and for what everything was stated

Revision ID: 0012
Revises: 0011
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0012'
down_revision: str | None = '0011'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

KINDS = ('CREATED', 'UPDATED', 'RETRACTED', 'SUPERSEDED', 'DELETED')
MORE_KINDS = ('CREATED', 'UPDATED', 'RETRACTED', 'SUPERSEDED', 'MERGED', 'UNMERGED', 'DELETED')
ENTITY_CHECKS = {
    'confidence_range': 'confidence BETWEEN 0 AND 1',
    'importance_range': 'importance BETWEEN 0 AND 1',
    'origin_known': "origin IN ('stated', 'extracted')",
}
IDENTITY = ['volume_id', 'match_key', 'type', 'sense']
# Columns that name an entity, then those that name a claim, each with the index of those rows that have it.
STATED = (
    ('entity', 'merged_into', 'entity_merged'),
    ('fact', 'stated_subject_id', 'fact_stated_for'),
    ('fact_version', 'stated_subject_id', 'fact_version_stated_for'),
    ('relationship', 'stated_source_id', 'relationship_stated_from'),
    ('relationship', 'stated_target_id', 'relationship_stated_to'),
    ('relationship_version', 'stated_source_id', 'relationship_version_stated_from'),
    ('relationship_version', 'stated_target_id', 'relationship_version_stated_to'),
    ('evidence', 'stated_source_id', 'evidence_stated_from'),
    ('evidence', 'stated_target_id', 'evidence_stated_to'),
)
FOLDED = (
    ('fact', 'folded_into', 'fact_folded'),
    ('fact_version', 'folded_into', None),
    ('relationship', 'folded_into', 'relationship_folded'),
    ('relationship_version', 'folded_into', None),
    ('evidence', 'stated_id', 'evidence_stated_for'),
)
LINKS = {'document_entity': True, 'memory_entity': False, 'project_entity': False}


def upgrade() -> None:
    _kinds(MORE_KINDS)
    with op.batch_alter_table('entity', schema=None) as batch_op:
        batch_op.drop_constraint('entity_identity', type_='unique')
        _check_anew(batch_op)
    for table in dict.fromkeys(table for table, *_ in (*STATED, *FOLDED)):
        with op.batch_alter_table(table, schema=None) as batch_op:
            for own, column, _ in (*STATED, *FOLDED):
                if own == table:
                    batch_op.add_column(sa.Column(column, sa.Uuid(), nullable=True))
            for own, column, _ in STATED:
                if own == table:
                    batch_op.create_foreign_key(f'{table}_{column}_fkey', 'entity', [column], ['id'], ondelete='CASCADE')
    for table, column, index in (*STATED, *FOLDED):
        if index is not None:
            there = sa.text(f'{column} IS NOT NULL')
            op.create_index(index, table, [column], unique=False, sqlite_where=there, postgresql_where=there)
    unmerged = sa.text('merged_into IS NULL')
    op.create_index(
        'entity_identity', 'entity', IDENTITY, unique=True, sqlite_where=unmerged, postgresql_where=unmerged
    )
    for table, nullable in LINKS.items():
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column('stated', sa.Boolean(), nullable=nullable, server_default=sa.true()))
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.alter_column('stated', existing_type=sa.Boolean(), server_default=None)
    op.execute('UPDATE document_entity SET stated = live')
    _create_tables()


def _create_tables() -> None:
    text, uuid, at = sqlmodel.sql.sqltypes.AutoString, sa.Uuid, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        'entity_merge',
        sa.Column('id', uuid(), nullable=False),
        sa.Column('volume_id', uuid(), nullable=False),
        sa.Column('survivor_id', uuid(), nullable=False),
        sa.Column('merged_id', uuid(), nullable=False),
        sa.Column('reason', text(), nullable=True),
        sa.Column('moved', sa.JSON(none_as_null=True), nullable=False),
        sa.Column('actor', text(), nullable=False),
        sa.Column('at', at(), nullable=False),
        sa.Column('undone_by', text(), nullable=True),
        sa.Column('undone_at', at(), nullable=True),
        sa.CheckConstraint('survivor_id <> merged_id', name='not_into_itself'),
        sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['survivor_id'], ['entity.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['merged_id'], ['entity.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
    )
    active = sa.text('undone_at IS NULL')
    op.create_index('merge_of_survivor', 'entity_merge', ['survivor_id'], unique=False)
    op.create_index('merge_of_merged', 'entity_merge', ['merged_id'], unique=False)
    op.create_index(
        'merge_active', 'entity_merge', ['merged_id'], unique=True, sqlite_where=active, postgresql_where=active
    )
    op.create_table(
        'claim_apart',
        sa.Column('id', uuid(), nullable=False),
        sa.Column('fact_id', uuid(), nullable=True),
        sa.Column('relationship_id', uuid(), nullable=True),
        sa.Column('columns', sa.JSON(none_as_null=True), nullable=False),
        sa.Column('evidence', sa.JSON(none_as_null=True), nullable=False),
        sa.CheckConstraint('(fact_id IS NULL) <> (relationship_id IS NULL)', name='one_claim'),
        sa.ForeignKeyConstraint(['fact_id'], ['fact.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['relationship_id'], ['relationship.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('fact_id', name='fact_apart'),
        sa.UniqueConstraint('relationship_id', name='relationship_apart'),
    )


def _kinds(kinds: Sequence[str]) -> None:
    """Allow these kinds of changes. Reflection leaves check constraints out where SQLite rebuilds the table."""
    if op.get_bind().dialect.name == 'postgresql':
        op.drop_constraint('kind_known', 'change', type_='check')
    told = ', '.join(f"'{kind}'" for kind in kinds)
    with op.batch_alter_table('change', schema=None, recreate='auto') as batch_op:
        batch_op.create_check_constraint('kind_known', f'kind IN ({told})')


def _check_anew(batch_op: object) -> None:
    if op.get_bind().dialect.name == 'sqlite':
        for name, rule in ENTITY_CHECKS.items():
            batch_op.create_check_constraint(name, rule)  # type: ignore[attr-defined]


def downgrade() -> None:
    op.execute('DELETE FROM change WHERE kind IN (\'MERGED\', \'UNMERGED\')')
    _kinds(KINDS)
    op.drop_table('claim_apart')
    op.drop_table('entity_merge')
    op.drop_index('entity_identity', 'entity')
    for table, _, index in (*STATED, *FOLDED):
        if index is not None:
            op.drop_index(index, table)
    named = [*((table, column) for table, column, _ in (*STATED, *FOLDED)), *((table, 'stated') for table in LINKS)]
    for table in dict.fromkeys(table for table, _ in named):
        with op.batch_alter_table(table, schema=None) as batch_op:
            for own, column in named:
                if own == table:
                    batch_op.drop_column(column)
    with op.batch_alter_table('entity', schema=None) as batch_op:
        batch_op.create_unique_constraint('entity_identity', IDENTITY)
