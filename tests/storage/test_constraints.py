"""What the database itself refuses, whoever writes: every CHECK, unique key, foreign key and NOT NULL of the tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import CheckConstraint, Table, UniqueConstraint, insert
from sqlalchemy.exc import IntegrityError

from server import models
from server.ids import new_id
from server.store import Store
from server.store.relations import table_of
from server.terms import ChangeKind

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
STAMPS = {"created_at": NOW, "updated_at": NOW, "known_from": NOW, "known_to": NOW, "opened_at": NOW, "at": NOW}
V, E1, E2, F, R, M1, M2, D, C, A, P, I, X = sorted(new_id() for _ in range(13))

Row = dict[str, Any]
FACT: Row = {"subject_id": E1, "content": "x", "claim_key": "x"}
EDGE: Row = {"source_id": E1, "target_id": E2, "type": "KNOWS"}
ROWS: list[tuple[type[Any], Row]] = [
    (models.Volume, {"id": V, "name": "v"}),
    (models.StoreSetting, {"key": "k", "value": "v"}),
    (models.IdempotentResult, {"volume_id": V, "key": "k", "request_hash": "h", "result": {}}),
    (
        models.Document,
        {"id": D, "title": "t", "uri": "u", "mime_type": "text/plain", "content_hash": "h"},
    ),
    (models.DocumentRevision, {"document_id": D, "number": 1, "content": "x"}),
    (models.DocumentCopy, {"document_id": D, "uri": "v", "title": "t", "mime_type": "text/plain"}),
    (models.Chunk, {"id": C, "document_id": D, "revision": 1, "ordinal": 0, "text": "x", "start": 0, "end": 1}),
    (models.Ingestion, {"id": I, "document_id": D, "revision": 1, "extractor": "x"}),
    (models.Job, {"ingestion_id": I, "kind": "chunk", "lane": "x"}),
    (models.Lane, {"name": "x"}),
    (models.MessageBatch, {"id": I, "job_id": I, "name": "x", "requests": 1, "submitted_at": NOW}),
    (models.Upload, {"mime_type": "text/plain", "size": 1, "text": "x"}),
    (models.Rejection, {"ingestion_id": I, "ordinal": 0, "kind": "fact", "item": {}, "reason": "x"}),
    (models.Entity, {"id": E1, "name": "a", "match_key": "a", "type": "person", "described_by": D}),
    (models.Entity, {"id": E2, "name": "b", "match_key": "b", "type": "person"}),
    (models.EntityBlock, {"entity_id": E1, "key": 1}),
    (models.Alias, {"entity_id": E1, "match_key": "x", "name": "X", "document_id": D}),
    (models.Mention, {"entity_id": E1, "document_id": D, "chunk_id": C, "revision": 1, "start": 0, "end": 1}),
    (models.DocumentEntity, {"document_id": D, "entity_id": E1}),
    (models.Fact, {"id": F, **FACT}),
    (models.Relationship, {"id": R, **EDGE}),
    (models.FactVersion, {"id": F, "version": 1, **FACT}),
    (models.RelationshipVersion, {"id": R, "version": 1, **EDGE}),
    (models.Evidence, {"fact_id": F, "quote": "x", "document_id": D, "start": 0, "end": 1}),
    (models.Evidence, {"relationship_id": R, "quote": "x"}),
    (
        models.Review,
        {"kind": "DUPLICATE", "question": "q", "left_id": E1, "right_id": E2, "fact_id": F, "relationship_id": R},
    ),
    (models.EntityMerge, {"survivor_id": E1, "merged_id": E2, "actor": "a"}),
    (models.ClaimApart, {"fact_id": F, "columns": {}, "evidence": []}),
    (models.ClaimApart, {"relationship_id": R, "columns": {}, "evidence": []}),
    (models.Predicate, {"name": "KNOWS", "inverse": "KNOWN_BY"}),
    (models.Conflict, {"id": X, "subject_id": E1, "node_kind": "fct", "predicate": "COSTS", "status": "OPEN"}),
    (models.ConflictClaim, {"conflict_id": X, "fact_id": F}),
    (models.ConflictClaim, {"conflict_id": X, "relationship_id": R}),
    (models.Memory, {"id": M1, "title": "t", "content": "x", "superseded_by_id": None}),
    (models.Memory, {"id": M2, "title": "t", "content": "x", "superseded_by_id": M1}),
    (models.MemoryLink, {"left_id": M1, "right_id": M2, "type": "related"}),
    (models.MemoryTag, {"memory_id": M1, "tag": "x"}),
    (models.MemoryEntity, {"memory_id": M1, "entity_id": E1}),
    (models.MemoryDocument, {"memory_id": M1, "document_id": D}),
    (models.CodeArtifact, {"id": A, "title": "t", "language": "python", "code": "x"}),
    (models.MemoryCodeArtifact, {"memory_id": M1, "code_artifact_id": A}),
    (models.Project, {"id": P, "name": "p"}),
    (models.MemoryProject, {"memory_id": M1, "project_id": P}),
    (models.ProjectEntity, {"project_id": P, "entity_id": E1}),
    (models.ProjectDocument, {"project_id": P, "document_id": D}),
    (models.Change, {"seq": 1, "kind": ChangeKind.CREATED.value, "actor": "a"}),
    (models.Follower, {"name": "f"}),
    (models.Ranking, {"hits": [], "expires_at": NOW}),
    (models.PendingVector, {"seq": 1, "node_id": E1, "kind": "ent"}),
    (models.TokenVectors, {"node_id": E1, "signs": b""}),
]
CHECKS: dict[str, list[Row]] = {
    "entity.confidence_range": [{"confidence": 1.1}, {"confidence": -0.01}],
    "entity.importance_range": [{"importance": 1.001}, {"importance": -1}],
    "entity.origin_known": [{"origin": "STATED"}],
    "fact.confidence_range": [{"confidence": 1.1}, {"confidence": float("inf")}],
    "fact.importance_range": [{"importance": 2}],
    "fact.authority_known": [{"authority": "GOD"}, {"authority": ""}],
    "fact.status_known": [{"status": "current"}],
    "fact.value_type_known": [{"value_type": "SET"}],
    "fact.valid_from_precision_known": [{"valid_from_precision": "HOUR"}],
    "fact.valid_to_precision_known": [{"valid_to_precision": "year"}],
    "fact.valid_interval": [{"valid_from": NOW, "valid_to": NOW}, {"valid_from": LATER, "valid_to": NOW}],
    "relationship.confidence_range": [{"confidence": 1.1}],
    "relationship.strength_range": [{"strength": -0.5}, {"strength": 1.5}],
    "relationship.authority_known": [{"authority": "user"}],
    "relationship.status_known": [{"status": "OPEN"}],
    "relationship.valid_from_precision_known": [{"valid_from_precision": "?"}],
    "relationship.valid_to_precision_known": [{"valid_to_precision": "?"}],
    "relationship.valid_interval": [{"valid_from": NOW, "valid_to": NOW}],
    "evidence.one_claim": [{"fact_id": F, "relationship_id": R}, {"fact_id": None, "relationship_id": None}],
    "evidence.span": [{"start": 2, "end": 1}],
    "evidence.confidence_range": [{"confidence": 1.1}],
    "evidence.authority_known": [{"authority": "X"}],
    "evidence.origin_known": [{"origin": "X"}],
    "evidence.valid_from_precision_known": [{"valid_from_precision": "X"}],
    "evidence.valid_to_precision_known": [{"valid_to_precision": "X"}],
    "entity_merge.not_into_itself": [{"survivor_id": E2, "undone_at": NOW}],
    "claim_apart.one_claim": [{"fact_id": F, "relationship_id": R}, {"fact_id": None, "relationship_id": None}],
    "conflict.status_known": [{"status": "open"}],
    "conflict_claim.one_claim": [{"fact_id": F, "relationship_id": R}, {"fact_id": None, "relationship_id": None}],
    "predicate.cardinality_known": [{"cardinality": "FEW"}],
    "review.kind_known": [{"kind": "DOUBT"}],
    "review.decision_known": [{"decision": "approved"}],
    "review.importance_range": [{"importance": 1.1}, {"importance": -0.1}],
    "predicate.half_life": [{"half_life_days": 0.0}, {"half_life_days": -1.0}],
    "predicate.own_inverse": [
        {"symmetric": True},
        {"name": "OWN", "inverse": "OWN"},
        {"symmetric": True, "inverse": None},
    ],
    "document.authority_known": [{"authority": "X"}],
    "document_copy.authority_known": [{"authority": "X"}],
    "chunk.span": [{"start": 1, "end": 1}, {"start": 2, "end": 1}],
    "ingestion.status_known": [{"status": "SLEEPING"}],
    "job.kind_known": [{"kind": "CHUNK"}],
    "job.status_known": [{"status": "cancelled"}],
    "memory.importance_range": [{"importance": 11}, {"importance": 0}],
    "memory.not_by_itself": [{"id": M2, "superseded_by_id": M2}],
    "memory_link.ordered_pair": [{"left_id": M2, "right_id": M1}, {"left_id": M1, "right_id": M1}],
    "project.status_known": [{"status": "active"}],
    "change.kind_known": [{"kind": "created"}],
    "pending_vector.action_known": [{"action": "UPSERT"}],
}


CLAIMED = ("evidence", "conflict_claim", "claim_apart")


def complete(model: type[Any], row: Row) -> Row:
    """Return a row with every column, as the store writes it."""
    table = table_of(model)
    fields = model.model_fields
    stated = [c.name for c in table.c if not fields[c.name].is_required()]
    made: Row = {name: fields[name].get_default(call_default_factory=True) for name in stated}
    made.update({name: value for name, value in STAMPS.items() if name in table.c})
    if "volume_id" in table.c:
        made["volume_id"] = V
    return {**made, **row}


VALID = [(table_of(model), complete(model, row)) for model, row in ROWS]


def row_of(table: Table) -> Row:
    """Return the first valid row of a table."""
    return next(row for own, row in VALID if own is table)


def another(table: Table) -> Row:
    """Return a valid row with a key of its own, not among the rows."""
    row = row_of(table)
    own = [c for c in table.primary_key.columns if not c.foreign_keys]
    fresh: Row = {c.name: new_id() if isinstance(row[c.name], UUID) else row[c.name] for c in own}
    unique = {c.name for u in table.constraints if isinstance(u, UniqueConstraint) for c in u.columns}
    unique |= {c.name for c in table.c if c.unique}
    closed = {name.removesuffix("_known") for name in CHECKS}
    other: Row = {n: f"other {n}" for n in unique if isinstance(row[n], str) and f"{table.name}.{n}" not in closed}
    return {**row, **fresh, **other, **({"ordinal": 7} if table.name == "job" else {})}


async def put(store: Store, *rows: tuple[Table, Row], instead: bool = False) -> None:
    """Insert rows, past everything that checks them before the database does; `instead` of those that are there."""
    async with store.database.writing() as connection:
        for table, row in rows:
            if instead:
                await connection.execute(table.delete())
            await connection.execute(insert(table).values(row))


@pytest.fixture
async def filled(store: Store) -> Store:
    await put(store, *VALID)
    return store


async def refused(store: Store, table: Table, row: Row, *, instead: bool = False) -> str:
    """Return what the database says when it refuses a row."""
    with pytest.raises(IntegrityError) as caught:
        await put(store, (table, row), instead=instead)
    return str(caught.value.orig)


def test_every_table_has_a_valid_row_here() -> None:
    assert {table.name for table, _ in VALID} | {"log_head"} == set(models.metadata.tables)


def test_every_check_has_its_offenders_here() -> None:
    names = {
        f"{table.name}.{rule.name}"
        for table in models.metadata.tables.values()
        for rule in table.constraints
        if isinstance(rule, CheckConstraint)
    }
    assert set(CHECKS) == names


async def test_every_check_refuses_its_offenders(filled: Store) -> None:
    for name, offenders in CHECKS.items():
        table = models.metadata.tables[name.split(".")[0]]
        for wrong in offenders:
            own = {"fact_id": None, "relationship_id": R} if table.name in CLAIMED else {}
            said = await refused(filled, table, {**another(table), **own, **wrong})
            assert name.split(".")[1] in said, (name, wrong, said)


async def test_the_bounds_themselves_are_accepted(filled: Store) -> None:
    fact, edge, memory = (table_of(m) for m in (models.Fact, models.Relationship, models.Memory))
    moment = {"valid_from": NOW, "valid_to": NOW + timedelta(microseconds=1)}
    await put(
        filled,
        (fact, {**another(fact), "confidence": 0.0, "importance": 1.0, **moment}),
        (fact, {**another(fact), "confidence": 1.0, "importance": 0.0, "valid_from": LATER}),
        (edge, {**another(edge), "strength": 0.0, "valid_to": datetime(1, 1, 1, tzinfo=UTC)}),
        (memory, {**another(memory), "importance": 1}),
        (memory, {**another(memory), "importance": 10}),
    )


async def test_a_number_that_is_none_is_refused(filled: Store) -> None:
    fact = table_of(models.Fact)
    assert "confidence" in await refused(filled, fact, {**another(fact), "confidence": float("nan")})


async def test_every_foreign_key_refuses_what_is_not_there(filled: Store) -> None:
    tried = 0
    for table in models.metadata.tables.values():
        for column in table.c:
            if column.foreign_keys:
                missing = UUID(int=1) if column.name == "left_id" else new_id()
                wrong = {**another(table), **whole_claim(table, column.name), column.name: missing}
                said = await refused(filled, table, wrong, instead=True)
                assert "foreign key" in said.lower(), (column, said)
                tried += 1
    assert tried > 50


def whole_claim(table: Table, column: str) -> Row:
    """Keep a row with one claim, whichever of its keys is tried."""
    if table.name not in CLAIMED:
        return {}
    return {"fact_id": None} if column == "relationship_id" else {"relationship_id": None}


async def test_every_unique_key_refuses_a_second_row(filled: Store) -> None:
    tried = []
    for table in models.metadata.tables.values():
        keys = [rule for rule in table.constraints if isinstance(rule, UniqueConstraint)]
        for rule in (*keys, *(index for index in table.indexes if index.unique)):
            names = [c.name for c in rule.columns]
            row = next(row for own, row in VALID if own is table and all(row[name] is not None for name in names))
            same = {name: row[name] for name in names}
            second = {**another(table), **whole_claim(table, names[-1]), **same}
            assert "unique" in (await refused(filled, table, second)).lower()
            tried.append(sorted(same))
    assert ["match_key", "sense", "type", "volume_id"] in tried
    assert len(tried) == 17


async def test_another_sense_or_type_is_another_entity(filled: Store) -> None:
    entity = table_of(models.Entity)
    same = {**row_of(entity), "described_by": None}
    await put(
        filled, (entity, {**same, "id": new_id(), "sense": "2"}), (entity, {**same, "id": new_id(), "type": "place"})
    )


async def test_every_primary_key_is_unique(filled: Store) -> None:
    for table, row in VALID:
        keys = {c.name: row[c.name] for c in table.primary_key.columns}
        assert "unique" in (await refused(filled, table, {**another(table), **keys})).lower()


async def test_every_required_column_refuses_null(filled: Store) -> None:
    tried = 0
    for table, _ in VALID:
        for column in table.c:
            if not column.nullable:
                assert "null" in (await refused(filled, table, {**another(table), column.name: None})).lower()
                tried += 1
    assert tried > 150


async def test_deleting_a_volume_takes_everything_in_it_along_and_nothing_else(filled: Store) -> None:
    volume = table_of(models.Volume)
    async with filled.database.writing() as connection:
        await connection.execute(volume.delete().where(volume.c.id == V))
    left = {table.name for table, _ in VALID if await filled.read.rows(table.select())}
    assert left == {"store_setting", "change", "follower", "pending_vector", "token_vectors", "lane", "message_batch"}


async def test_deleting_what_is_pointed_to_clears_the_pointer_where_the_row_outlives_it(filled: Store) -> None:
    document, memory, entity = (table_of(m) for m in (models.Document, models.Memory, models.Entity))
    async with filled.database.writing() as connection:
        await connection.execute(document.delete().where(document.c.id == D))
        await connection.execute(memory.delete().where(memory.c.id == M1))
    assert [row.described_by for row in await filled.read.rows(entity.select())] == [None, None]
    assert [(row.id, row.superseded_by_id) for row in await filled.read.rows(memory.select())] == [(M2, None)]
