"""Message Batches that are noted before they are submitted

Revision ID: 0018
Revises: 0017
"""

from collections.abc import Sequence
from uuid import uuid4

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0018'
down_revision: str | None = '0017'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BEFORE = sa.table(
    'message_batch',
    sa.column('name', sa.String()),
    sa.column('job_id', sa.Uuid()),
    sa.column('submitted_at', sqlmodel.sql.sqltypes.UTCDateTime()),
)


def upgrade() -> None:
    told = sa.select(BEFORE.c.name, BEFORE.c.job_id, BEFORE.c.submitted_at).order_by(BEFORE.c.submitted_at)
    there = op.get_bind().execute(told).all()
    op.drop_index('ix_message_batch_job_id', 'message_batch')
    op.drop_table('message_batch')
    after = op.create_table(
        'message_batch',
        sa.Column('id', sa.Uuid(), nullable=False),
        sa.Column('job_id', sa.Uuid(), nullable=True),
        sa.Column('name', sqlmodel.sql.sqltypes.AutoString(), nullable=True),
        sa.Column('requests', sa.Integer(), nullable=False),
        sa.Column('submitted_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('job_id'),
    )
    # The requests of these were named after their jobs. Of a job with two, the step waits for the last; nobody for the others.
    last = {job: name for name, job, _ in there}
    rows = [
        {
            'id': job if last[job] == name else uuid4(),
            'job_id': job if last[job] == name else None,
            'name': name,
            'requests': 0,
            'submitted_at': at,
        }
        for name, job, at in there
    ]
    op.bulk_insert(after, rows)


def downgrade() -> None:
    after = sa.table(
        'message_batch',
        sa.column('id', sa.Uuid()),
        sa.column('name', sa.String()),
        sa.column('submitted_at', sqlmodel.sql.sqltypes.UTCDateTime()),
    )
    # What the earlier version waits for has requests that are named after its job. Others it can only cancel.
    told = sa.select(after.c.name, after.c.id, after.c.submitted_at).where(after.c.name.is_not(None))
    there = op.get_bind().execute(told).all()
    op.drop_table('message_batch')
    before = op.create_table(
        'message_batch',
        sa.Column('name', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column('job_id', sa.Uuid(), nullable=False),
        sa.Column('submitted_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('name'),
    )
    op.create_index('ix_message_batch_job_id', 'message_batch', ['job_id'])
    rows = [{'name': name, 'job_id': id, 'submitted_at': at} for name, id, at in there]
    op.bulk_insert(before, rows)
