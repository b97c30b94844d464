"""The first tables

Revision ID: 0001
Revises: 
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0001'
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table('change',
    sa.Column('seq', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('kind', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('node_kind', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('node_id', sa.Uuid(), nullable=True),
    sa.Column('before', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('after', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('batch', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('size', sa.Integer(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.CheckConstraint("kind IN ('CREATED', 'UPDATED', 'RETRACTED', 'SUPERSEDED', 'DELETED')", name='kind_known'),
    sa.PrimaryKeyConstraint('seq')
    )
    with op.batch_alter_table('change', schema=None) as batch_op:
        batch_op.create_index('change_in_volume', ['volume_id', 'seq'], unique=False)
        batch_op.create_index('change_of_node', ['node_id'], unique=False)

    op.create_table('follower',
    sa.Column('name', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('position', sa.BigInteger(), nullable=False),
    sa.Column('lease_owner', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('lease_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.PrimaryKeyConstraint('name')
    )
    op.create_table('log_head',
    sa.Column('id', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('seq', sa.BigInteger(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_table('pending_vector',
    sa.Column('seq', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('node_id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('kind', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('action', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('text', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('vector', sa.LargeBinary(), nullable=True),
    sa.Column('moved_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.CheckConstraint("action IN ('upsert', 'delete')", name='action_known'),
    sa.PrimaryKeyConstraint('seq', 'node_id')
    )
    with op.batch_alter_table('pending_vector', schema=None) as batch_op:
        batch_op.create_index('pending_vector_in_volume', ['volume_id', 'seq'], unique=False)
        batch_op.create_index('pending_vector_moved', ['moved_at'], unique=False)

    op.create_table('store_setting',
    sa.Column('key', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('value', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.PrimaryKeyConstraint('key')
    )
    op.create_table('volume',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('description', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('name')
    )
    op.create_table('code_artifact',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('title', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('language', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('code', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('description', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('tags', sa.JSON(none_as_null=True), nullable=False),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('code_artifact', schema=None) as batch_op:
        batch_op.create_index('code_artifact_in_volume', ['volume_id', 'id'], unique=False)

    op.create_table('document',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('title', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('uri', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('mime_type', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('authority', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('content_hash', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.CheckConstraint("authority IN ('OFFICIAL', 'MARKETING', 'USER', 'THIRD_PARTY', 'UNKNOWN')", name='authority_known'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('volume_id', 'content_hash', name='document_content'),
    sa.UniqueConstraint('volume_id', 'uri', name='document_uri')
    )
    with op.batch_alter_table('document', schema=None) as batch_op:
        batch_op.create_index('document_in_volume', ['volume_id', 'id'], unique=False)

    op.create_table('idempotent_result',
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('key', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('request_hash', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('result', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('volume_id', 'key')
    )
    with op.batch_alter_table('idempotent_result', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_idempotent_result_created_at'), ['created_at'], unique=False)

    op.create_table('memory',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('title', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('content', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('context', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('keywords', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('tags', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('importance', sa.Integer(), nullable=False),
    sa.Column('obsolete', sa.Boolean(), nullable=False),
    sa.Column('obsolete_reason', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('superseded_by_id', sa.Uuid(), nullable=True),
    sa.Column('provenance', sa.JSON(none_as_null=True), nullable=False),
    sa.CheckConstraint('importance BETWEEN 1 AND 10', name='importance_range'),
    sa.CheckConstraint('superseded_by_id <> id', name='not_by_itself'),
    sa.ForeignKeyConstraint(['superseded_by_id'], ['memory.id'], ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('memory', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_memory_superseded_by_id'), ['superseded_by_id'], unique=False)
        batch_op.create_index('memory_by_importance', ['volume_id', 'importance', 'id'], unique=False)
        batch_op.create_index('memory_by_update', ['volume_id', 'updated_at', 'id'], unique=False)
        batch_op.create_index('memory_in_volume', ['volume_id', 'id'], unique=False)

    op.create_table('predicate',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('cardinality', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('inverse', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('symmetric', sa.Boolean(), nullable=False),
    sa.Column('description', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.CheckConstraint("cardinality IN ('ONE', 'MANY')", name='cardinality_known'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('volume_id', 'name', name='predicate_name')
    )
    op.create_table('project',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('description', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('status', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.CheckConstraint("status IN ('ACTIVE', 'ARCHIVED', 'COMPLETED')", name='status_known'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('volume_id', 'name', name='project_name')
    )
    with op.batch_alter_table('project', schema=None) as batch_op:
        batch_op.create_index('project_in_volume', ['volume_id', 'id'], unique=False)

    op.create_table('chunk',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('document_id', sa.Uuid(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('ordinal', sa.Integer(), nullable=False),
    sa.Column('text', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('start', sa.Integer(), nullable=False),
    sa.Column('end', sa.Integer(), nullable=False),
    sa.CheckConstraint('"end" > start', name='span'),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('document_id', 'revision', 'ordinal', name='chunk_order')
    )
    with op.batch_alter_table('chunk', schema=None) as batch_op:
        batch_op.create_index('chunk_of_document', ['document_id', 'id'], unique=False)

    op.create_table('document_revision',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('document_id', sa.Uuid(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('content', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('document_id', 'number')
    )
    op.create_table('entity',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('name', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('match_key', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('type', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('type_stated', sa.Boolean(), nullable=False),
    sa.Column('sense', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('description', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('described_by', sa.Uuid(), nullable=True),
    sa.Column('properties', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('confidence', sa.Float(), nullable=False),
    sa.Column('importance', sa.Float(), nullable=False),
    sa.Column('origin', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.CheckConstraint("origin IN ('stated', 'extracted')", name='origin_known'),
    sa.CheckConstraint('confidence BETWEEN 0 AND 1', name='confidence_range'),
    sa.CheckConstraint('importance BETWEEN 0 AND 1', name='importance_range'),
    sa.ForeignKeyConstraint(['described_by'], ['document.id'], ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('volume_id', 'match_key', 'type', 'sense', name='entity_identity')
    )
    with op.batch_alter_table('entity', schema=None) as batch_op:
        batch_op.create_index('entity_by_importance', ['volume_id', 'importance', 'id'], unique=False)
        batch_op.create_index('entity_by_name', ['volume_id', 'match_key', 'id'], unique=False)
        batch_op.create_index('entity_by_type', ['volume_id', 'type', 'match_key', 'id'], unique=False)
        batch_op.create_index('entity_by_update', ['volume_id', 'updated_at', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_entity_described_by'), ['described_by'], unique=False)

    op.create_table('ingestion',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('document_id', sa.Uuid(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('status', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('error', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('extractor', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('chunks_total', sa.Integer(), nullable=False),
    sa.Column('chunks_done', sa.Integer(), nullable=False),
    sa.Column('entities_found', sa.Integer(), nullable=False),
    sa.Column('facts_found', sa.Integer(), nullable=False),
    sa.Column('relationships_found', sa.Integer(), nullable=False),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('lease_owner', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('lease_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('started_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('finished_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.CheckConstraint("status IN ('PENDING', 'RUNNING', 'DONE', 'FAILED')", name='status_known'),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.create_index('ingestion_in_volume', ['volume_id', 'id'], unique=False)
        batch_op.create_index('ingestion_open', ['status', 'lease_until'], unique=False)
        batch_op.create_index(batch_op.f('ix_ingestion_document_id'), ['document_id'], unique=False)

    op.create_table('memory_code_artifact',
    sa.Column('memory_id', sa.Uuid(), nullable=False),
    sa.Column('code_artifact_id', sa.Uuid(), nullable=False),
    sa.ForeignKeyConstraint(['code_artifact_id'], ['code_artifact.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['memory_id'], ['memory.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('memory_id', 'code_artifact_id')
    )
    with op.batch_alter_table('memory_code_artifact', schema=None) as batch_op:
        batch_op.create_index('memory_of_code_artifact', ['code_artifact_id', 'memory_id'], unique=False)

    op.create_table('memory_document',
    sa.Column('memory_id', sa.Uuid(), nullable=False),
    sa.Column('document_id', sa.Uuid(), nullable=False),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['memory_id'], ['memory.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('memory_id', 'document_id')
    )
    with op.batch_alter_table('memory_document', schema=None) as batch_op:
        batch_op.create_index('memory_of_document', ['document_id', 'memory_id'], unique=False)

    op.create_table('memory_link',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('left_id', sa.Uuid(), nullable=False),
    sa.Column('right_id', sa.Uuid(), nullable=False),
    sa.Column('type', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('similarity', sa.Float(), nullable=True),
    sa.Column('automatic', sa.Boolean(), nullable=False),
    sa.CheckConstraint('left_id < right_id', name='ordered_pair'),
    sa.ForeignKeyConstraint(['left_id'], ['memory.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['right_id'], ['memory.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('left_id', 'right_id', 'type', name='memory_link_pair')
    )
    with op.batch_alter_table('memory_link', schema=None) as batch_op:
        batch_op.create_index('memory_link_left', ['left_id', 'id'], unique=False)
        batch_op.create_index('memory_link_right', ['right_id', 'id'], unique=False)

    op.create_table('memory_project',
    sa.Column('memory_id', sa.Uuid(), nullable=False),
    sa.Column('project_id', sa.Uuid(), nullable=False),
    sa.ForeignKeyConstraint(['memory_id'], ['memory.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['project_id'], ['project.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('memory_id', 'project_id')
    )
    with op.batch_alter_table('memory_project', schema=None) as batch_op:
        batch_op.create_index('memory_of_project', ['project_id', 'memory_id'], unique=False)

    op.create_table('memory_tag',
    sa.Column('memory_id', sa.Uuid(), nullable=False),
    sa.Column('tag', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.ForeignKeyConstraint(['memory_id'], ['memory.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('memory_id', 'tag')
    )
    with op.batch_alter_table('memory_tag', schema=None) as batch_op:
        batch_op.create_index('memory_tag_in_volume', ['volume_id', 'tag', 'memory_id'], unique=False)

    op.create_table('project_document',
    sa.Column('project_id', sa.Uuid(), nullable=False),
    sa.Column('document_id', sa.Uuid(), nullable=False),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['project_id'], ['project.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('project_id', 'document_id')
    )
    with op.batch_alter_table('project_document', schema=None) as batch_op:
        batch_op.create_index('project_of_document', ['document_id', 'project_id'], unique=False)

    op.create_table('alias',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('entity_id', sa.Uuid(), nullable=False),
    sa.Column('match_key', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('name', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('document_id', sa.Uuid(), nullable=True),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['entity_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('entity_id', 'match_key')
    )
    with op.batch_alter_table('alias', schema=None) as batch_op:
        batch_op.create_index('alias_by_key', ['volume_id', 'match_key'], unique=False)
        batch_op.create_index(batch_op.f('ix_alias_document_id'), ['document_id'], unique=False)

    op.create_table('document_entity',
    sa.Column('document_id', sa.Uuid(), nullable=False),
    sa.Column('entity_id', sa.Uuid(), nullable=False),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['entity_id'], ['entity.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('document_id', 'entity_id')
    )
    with op.batch_alter_table('document_entity', schema=None) as batch_op:
        batch_op.create_index('document_of_entity', ['entity_id', 'document_id'], unique=False)

    op.create_table('fact',
    sa.Column('confidence', sa.Float(), nullable=False),
    sa.Column('authority', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status_reason', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('valid_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_from_precision', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('valid_to', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_to_precision', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('known_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('subject_id', sa.Uuid(), nullable=False),
    sa.Column('content', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('category', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('importance', sa.Float(), nullable=False),
    sa.Column('predicate', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('value', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('value_type', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('claim_key', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.CheckConstraint("authority IN ('OFFICIAL', 'MARKETING', 'USER', 'THIRD_PARTY', 'UNKNOWN')", name='authority_known'),
    sa.CheckConstraint("status IN ('CURRENT', 'DISPUTED', 'PENDING_REVIEW', 'SUPERSEDED', 'RETRACTED', 'REJECTED')", name='status_known'),
    sa.CheckConstraint("valid_from_precision IN ('YEAR', 'MONTH', 'DAY', 'INSTANT')", name='valid_from_precision_known'),
    sa.CheckConstraint("valid_to_precision IN ('YEAR', 'MONTH', 'DAY', 'INSTANT')", name='valid_to_precision_known'),
    sa.CheckConstraint("value_type IN ('NONE', 'TEXT', 'NUMBER', 'MONEY', 'DATE', 'BOOLEAN')", name='value_type_known'),
    sa.CheckConstraint('confidence BETWEEN 0 AND 1', name='confidence_range'),
    sa.CheckConstraint('importance BETWEEN 0 AND 1', name='importance_range'),
    sa.CheckConstraint('valid_to > valid_from', name='valid_interval'),
    sa.ForeignKeyConstraint(['subject_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('fact', schema=None) as batch_op:
        batch_op.create_index('fact_by_confidence', ['volume_id', 'confidence', 'id'], unique=False)
        batch_op.create_index('fact_by_importance', ['volume_id', 'importance', 'id'], unique=False)
        batch_op.create_index('fact_by_predicate', ['volume_id', 'predicate', 'id'], unique=False)
        batch_op.create_index('fact_in_volume', ['volume_id', 'id'], unique=False)
        batch_op.create_index('fact_of_subject', ['subject_id', 'id'], unique=False)
        batch_op.create_index('fact_same', ['subject_id', 'claim_key'], unique=False)

    op.create_table('memory_entity',
    sa.Column('memory_id', sa.Uuid(), nullable=False),
    sa.Column('entity_id', sa.Uuid(), nullable=False),
    sa.ForeignKeyConstraint(['entity_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['memory_id'], ['memory.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('memory_id', 'entity_id')
    )
    with op.batch_alter_table('memory_entity', schema=None) as batch_op:
        batch_op.create_index('memory_of_entity', ['entity_id', 'memory_id'], unique=False)

    op.create_table('mention',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('entity_id', sa.Uuid(), nullable=False),
    sa.Column('document_id', sa.Uuid(), nullable=False),
    sa.Column('chunk_id', sa.Uuid(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('start', sa.Integer(), nullable=False),
    sa.Column('end', sa.Integer(), nullable=False),
    sa.Column('note', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.ForeignKeyConstraint(['chunk_id'], ['chunk.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['entity_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('mention', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_mention_chunk_id'), ['chunk_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_mention_document_id'), ['document_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_mention_entity_id'), ['entity_id'], unique=False)

    op.create_table('project_entity',
    sa.Column('project_id', sa.Uuid(), nullable=False),
    sa.Column('entity_id', sa.Uuid(), nullable=False),
    sa.ForeignKeyConstraint(['entity_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['project_id'], ['project.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('project_id', 'entity_id')
    )
    with op.batch_alter_table('project_entity', schema=None) as batch_op:
        batch_op.create_index('project_of_entity', ['entity_id', 'project_id'], unique=False)

    op.create_table('rejection',
    sa.Column('ingestion_id', sa.Uuid(), nullable=False),
    sa.Column('ordinal', sa.Integer(), nullable=False),
    sa.Column('kind', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('item', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('reason', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.ForeignKeyConstraint(['ingestion_id'], ['ingestion.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('ingestion_id', 'ordinal')
    )
    op.create_table('relationship',
    sa.Column('confidence', sa.Float(), nullable=False),
    sa.Column('authority', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status_reason', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('valid_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_from_precision', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('valid_to', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_to_precision', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('known_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('source_id', sa.Uuid(), nullable=False),
    sa.Column('target_id', sa.Uuid(), nullable=False),
    sa.Column('type', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('description', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('strength', sa.Float(), nullable=False),
    sa.Column('bidirectional', sa.Boolean(), nullable=False),
    sa.Column('properties', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.CheckConstraint("authority IN ('OFFICIAL', 'MARKETING', 'USER', 'THIRD_PARTY', 'UNKNOWN')", name='authority_known'),
    sa.CheckConstraint("status IN ('CURRENT', 'DISPUTED', 'PENDING_REVIEW', 'SUPERSEDED', 'RETRACTED', 'REJECTED')", name='status_known'),
    sa.CheckConstraint("valid_from_precision IN ('YEAR', 'MONTH', 'DAY', 'INSTANT')", name='valid_from_precision_known'),
    sa.CheckConstraint("valid_to_precision IN ('YEAR', 'MONTH', 'DAY', 'INSTANT')", name='valid_to_precision_known'),
    sa.CheckConstraint('confidence BETWEEN 0 AND 1', name='confidence_range'),
    sa.CheckConstraint('strength BETWEEN 0 AND 1', name='strength_range'),
    sa.CheckConstraint('valid_to > valid_from', name='valid_interval'),
    sa.ForeignKeyConstraint(['source_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['target_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('relationship', schema=None) as batch_op:
        batch_op.create_index('relationship_by_type', ['volume_id', 'type', 'id'], unique=False)
        batch_op.create_index('relationship_in', ['target_id', 'id'], unique=False)
        batch_op.create_index('relationship_in_volume', ['volume_id', 'id'], unique=False)
        batch_op.create_index('relationship_out', ['source_id', 'id'], unique=False)
        batch_op.create_index('relationship_same', ['source_id', 'target_id', 'type'], unique=False)

    op.create_table('evidence',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('fact_id', sa.Uuid(), nullable=True),
    sa.Column('relationship_id', sa.Uuid(), nullable=True),
    sa.Column('document_id', sa.Uuid(), nullable=True),
    sa.Column('revision', sa.Integer(), nullable=True),
    sa.Column('quote', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('said', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('start', sa.Integer(), nullable=True),
    sa.Column('end', sa.Integer(), nullable=True),
    sa.Column('authority', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('confidence', sa.Float(), nullable=False),
    sa.Column('verified', sa.Boolean(), nullable=False),
    sa.CheckConstraint("authority IN ('OFFICIAL', 'MARKETING', 'USER', 'THIRD_PARTY', 'UNKNOWN')", name='authority_known'),
    sa.CheckConstraint('"end" >= start', name='span'),
    sa.CheckConstraint('(fact_id IS NULL) <> (relationship_id IS NULL)', name='one_claim'),
    sa.CheckConstraint('confidence BETWEEN 0 AND 1', name='confidence_range'),
    sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['fact_id'], ['fact.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['relationship_id'], ['relationship.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('evidence', schema=None) as batch_op:
        batch_op.create_index('evidence_of_fact', ['fact_id', 'id'], unique=False)
        batch_op.create_index('evidence_of_relationship', ['relationship_id', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_evidence_document_id'), ['document_id'], unique=False)

    op.create_table('fact_version',
    sa.Column('confidence', sa.Float(), nullable=False),
    sa.Column('authority', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status_reason', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('valid_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_from_precision', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('valid_to', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_to_precision', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('known_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('content', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('category', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('importance', sa.Float(), nullable=False),
    sa.Column('predicate', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('value', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('value_type', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('claim_key', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('subject_id', sa.Uuid(), nullable=False),
    sa.Column('known_to', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.ForeignKeyConstraint(['id'], ['fact.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['subject_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', 'version')
    )
    with op.batch_alter_table('fact_version', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_fact_version_subject_id'), ['subject_id'], unique=False)

    op.create_table('relationship_version',
    sa.Column('confidence', sa.Float(), nullable=False),
    sa.Column('authority', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status_reason', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('valid_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_from_precision', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('valid_to', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_to_precision', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('known_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('type', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
    sa.Column('description', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('strength', sa.Float(), nullable=False),
    sa.Column('bidirectional', sa.Boolean(), nullable=False),
    sa.Column('properties', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('source_id', sa.Uuid(), nullable=False),
    sa.Column('target_id', sa.Uuid(), nullable=False),
    sa.Column('known_to', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.ForeignKeyConstraint(['id'], ['relationship.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['source_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['target_id'], ['entity.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', 'version')
    )
    with op.batch_alter_table('relationship_version', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_relationship_version_source_id'), ['source_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_relationship_version_target_id'), ['target_id'], unique=False)

    op.execute("INSERT INTO log_head (id, seq, at) VALUES (1, 0, 0)")


def downgrade() -> None:
    with op.batch_alter_table('relationship_version', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_relationship_version_target_id'))
        batch_op.drop_index(batch_op.f('ix_relationship_version_source_id'))

    op.drop_table('relationship_version')
    with op.batch_alter_table('fact_version', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_fact_version_subject_id'))

    op.drop_table('fact_version')
    with op.batch_alter_table('evidence', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_evidence_document_id'))
        batch_op.drop_index('evidence_of_relationship')
        batch_op.drop_index('evidence_of_fact')

    op.drop_table('evidence')
    with op.batch_alter_table('relationship', schema=None) as batch_op:
        batch_op.drop_index('relationship_same')
        batch_op.drop_index('relationship_out')
        batch_op.drop_index('relationship_in_volume')
        batch_op.drop_index('relationship_in')
        batch_op.drop_index('relationship_by_type')

    op.drop_table('relationship')
    op.drop_table('rejection')
    with op.batch_alter_table('project_entity', schema=None) as batch_op:
        batch_op.drop_index('project_of_entity')

    op.drop_table('project_entity')
    with op.batch_alter_table('mention', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_mention_entity_id'))
        batch_op.drop_index(batch_op.f('ix_mention_document_id'))
        batch_op.drop_index(batch_op.f('ix_mention_chunk_id'))

    op.drop_table('mention')
    with op.batch_alter_table('memory_entity', schema=None) as batch_op:
        batch_op.drop_index('memory_of_entity')

    op.drop_table('memory_entity')
    with op.batch_alter_table('fact', schema=None) as batch_op:
        batch_op.drop_index('fact_same')
        batch_op.drop_index('fact_of_subject')
        batch_op.drop_index('fact_in_volume')
        batch_op.drop_index('fact_by_predicate')
        batch_op.drop_index('fact_by_importance')
        batch_op.drop_index('fact_by_confidence')

    op.drop_table('fact')
    with op.batch_alter_table('document_entity', schema=None) as batch_op:
        batch_op.drop_index('document_of_entity')

    op.drop_table('document_entity')
    with op.batch_alter_table('alias', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_alias_document_id'))
        batch_op.drop_index('alias_by_key')

    op.drop_table('alias')
    with op.batch_alter_table('project_document', schema=None) as batch_op:
        batch_op.drop_index('project_of_document')

    op.drop_table('project_document')
    with op.batch_alter_table('memory_tag', schema=None) as batch_op:
        batch_op.drop_index('memory_tag_in_volume')

    op.drop_table('memory_tag')
    with op.batch_alter_table('memory_project', schema=None) as batch_op:
        batch_op.drop_index('memory_of_project')

    op.drop_table('memory_project')
    with op.batch_alter_table('memory_link', schema=None) as batch_op:
        batch_op.drop_index('memory_link_right')
        batch_op.drop_index('memory_link_left')

    op.drop_table('memory_link')
    with op.batch_alter_table('memory_document', schema=None) as batch_op:
        batch_op.drop_index('memory_of_document')

    op.drop_table('memory_document')
    with op.batch_alter_table('memory_code_artifact', schema=None) as batch_op:
        batch_op.drop_index('memory_of_code_artifact')

    op.drop_table('memory_code_artifact')
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_ingestion_document_id'))
        batch_op.drop_index('ingestion_open')
        batch_op.drop_index('ingestion_in_volume')

    op.drop_table('ingestion')
    with op.batch_alter_table('entity', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_entity_described_by'))
        batch_op.drop_index('entity_by_update')
        batch_op.drop_index('entity_by_type')
        batch_op.drop_index('entity_by_name')
        batch_op.drop_index('entity_by_importance')

    op.drop_table('entity')
    op.drop_table('document_revision')
    with op.batch_alter_table('chunk', schema=None) as batch_op:
        batch_op.drop_index('chunk_of_document')

    op.drop_table('chunk')
    with op.batch_alter_table('project', schema=None) as batch_op:
        batch_op.drop_index('project_in_volume')

    op.drop_table('project')
    op.drop_table('predicate')
    with op.batch_alter_table('memory', schema=None) as batch_op:
        batch_op.drop_index('memory_in_volume')
        batch_op.drop_index('memory_by_update')
        batch_op.drop_index('memory_by_importance')
        batch_op.drop_index(batch_op.f('ix_memory_superseded_by_id'))

    op.drop_table('memory')
    with op.batch_alter_table('idempotent_result', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_idempotent_result_created_at'))

    op.drop_table('idempotent_result')
    with op.batch_alter_table('document', schema=None) as batch_op:
        batch_op.drop_index('document_in_volume')

    op.drop_table('document')
    with op.batch_alter_table('code_artifact', schema=None) as batch_op:
        batch_op.drop_index('code_artifact_in_volume')

    op.drop_table('code_artifact')
    op.drop_table('volume')
    op.drop_table('store_setting')
    with op.batch_alter_table('pending_vector', schema=None) as batch_op:
        batch_op.drop_index('pending_vector_moved')
        batch_op.drop_index('pending_vector_in_volume')

    op.drop_table('pending_vector')
    op.drop_table('log_head')
    op.drop_table('follower')
    with op.batch_alter_table('change', schema=None) as batch_op:
        batch_op.drop_index('change_of_node')
        batch_op.drop_index('change_in_volume')

    op.drop_table('change')
