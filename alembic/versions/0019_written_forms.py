"""Match keys of names that can be written in several forms ("and", "St.", titles of people), as they are made now

Revision ID: 0019
Revises: 0018
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from server.services.identity import match_key


revision: str = '0019'
down_revision: str | None = '0018'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

uuid = sa.Uuid()
entity = sa.table(
    'entity', sa.column('id', uuid), sa.column('volume_id', uuid), sa.column('name'), sa.column('type'),
    sa.column('sense'), sa.column('match_key'),
)
alias = sa.table('alias', sa.column('entity_id', uuid), sa.column('name'), sa.column('match_key'))
BATCH = 1000


def upgrade() -> None:
    rows = _next(None)
    while rows:
        _rekey(rows)
        rows = _next(rows[-1].id)


def _next(last: object) -> Sequence[sa.Row]:
    statement = sa.select(entity).order_by(entity.c.id).limit(BATCH)
    return op.get_bind().execute(statement if last is None else statement.where(entity.c.id > last)).all()


def _rekey(rows: Sequence[sa.Row]) -> None:
    """Give entities and aliases the keys of today, unless another entity has one: then they stay two, to be merged by hand."""
    connection = op.get_bind()
    others: dict[object, list[sa.Row]] = {}
    for row in connection.execute(sa.select(alias).where(alias.c.entity_id.in_([row.id for row in rows]))):
        others.setdefault(row.entity_id, []).append(row)
    for row in rows:
        key = match_key(row.name, row.type)
        if key != row.match_key and not _taken(row, key):
            connection.execute(sa.update(entity).where(entity.c.id == row.id).values(match_key=key))
        taken = {key, *(other.match_key for other in others.get(row.id, []))}
        for other in others.get(row.id, []):
            own = match_key(other.name)
            if own not in taken:
                here = (alias.c.entity_id == row.id) & (alias.c.match_key == other.match_key)
                connection.execute(sa.update(alias).where(here).values(match_key=own))
                taken.add(own)


def _taken(row: sa.Row, key: str) -> bool:
    same = sa.select(entity.c.id).where(
        entity.c.volume_id == row.volume_id, entity.c.match_key == key, entity.c.type == row.type, entity.c.sense == row.sense
    )
    return op.get_bind().execute(same).first() is not None


def downgrade() -> None:
    pass
