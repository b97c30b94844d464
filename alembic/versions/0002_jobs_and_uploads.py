"""Jobs and uploads

Revision ID: 0002
Revises: 0001
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0002'
down_revision: str | None = '0001'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table('lane',
    sa.Column('name', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('free_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.PrimaryKeyConstraint('name')
    )
    op.create_table('upload',
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('name', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('title', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('mime_type', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('size', sa.Integer(), nullable=False),
    sa.Column('text', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    with op.batch_alter_table('upload', schema=None) as batch_op:
        batch_op.create_index('upload_by_age', ['created_at'], unique=False)

    op.create_table('job',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('volume_id', sa.Uuid(), nullable=False),
    sa.Column('ingestion_id', sa.Uuid(), nullable=False),
    sa.Column('kind', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('ordinal', sa.Integer(), nullable=False),
    sa.Column('lane', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('status', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('due_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('lease_owner', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('lease_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('fence', sa.Integer(), nullable=False),
    sa.Column('failures', sa.Integer(), nullable=False),
    sa.Column('kills', sa.Integer(), nullable=False),
    sa.Column('error', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('raw', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.Column('answer', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
    sa.CheckConstraint("kind IN ('chunk', 'resolve', 'write')", name='kind_known'),
    sa.CheckConstraint("status IN ('ready', 'running', 'done', 'dead')", name='status_known'),
    sa.ForeignKeyConstraint(['ingestion_id'], ['ingestion.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('ingestion_id', 'kind', 'ordinal', name='job_step')
    )
    with op.batch_alter_table('job', schema=None) as batch_op:
        batch_op.create_index('job_in_lane', ['lane', 'status'], unique=False)
        batch_op.create_index('job_queue', ['status', 'ingestion_id', 'due_at'], unique=False)

    # Reflection leaves check constraints out where SQLite rebuilds the table, so that only PostgreSQL has one to drop.
    if op.get_bind().dialect.name == 'postgresql':
        op.drop_constraint('status_known', 'ingestion', type_='check')
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.add_column(sa.Column('chunk_size', sa.Integer(), nullable=False, server_default='1200'))
        batch_op.drop_index('ingestion_open')
        batch_op.drop_column('attempts')
        batch_op.drop_column('lease_owner')
        batch_op.drop_column('lease_until')
        batch_op.create_check_constraint('status_known', "status IN ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED')")
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.alter_column('chunk_size', existing_type=sa.Integer(), server_default=None)
        batch_op.create_index('ingestion_open', ['status', 'id'], unique=False)

    # What was waiting or under way starts anew, as a job; its own id serves as the job's.
    op.execute("UPDATE ingestion SET status = 'PENDING', chunks_done = 0 WHERE status = 'RUNNING'")
    op.execute(
        "INSERT INTO job (id, volume_id, ingestion_id, kind, ordinal, lane, status, fence, failures, kills) "
        "SELECT id, volume_id, id, 'chunk', 0, extractor, 'ready', 0, 0, 0 FROM ingestion WHERE status = 'PENDING'"
    )


def downgrade() -> None:
    op.execute("UPDATE ingestion SET status = 'FAILED' WHERE status = 'CANCELLED'")
    if op.get_bind().dialect.name == 'postgresql':
        op.drop_constraint('status_known', 'ingestion', type_='check')
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.drop_index('ingestion_open')
        batch_op.drop_column('chunk_size')
        batch_op.add_column(sa.Column('attempts', sa.Integer(), nullable=False, server_default='0'))
        batch_op.add_column(sa.Column('lease_owner', sqlmodel.sql.sqltypes.AutoString(), nullable=True))
        batch_op.add_column(sa.Column('lease_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.create_check_constraint('status_known', "status IN ('PENDING', 'RUNNING', 'DONE', 'FAILED')")
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.alter_column('attempts', existing_type=sa.Integer(), server_default=None)
        batch_op.create_index('ingestion_open', ['status', 'lease_until'], unique=False)

    with op.batch_alter_table('job', schema=None) as batch_op:
        batch_op.drop_index('job_queue')
        batch_op.drop_index('job_in_lane')

    op.drop_table('job')
    with op.batch_alter_table('upload', schema=None) as batch_op:
        batch_op.drop_index('upload_by_age')

    op.drop_table('upload')
    op.drop_table('lane')
