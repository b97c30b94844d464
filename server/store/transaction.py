"""Writing: one transaction of one volume, with its log entries and vectors.

The transaction begins by locking the volume's row, so decisions inside it see everything that was committed before and
nothing changes under them; it must not contain model calls. Writes are collected and sent when the block ends: first
the log's head is updated, which orders commits and gives the instant (`at`) of the transaction, then the rows go out
in bulk, then the log entries. Rows are inserted as dictionaries over the SQLModel tables: making an instance costs about
a hundred times as much and a table model validates nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    FromClause,
    Table,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlmodel import SQLModel

from server import models
from server.errors import NotFound
from server.ids import NodeKind
from server.store.database import insert_of
from server.store.reader import Reader
from server.store.relations import table_of
from server.store.signals import CHANNEL
from server.terms import ChangeKind, VectorAction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Clock = Callable[[], datetime]
_Inserts = dict[tuple[type[SQLModel], bool], list[dict[str, Any]]]
"""Rows to insert, by their table and whether those that are there already are passed over."""
_STAMPS = ("created_at", "updated_at", "known_from", "known_to", "opened_at", "at")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def utc_now() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


def _fixed_defaults(model: type[SQLModel]) -> dict[str, Any]:
    fields = model.model_fields
    return {n: None if f.is_required() or f.default_factory else f.default for n, f in fields.items()}


class _Shape:
    """A table's defaults and the statement that inserts, worked out once: SQLAlchemy also keeps what it compiles with the statement."""

    def __init__(self, model: type[SQLModel]) -> None:
        self.table = table_of(model)
        self.insert = insert(self.table)
        dialects = ("sqlite", "postgresql")
        self.insert_absent = {d: insert_of(d)(self.table).on_conflict_do_nothing() for d in dialects}
        self.fixed = _fixed_defaults(model)
        self.made = {
            n: cast(Callable[[], Any], f.default_factory) for n, f in model.model_fields.items() if f.default_factory
        }
        self.stamps = [n for n in _STAMPS if n in self.table.c and n in self.fixed]

    def row(self, values: Mapping[str, Any]) -> dict[str, Any]:
        unknown = values.keys() - self.fixed.keys()
        if unknown:
            raise TypeError(f"{self.table.name} has no columns {sorted(unknown)}")
        return {**self.fixed, **{n: make() for n, make in self.made.items() if n not in values}, **values}


_shapes: dict[type[SQLModel], _Shape] = {}


def _shape(model: type[SQLModel]) -> _Shape:
    if model not in _shapes:
        _shapes[model] = _Shape(model)
    return _shapes[model]


@cache
def _places() -> dict[Table, int]:
    """Return each table's place in the order in which foreign keys allow inserting."""
    return {table: place for place, table in enumerate(models.metadata.sorted_tables)}


def _head() -> Table:
    return table_of(models.LogHead)


@cache
def _advancing() -> Any:
    """Return the statement that takes an instant later than all before it, and numbers for `entries` of the log."""
    head, now = _head(), bindparam("now", type_=BigInteger)
    later = case((head.c.at < now, now), else_=head.c.at + 1)
    number = head.c.seq + bindparam("entries", type_=BigInteger)
    return update(head).where(head.c.id == 1).values(at=later, seq=number).returning(head.c.seq, head.c.at)


