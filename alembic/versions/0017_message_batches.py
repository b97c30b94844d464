"""Ingestions whose chunks are read by Message Batches

Revision ID: 0017
Revises: 0016
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0017'
down_revision: str | None = '0016'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BEFORE = ('chunk', 'resolve', 'write')


def upgrade() -> None:
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.add_column(sa.Column('batch', sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.alter_column('batch', existing_type=sa.Boolean(), server_default=None)
        _status_anew(batch_op)
    op.create_table(
        'message_batch',
        sa.Column('name', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column('job_id', sa.Uuid(), nullable=False),
        sa.Column('submitted_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('name'),
    )
    op.create_index('ix_message_batch_job_id', 'message_batch', ['job_id'])
    _kinds(('chunk', 'batch', 'resolve', 'write'))


def _status_anew(batch_op: object) -> None:
    if op.get_bind().dialect.name == 'sqlite':
        rule = "status IN ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED')"
        batch_op.create_check_constraint('status_known', rule)  # type: ignore[attr-defined]


def _kinds(kinds: Sequence[str]) -> None:
    """Allow these kinds of jobs. Reflection leaves check constraints out where SQLite rebuilds the table."""
    told = ', '.join(f"'{kind}'" for kind in kinds)
    if op.get_bind().dialect.name == 'postgresql':
        op.drop_constraint('kind_known', 'job', type_='check')
        op.create_check_constraint('kind_known', 'job', f'kind IN ({told})')
        return
    with op.batch_alter_table('job', schema=None, recreate='always') as batch_op:
        batch_op.create_check_constraint('kind_known', f'kind IN ({told})')
        batch_op.create_check_constraint('status_known', "status IN ('ready', 'running', 'done', 'dead')")


def downgrade() -> None:
    # What waits for a batch cannot be told to a version that knows of none: such ingestions begin anew, call by call.
    op.execute(
        "UPDATE job SET kind = 'chunk', lane = (SELECT extractor FROM ingestion WHERE ingestion.id = job.ingestion_id) "
        "WHERE kind = 'batch' AND NOT EXISTS (SELECT 1 FROM job AS other WHERE other.ingestion_id = job.ingestion_id "
        "AND other.kind = 'chunk')"
    )
    op.execute("UPDATE ingestion SET status = 'CANCELLED' WHERE id IN (SELECT ingestion_id FROM job WHERE kind = 'batch')")
    op.execute(
        "DELETE FROM job WHERE ingestion_id IN (SELECT ingestion_id FROM job AS other WHERE other.kind = 'batch')"
    )
    _kinds(BEFORE)
    op.drop_index('ix_message_batch_job_id', 'message_batch')
    op.drop_table('message_batch')
    with op.batch_alter_table('ingestion', schema=None) as batch_op:
        batch_op.drop_column('batch')
        _status_anew(batch_op)
