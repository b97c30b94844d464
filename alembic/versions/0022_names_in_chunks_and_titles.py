"""The chunks that name an entity are found in order, and documents by the key of their title

Revision ID: 0022
Revises: 0021
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from server.models.columns import SortableText
from server.services.identity import title_key


revision: str = '0022'
down_revision: str | None = '0021'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

document = sa.table('document', sa.column('id', sa.Uuid()), sa.column('title'), sa.column('title_key'))
BATCH = 1000


def upgrade() -> None:
    op.create_index('mention_of_entity', 'mention', ['entity_id', 'chunk_id'])
    op.drop_index('ix_mention_entity_id', 'mention')
    op.add_column('document', sa.Column('title_key', SortableText, server_default='', nullable=False))
    _fill()
    with op.batch_alter_table('document') as batch:
        batch.alter_column('title_key', server_default=None)
    op.create_index('document_by_title', 'document', ['volume_id', 'title_key'])


def _fill() -> None:
    connection, last = op.get_bind(), None
    while True:
        rows = sa.select(document.c.id, document.c.title).order_by(document.c.id).limit(BATCH)
        found = connection.execute(rows if last is None else rows.where(document.c.id > last)).all()
        for id, title in found:
            connection.execute(sa.update(document).where(document.c.id == id).values(title_key=title_key(title)))
        if len(found) < BATCH:
            return
        last = found[-1].id


def downgrade() -> None:
    op.drop_index('document_by_title', 'document')
    with op.batch_alter_table('document') as batch:
        batch.drop_column('title_key')
    op.create_index('ix_mention_entity_id', 'mention', ['entity_id'])
    op.drop_index('mention_of_entity', 'mention')
