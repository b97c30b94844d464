"""Keys under which entities that may be alike meet, and match keys without the legal forms that were not known before

Revision ID: 0009
Revises: 0008
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from server.services.identity import match_key
from server.services.likeness.blocks import stored_keys


revision: str = '0009'
down_revision: str | None = '0008'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

uuid = sa.Uuid()
entity = sa.table(
    'entity', sa.column('id', uuid), sa.column('volume_id', uuid), sa.column('name'), sa.column('type'),
    sa.column('sense'), sa.column('match_key'),
)
alias = sa.table('alias', sa.column('entity_id', uuid), sa.column('name'), sa.column('match_key'))
block = sa.table('entity_block', sa.column('volume_id', uuid), sa.column('key', sa.BigInteger()), sa.column('entity_id', uuid))
BATCH = 1000


def upgrade() -> None:
    op.create_table(
        'entity_block',
        sa.Column('volume_id', uuid, nullable=False),
        sa.Column('key', sa.BigInteger(), nullable=False),
        sa.Column('entity_id', uuid, nullable=False),
        sa.ForeignKeyConstraint(['entity_id'], ['entity.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('volume_id', 'key', 'entity_id'),
    )
    op.create_index('block_of_entity', 'entity_block', ['entity_id'], unique=False)
    rows = _next(None)
    while rows:
        _fill(rows)
        rows = _next(rows[-1].id)


def _next(last: object) -> Sequence[sa.Row]:
    statement = sa.select(entity).order_by(entity.c.id).limit(BATCH)
    return op.get_bind().execute(statement if last is None else statement.where(entity.c.id > last)).all()


def _fill(rows: Sequence[sa.Row]) -> None:
    connection = op.get_bind()
    others: dict[object, list[sa.Row]] = {}
    for row in connection.execute(sa.select(alias).where(alias.c.entity_id.in_([row.id for row in rows]))):
        others.setdefault(row.entity_id, []).append(row)
    made = []
    for row in rows:
        _rekey(row, others.get(row.id, []))
        names = [row.name, *(other.name for other in others.get(row.id, []))]
        made += [{'volume_id': row.volume_id, 'key': key, 'entity_id': row.id} for key in sorted(stored_keys(names))]
    if made:
        connection.execute(sa.insert(block), made)


def _rekey(row: sa.Row, others: Sequence[sa.Row]) -> None:
    """Give an entity and its aliases the keys of today, unless another has them: then they stay two, to be merged by hand."""
    connection, key = op.get_bind(), match_key(row.name, row.type)
    same = sa.select(entity.c.id).where(
        entity.c.volume_id == row.volume_id, entity.c.match_key == key, entity.c.type == row.type, entity.c.sense == row.sense
    )
    if key != row.match_key and connection.execute(same).first() is None:
        connection.execute(sa.update(entity).where(entity.c.id == row.id).values(match_key=key))
    taken = {key, *(other.match_key for other in others)}
    for other in others:
        own = match_key(other.name)
        if own not in taken:
            here = (alias.c.entity_id == row.id) & (alias.c.match_key == other.match_key)
            connection.execute(sa.update(alias).where(here).values(match_key=own))
            taken.add(own)


def downgrade() -> None:
    op.drop_index('block_of_entity', 'entity_block')
    op.drop_table('entity_block')
