"""Copies of documents

Revision ID: 0004
Revises: 0003
"""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision: str = '0004'
down_revision: str | None = '0003'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    text, uuid = sqlmodel.sql.sqltypes.AutoString, sa.Uuid
    op.create_table(
        'document_copy',
        sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column('id', uuid(), nullable=False),
        sa.Column('volume_id', uuid(), nullable=False),
        sa.Column('document_id', uuid(), nullable=False),
        sa.Column('uri', text(), nullable=True),
        sa.Column('title', text(), nullable=False),
        sa.Column('mime_type', text(), nullable=False),
        sa.Column('authority', text(), nullable=False),
        sa.CheckConstraint("authority IN ('OFFICIAL', 'MARKETING', 'USER', 'THIRD_PARTY', 'UNKNOWN')", name='authority_known'),
        sa.ForeignKeyConstraint(['document_id'], ['document.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('volume_id', 'uri', name='document_copy_uri'),
    )
    with op.batch_alter_table('document_copy', schema=None) as batch_op:
        batch_op.create_index('document_copy_of_document', ['document_id', 'id'], unique=False)


def downgrade() -> None:
    op.drop_table('document_copy')