class Transaction:
    """The writes of one transaction. Nothing is sent before the block of `Store.write` ends."""

    def __init__(self, connection: AsyncConnection, dialect: str, volume_id: UUID, actor: str, clock: Clock) -> None:
        self.volume_id = volume_id
        self.actor = actor
        self.at: datetime | None = None
        self._seq = 0
        self._connection = connection
        self._dialect = dialect
        self._clock = clock
        self._steps: list[_Inserts | Callable[[], Any]] = []
        self._changes: list[dict[str, Any]] = []
        self._entries: dict[UUID, dict[str, Any] | None] = {}
        self._vectors: dict[UUID, dict[str, Any]] = {}
        self._superseded: list[UUID] = []

        @asynccontextmanager
        async def own() -> AsyncIterator[AsyncConnection]:
            yield connection

        self.read = Reader(own, dialect)
        """Reads inside the transaction: committed rows, not what this transaction has collected."""

    def insert(self, model: type[SQLModel], **values: Any) -> UUID:
        """Insert one row and return its id; `id` and volume_id are filled in where the table has them."""
        shape = _shape(model)
        if "volume_id" in shape.fixed:
            values.setdefault("volume_id", self.volume_id)
        row = shape.row(values)
        self._batch(model).append(row)
        return cast(UUID, row.get("id"))

    def collected(self, model: type[SQLModel]) -> list[dict[str, Any]]:
        """Return the rows of a table that were inserted since the last `apply`: reads do not see them yet."""
        return [row for step in self._steps if isinstance(step, dict) for row in step.get((model, False), ())]

    def insert_many(self, model: type[SQLModel], rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows as `insert` does."""
        for row in rows:
            self.insert(model, **row)

    def _batch(self, model: type[SQLModel], *, absent: bool = False) -> list[dict[str, Any]]:
        if not self._steps or not isinstance(self._steps[-1], dict):
            self._steps.append({})
        return cast(_Inserts, self._steps[-1]).setdefault((model, absent), [])

    def insert_if_absent(self, model: type[SQLModel], rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows whose key is not there yet."""
        if rows:
            self._batch(model, absent=True).extend(map(_shape(model).row, rows))

    def state(self, model: type[SQLModel], rows: Sequence[Mapping[str, Any]]) -> None:
        """Tie entities by rows of a link table; what only a merge has tied so far is stated from now on."""
        if not rows:
            return
        shape = _shape(model)
        set_ = {name: True for name in ("live", "stated") if name in shape.table.c}
        keys = [column.name for column in shape.table.primary_key]
        statement = insert_of(self._dialect)(shape.table)
        statement = statement.on_conflict_do_update(index_elements=keys, set_=set_)
        sent = list(map(shape.row, rows))
        self._steps.append(lambda: self._connection.execute(statement, sent))

    def update(self, model: type[SQLModel], id: UUID, **values: Any) -> None:
        """Set columns of one row; `updated_at` and, for claims, `known_from` are the transaction's own."""
        self.update_many(model, [{"id": id, **values}])

    def update_many(
        self,
        model: type[SQLModel],
        rows: Sequence[Mapping[str, Any]],
        *,
        stamp: tuple[str, ...] = (),
        stamped: bool = True,
    ) -> None:
        """Set the same columns of many rows, each by its id; the columns `stamp` too become the transaction's instant.

        `stamped` is False where no row changes as anybody sees it: then nothing else is set.
        """
        if not rows:
            return
        shape = _shape(model)
        names = [n for n in rows[0] if n != "id"]
        own = [n for n in ("updated_at", "known_from") if stamped and n in shape.stamps and n not in names]
        stamps = [*own, *stamp]
        values = {n: bindparam(f"new_{n}", type_=shape.table.c[n].type) for n in (*names, *stamps)}
        statement = update(shape.table).where(shape.table.c.id == bindparam("row_id")).values(values)

        def step() -> Any:
            moment = {f"new_{n}": self.at for n in stamps}
            sent = [{"row_id": r["id"], **{f"new_{n}": r[n] for n in names}, **moment} for r in rows]
            return self._connection.execute(statement, sent)

        self._steps.append(step)

    def delete(self, model: type[SQLModel], condition: Callable[[FromClause], ColumnElement[bool]]) -> None:
        """Delete the rows of the volume that meet a condition over the table."""
        table = table_of(model)
        statement = delete(table).where(condition(table))
        self._steps.append(lambda: self._connection.execute(statement))

    def delete_ids(self, model: type[SQLModel], ids: Sequence[UUID], column: str = "id") -> None:
        """Delete the rows whose `column` is one of `ids`."""
        for start in range(0, len(ids), 500):
            part = list(ids[start : start + 500])
            self.delete(model, lambda row, part=part: row.c[column].in_(part))  # type: ignore[misc]

    def delete_where(self, model: type[SQLModel], **equal: Any) -> None:
        """Delete the rows whose columns have these values."""

        def condition(row: FromClause) -> ColumnElement[bool]:
            met: ColumnElement[bool] = literal(True)
            for name, value in equal.items():
                met = met & (row.c[name] == value)
            return met

        self.delete(model, condition)

    def archive(self, present: type[SQLModel], past: type[SQLModel], ids: Sequence[UUID]) -> None:
        """Copy the present versions of claims to their history, known until this transaction."""
        source, target = table_of(present), table_of(past)
        names = [c.name for c in target.c if c.name != "known_to"]

        def step(part: list[UUID]) -> Any:
            columns = [*(source.c[n] for n in names), literal(self.at, target.c.known_to.type)]
            chosen = select(*columns).where(source.c.id.in_(part))
            return self._connection.execute(insert(target).from_select([*names, "known_to"], chosen))

        for start in range(0, len(ids), 500):
            self._steps.append(partial(step, list(ids[start : start + 500])))

    def set_text(self, model: type[SQLModel], ids: Sequence[UUID], column: str, text: str | None) -> None:
        """Replace a text in place, in all versions: for redaction, not for edits."""
        table = table_of(model)
        for start in range(0, len(ids), 500):
            part = list(ids[start : start + 500])
            statement = update(table).where(table.c.id.in_(part)).values({column: text})
            self._steps.append(lambda statement=statement: self._connection.execute(statement))  # type: ignore[misc]

    def set_among(
        self,
        model: type[SQLModel],
        column: str,
        keys: Sequence[Any],
        values: Mapping[str, Any],
        *,
        stamped: Sequence[str] = (),
        **equal: Any,
    ) -> None:
        """Set columns of the rows whose `column` is one of `keys`, and others are as `equal` says.

        Only the columns of `stamped` get the transaction's instant.
        """
        table = table_of(model)
        also = [table.c[name] == value for name, value in equal.items()]

        def step(part: list[Any]) -> Any:
            moment = {**values, **dict.fromkeys(stamped, self.at)}
            return self._connection.execute(update(table).where(table.c[column].in_(part), *also).values(moment))

        for start in range(0, len(keys), 500):
            self._steps.append(partial(step, list(keys[start : start + 500])))

    def then(self, statement: Executable) -> None:
        """Send a statement in its turn: for the store's own modules, which write sets of rows."""
        self._steps.append(lambda: self._connection.execute(statement))

    def redact_log(self, ids: Sequence[UUID]) -> None:
        """Remove the values that earlier log entries of these nodes hold; that it happened, and by whom, stays."""
        table = table_of(models.Change)
        for start in range(0, len(ids), 500):
            part = list(ids[start : start + 500])
            statement = update(table).where(table.c.node_id.in_(part)).values(before=None, after=None)
            self._steps.append(lambda statement=statement: self._connection.execute(statement))  # type: ignore[misc]

    def log(
        self,
        kind: ChangeKind,
        node_kind: NodeKind,
        node_id: UUID,
        *,
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
    ) -> None:
        """Append an entry to the change log; `before` and `after` hold the fields that changed, as JSON values."""
        entry = {"kind": kind.value, "node_kind": node_kind.value, "node_id": node_id, "before": before, "after": after}
        self._entries[node_id] = entry
        self._changes.append(entry)

    def amend(
        self,
        kind: ChangeKind,
        node_kind: NodeKind,
        node_id: UUID,
        *,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
    ) -> None:
        """Add fields to what this transaction has logged of a node, or log it where it has logged nothing; a bulk entry has no fields."""
        if node_id not in self._entries:
            self.log(kind, node_kind, node_id, before=before, after=after)
            return
        entry = self._entries[node_id]
        if entry is not None:
            entry["after"] = {**(entry["after"] or {}), **after}
            entry["before"] = None if entry["before"] is None else {**before, **entry["before"]}

    def changed(self, kind: NodeKind) -> list[UUID]:
        """Return the nodes of a kind that the transaction has logged so far, each once, deleted ones among them."""
        found: dict[UUID, None] = {}
        for change in self._changes:
            if change.get("node_kind") == kind.value:
                found[change["node_id"]] = None
            found.update((UUID(id), None) for prefix, id in change.get("batch", ()) if prefix == kind.value)
        return list(found)

    def log_batch(self, kind: ChangeKind, nodes: Sequence[tuple[NodeKind, UUID]]) -> None:
        """Append one entry for many nodes."""
        if nodes:
            batch = [[node_kind.value, str(id)] for node_kind, id in nodes]
            self._entries.update((id, None) for _, id in nodes)
            self._changes.append({"kind": kind.value, "batch": batch, "size": len(batch)})

    def index(
        self, node_kind: NodeKind, node_id: UUID, text: str, vector: NDArray[np.float32] | None, *, again: bool = False
    ) -> None:
        """Make a node findable by `text`; without a vector it is embedded in the background. `again`: it was before."""
        if again:
            self._superseded.append(node_id)
        self._vectors[node_id] = {
            "kind": node_kind.value,
            "node_id": node_id,
            "text": text,
            "vector": None if vector is None else vector.astype("<f4").tobytes(),
        }

    def unindex(self, node_kind: NodeKind, ids: Sequence[UUID]) -> None:
        """Take nodes out of the vector index, and their words out of what is pending."""
        self._superseded += ids
        for id in ids:
            self._vectors[id] = {"kind": node_kind.value, "node_id": id, "action": VectorAction.DELETE.value}

    async def lock_name(self, name: str) -> None:
        """Keep others from taking a name that no row stands for yet; on SQLite this transaction is the only writer anyway."""
        if self._dialect == "postgresql":
            key = int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)
            await self._connection.execute(select(func.pg_advisory_xact_lock(key)))

    async def idempotent_result(self, key: str, volume_id: UUID) -> tuple[str, dict[str, Any]] | None:
        """Return the (request hash, result) that a key of a volume was used for, or None."""
        table = table_of(models.IdempotentResult)
        statement = select(table.c.request_hash, table.c.result)
        row = (
            await self._connection.execute(statement.where(table.c.volume_id == volume_id, table.c.key == key))
        ).first()
        return None if row is None else (row[0], row[1])

    async def apply(self) -> None:
        """Send the rows collected so far, so that reads of this transaction see them. From here on no other commits."""
        if self.at is None:
            await self._take_instant()
        steps, self._steps = self._steps, []
        for step in steps:
            await (self._send(step) if isinstance(step, dict) else step())

    async def flush(self) -> None:
        """Send everything. Called once, as the last act before the commit."""
        if not (self._steps or self._changes or self._vectors) and self.at is None:
            return
        entries = len(self._changes) or (1 if self._vectors else 0)
        if self.at is None:
            await self._take_instant(entries)
        elif entries:
            await self._connection.execute(update(_head()).where(_head().c.id == 1).values(seq=self._seq + entries))
        await self.apply()
        await self._send({(models.Change, False): self._log_rows()} if self._changes else {})
        await self._send_vectors()
        if entries and self._dialect == "postgresql":
            await self._connection.execute(select(func.pg_notify(CHANNEL, "")))

    async def _take_instant(self, entries: int = 0) -> None:
        """Lock the head of the log: from here to the commit no other transaction gets an instant or a number.

        `entries` are those that this transaction will write, where that is known already.
        """
        now = (self._clock() - _EPOCH) // _MICROSECOND
        row = (await self._connection.execute(_advancing(), {"now": now, "entries": entries})).one()
        self._seq = int(row[0]) - entries
        self.at = _EPOCH + row[1] * _MICROSECOND

    def _stamped(self, shape: _Shape, row: dict[str, Any]) -> dict[str, Any]:
        for name in shape.stamps:
            if row[name] is None:
                row[name] = self.at
        return row

    async def _send(self, inserts: _Inserts) -> None:
        for model, absent in sorted(inserts, key=lambda one: _places()[table_of(one[0])]):
            shape = _shape(model)
            rows = [self._stamped(shape, row) for row in inserts[model, absent]]
            await self._connection.execute(shape.insert_absent[self._dialect] if absent else shape.insert, rows)

    def _log_rows(self) -> list[dict[str, Any]]:
        shape = _shape(models.Change)
        common = {"volume_id": self.volume_id, "actor": self.actor}
        return [shape.row({"seq": self._seq + n, **common, **c}) for n, c in enumerate(self._changes, start=1)]

    async def _send_vectors(self) -> None:
        if not self._vectors:
            return
        shape = _shape(models.PendingVector)
        for start in range(0, len(self._superseded), 500):
            older = shape.table.c.node_id.in_(self._superseded[start : start + 500])
            await self._connection.execute(delete(shape.table).where(older))
        own = {"seq": self._seq + (len(self._changes) or 1), "volume_id": self.volume_id}
        rows = [shape.row({**own, **vector}) for vector in self._vectors.values()]
        await self._connection.execute(shape.insert, rows)


async def lock_volume(connection: AsyncConnection, volume_id: UUID) -> None:
    """Lock the volume's row until the commit (on SQLite the transaction already holds the only write lock).

    Raises:
        NotFound: the volume is gone.
    """
    table = table_of(models.Volume)
    statement = select(table.c.id).where(table.c.id == volume_id).with_for_update(key_share=True)
    if (await connection.execute(statement)).first() is None:
        raise NotFound("There is no such volume.", argument="volume")
