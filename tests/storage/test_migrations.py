"""Migrations: from empty to the tables of this version and back, and by several processes at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from processes import migrate as migrating
from processes import start
from sqlalchemy import Connection, column, event, inspect, table, text
from stores import new_volume, opened

from server import models
from server.config import Settings
from server.errors import Misconfigured
from server.ids import new_id
from server.services.blocking import possible_likes
from server.store import Store, migrations
from server.store.database import Database
from server.store.reader import Reader
from server.store.records import EvidenceRecord, PredicateRecord


@pytest.fixture
async def database(empty: Settings) -> AsyncIterator[Database]:
    opened_one = Database(empty)
    yield opened_one
    await opened_one.close()


def tables(connection: Connection) -> dict[str, Any]:
    """Return everything that the database knows of each table, in an order of its own making."""
    found = inspect(connection)
    described: dict[str, Any] = {}
    for name in sorted(set(found.get_table_names()) - {"alembic_version"}):
        described[name] = {
            "columns": {c["name"]: (str(c["type"]), c["nullable"], c["default"]) for c in found.get_columns(name)},
            "primary key": found.get_pk_constraint(name)["constrained_columns"],
            "checks": sorted((str(c["name"]), c["sqltext"]) for c in found.get_check_constraints(name)),
            "unique": sorted(sorted(c["column_names"]) for c in found.get_unique_constraints(name)),
            "foreign keys": sorted(
                (c["constrained_columns"], c["referred_table"], c["referred_columns"], str(c["options"]))
                for c in found.get_foreign_keys(name)
            ),
            "indexes": sorted((str(c["name"]), c["column_names"], bool(c["unique"])) for c in found.get_indexes(name)),
        }
    return described


async def described(database: Database) -> dict[str, Any]:
    async with database.reading() as connection:
        return await connection.run_sync(tables)


async def test_an_empty_database_becomes_one_that_a_store_opens(empty: Settings) -> None:
    store = Store(empty)
    await store.migrate()
    await store.migrate()
    await store.close()
    async with opened(empty) as store:
        await new_volume(store)
        assert await store.log_positions() == (1, {})
        assert len(store.cursor_secret) == 32


async def test_the_migrations_make_what_the_tables_declare(database: Database) -> None:
    """Alembic's comparison passes over CHECK constraints, so the two are also read back and compared whole."""
    await migrations.migrate(database)

    def differences(connection: Connection) -> list[Any]:
        return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), models.metadata)

    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []
    migrated = await described(database)
    async with database.writing() as connection:
        await connection.run_sync(downgrade)
        await connection.run_sync(models.metadata.create_all)
    assert migrated == await described(database)
    assert set(migrated) == set(models.metadata.tables)


async def test_the_revision_of_this_version_is_the_last_of_the_migrations(database: Database) -> None:
    async with database.reading() as connection:
        last = await connection.run_sync(lambda c: ScriptDirectory.from_config(migrations._config(c)).get_heads())
    assert last == [migrations.latest_revision()]


async def test_tables_of_this_version_are_left_alone(database: Database) -> None:
    await migrations.migrate(database)
    statements: list[str] = []
    _, writer = database.engines
    event.listen(writer.sync_engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    await migrations.migrate(database)
    assert statements == []


def downgrade(connection: Connection) -> None:
    command.downgrade(migrations._config(connection), "base")


async def test_the_way_back_to_an_empty_database_can_be_gone_and_the_way_up_again(database: Database) -> None:
    await migrations.migrate(database)
    up = await described(database)
    async with database.writing() as connection:
        await connection.run_sync(downgrade)
    assert await described(database) == {}
    await migrations.migrate(database)
    assert await described(database) == up


async def test_processes_that_migrate_at_once_wait_for_each_other(empty: Settings) -> None:
    children = await start(migrating, empty, *[()] * 3)
    for child in children:
        child.tell("go")
    assert await asyncio.gather(*(child.end() for child in children)) == [0, 0, 0]
    async with opened(empty) as store:
        assert [row.seq for row in await store.read.rows(text("SELECT seq FROM log_head"))] == [0]


async def test_an_unmigrated_database_is_refused_with_the_command_that_helps(empty: Settings) -> None:
    async def attempt() -> None:
        async with opened(empty):
            pass

    with pytest.raises(Misconfigured) as refusal:
        await attempt()
    assert refusal.value.message.startswith("The database is at revision none, this version needs 0")
    assert refusal.value.message.endswith("Run: loregraph migrate")


async def test_a_database_of_another_version_is_refused(empty: Settings, database: Database) -> None:
    await migrations.migrate(database)
    async with database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = 'ffff'"))
    with pytest.raises(Misconfigured, match="at revision ffff"):
        await migrations.check_current(database)


async def test_a_migration_that_fails_on_its_way_leaves_the_database_as_it_was(database: Database) -> None:
    statements = 0

    def interrupt(*_: Any) -> None:
        nonlocal statements
        statements += 1
        if statements == 40:
            raise KeyError("interrupted")

    _, writer = database.engines
    event.listen(writer.sync_engine, "before_cursor_execute", interrupt)
    with pytest.raises(KeyError):
        await migrations.migrate(database)
    event.remove(writer.sync_engine, "before_cursor_execute", interrupt)
    assert await described(database) == {}
    await migrations.migrate(database)
    await migrations.check_current(database)
    assert set(await described(database)) == set(models.metadata.tables)


async def test_evidence_of_before_says_who_gave_it_and_takes_the_dates_of_its_claim(database: Database) -> None:
    """What has its document's own authority was read out of it; the rest was stated, and all of it counts."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    volume, document, entity, claim, extracted, by_hand, cited = sorted(new_id() for _ in range(7))
    common = {"volume_id": volume, "created_at": at, "updated_at": at}
    of_claim = {"fact_id": claim, "quote": "x", "confidence": 0.8, "verified": True}
    rows: list[tuple[Any, dict[str, Any]]] = [
        (models.Volume, {"id": volume, "name": "v", "version": 1}),
        (models.Document, {"id": document, "title": "t", "mime_type": "text/plain", "authority": "OFFICIAL",
                           "content_hash": "h", "revision": 1}),
        (models.Entity, {"id": entity, "name": "a", "match_key": "a", "type": "person", "type_stated": True, "sense": "",
                         "properties": {}, "confidence": 1, "importance": 1, "origin": "stated", "version": 1}),
        (models.DocumentEntity, {"document_id": document, "entity_id": entity}),
        (models.Fact, {"id": claim, "subject_id": entity, "content": "x", "claim_key": "x", "importance": 1, "version": 1,
                       "value_type": "NONE", "confidence": 0.8, "authority": "USER", "status": "CURRENT",
                       "known_from": at, "valid_from": at, "valid_from_precision": "DAY"}),
        (models.Evidence, {"id": extracted, "document_id": document, "revision": 1, "authority": "OFFICIAL", **of_claim}),
        (models.Evidence, {"id": cited, "document_id": document, "revision": 1, "authority": "USER", **of_claim}),
        (models.Evidence, {"id": by_hand, "authority": "USER", **of_claim}),
    ]  # fmt: skip
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(lambda c: command.upgrade(migrations._config(c), "0002"))
        for model, row in rows:
            columns = {c.name: c for c in model.__table__.c}
            given = {name: value for name, value in {**common, **row}.items() if name in columns}
            bare = table(model.__tablename__, *(column(name, columns[name].type) for name in given))
            await connection.execute(bare.insert().values(given))
    await migrations.migrate(database)
    read = Reader(database.reading, database.dialect)
    evidence = await read.where(EvidenceRecord)
    assert {row.id: row.origin for row in evidence} == {extracted: "extracted", cited: "stated", by_hand: "stated"}
    assert {(row.live, row.valid_from, row.valid_from_precision, row.valid_to) for row in evidence} == {
        (True, at, "DAY", None)
    }
    assert await read.entities_named_by(document) == {entity: True}


async def test_earlier_versions_and_ended_evidence_of_before_get_their_instants(database: Database) -> None:
    """A version is as old as its claim; what an old revision said counts no more since the next one came."""
    began, first, second, third = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4))
    volume, document, entity, claim, *evidence = sorted(new_id() for _ in range(7))
    own = {"volume_id": volume, "created_at": began, "updated_at": third}
    said = {"subject_id": entity, "content": "x", "claim_key": "x", "importance": 1, "value_type": "NONE", "confidence": 0.8,
            "authority": "USER", "status": "CURRENT"}  # fmt: skip
    of_claim = {**own, "fact_id": claim, "document_id": document, "quote": "x", "confidence": 0.8, "verified": True,
                "authority": "USER", "origin": "stated"}  # fmt: skip
    rows: list[tuple[Any, dict[str, Any]]] = [
        (models.Volume, {**own, "id": volume, "name": "v", "version": 1}),
        (models.Document, {**own, "id": document, "title": "t", "mime_type": "text/plain", "authority": "OFFICIAL",
                           "content_hash": "h", "revision": 2}),
        *((models.DocumentRevision, {"document_id": document, "number": number, "content": "x", "created_at": at})
          for number, at in ((1, first), (2, second))),
        (models.Entity, {**own, "id": entity, "name": "a", "match_key": "a", "type": "person", "type_stated": True, "sense": "",
                         "properties": {}, "confidence": 1, "importance": 1, "origin": "stated", "version": 1}),
        (models.Fact, {**own, **said, "id": claim, "version": 2, "known_from": third}),
        (models.FactVersion, {**said, "volume_id": volume, "id": claim, "version": 1, "known_from": first, "known_to": third}),
        (models.Evidence, {**of_claim, "id": evidence[0], "revision": 1, "live": False}),
        (models.Evidence, {**of_claim, "id": evidence[1], "revision": 2, "live": False}),
        (models.Evidence, {**of_claim, "id": evidence[2], "revision": 2, "live": True}),
    ]  # fmt: skip
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(lambda c: command.upgrade(migrations._config(c), "0010"))
        for model, row in rows:
            columns = {c.name: c for c in model.__table__.c}
            given = {name: value for name, value in row.items() if name in columns}
            bare = table(model.__tablename__, *(column(name, columns[name].type) for name in given))
            await connection.execute(bare.insert().values(given))
    await migrations.migrate(database)
    read = Reader(database.reading, database.dialect)
    past = [(claim, began, first, first)]
    assert await read.earlier_versions(models.FactVersion, [claim], ["created_at", "updated_at", "known_from"]) == past
    ended = {row.id: row.ended_at for row in await read.where(EvidenceRecord)}
    assert ended == {evidence[0]: second, evidence[1]: began, evidence[2]: None}


async def test_predicates_of_before_get_the_listed_half_lives_and_inverses_and_keep_their_cardinality(
    database: Database,
) -> None:
    volume = new_id()
    at = datetime(2026, 1, 1, tzinfo=UTC)
    before = {
        "WORKS_AT": ("MANY", "EMPLOYS", False),
        "COSTS": ("MANY", None, False),
        "PARENT_OF": ("MANY", None, False),
        "FRIEND_OF": ("MANY", None, False),
        "SINGS": ("MANY", None, False),
    }
    names = ("id", "volume_id", "name", "cardinality", "inverse", "symmetric")
    own = models.metadata.tables["predicate"].c
    bare = table("predicate", *(column(name, own[name].type) for name in names))
    of_volume = models.metadata.tables["volume"].c
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(lambda c: command.upgrade(migrations._config(c), "0005"))
        row = {"id": volume, "name": "v", "version": 1, "created_at": at, "updated_at": at}
        await connection.execute(table("volume", *(column(n, of_volume[n].type) for n in row)).insert().values(row))
        for name, values in before.items():
            given = (new_id(), volume, name, *values)
            await connection.execute(bare.insert().values(dict(zip(names, given, strict=True))))
    await migrations.migrate(database)
    rows = await Reader(database.reading, database.dialect).where(PredicateRecord)
    assert {row.name: row[3:] for row in rows} == {
        "WORKS_AT": ("MANY", "EMPLOYS", False, 730.0, "At which organization someone works."),
        "COSTS": ("MANY", None, False, 180.0, "The price of something."),
        "PARENT_OF": ("MANY", "CHILD_OF", False, None, "Whose parent someone is."),
        "FRIEND_OF": ("MANY", "FRIEND_OF", True, 1825.0, "Who is a friend of whom."),
        "SINGS": ("MANY", None, False, None, None),
    }


async def test_entities_of_before_can_be_found_by_likeness_and_by_legal_forms_of_today(database: Database) -> None:
    """One whose new key another has keeps its own."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    volume, acme, plain, known = sorted(new_id() for _ in range(4))
    common = {
        "volume_id": volume,
        "created_at": at,
        "updated_at": at,
        "properties": {},
        "confidence": 1,
        "importance": 1,
    }
    told = {**common, "type": "organization", "type_stated": True, "sense": "", "origin": "stated", "version": 1}
    rows: list[tuple[Any, dict[str, Any]]] = [
        (models.Volume, {"id": volume, "name": "v", "version": 1, "created_at": at, "updated_at": at}),
        (models.Entity, {**told, "id": acme, "name": "Acme Nyrt.", "match_key": "acmenyrt"}),
        (models.Entity, {**told, "id": plain, "name": "Globex", "match_key": "globex"}),
        (models.Entity, {**told, "id": known, "name": "Globex ehf.", "match_key": "globexehf"}),
        (models.Alias, {**common, "entity_id": acme, "name": "Anvil Works s.r.o.", "match_key": "anvilworkss.r.o"}),
    ]
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(lambda c: command.upgrade(migrations._config(c), "0005"))
        for model, row in rows:
            columns = {c.name: c for c in model.__table__.c}
            given = {name: value for name, value in row.items() if name in columns}
            bare = table(model.__tablename__, *(column(name, columns[name].type) for name in given))
            await connection.execute(bare.insert().values(given))
    await migrations.migrate(database)
    read = Reader(database.reading, database.dialect)
    found = await read.entities_named(volume, ["acme", "anvilworks", "globex", "globexehf"])
    assert {key: [entity.id for entity in entities] for key, entities in found.items()} == {
        "acme": [acme],
        "anvilworks": [acme],
        "globex": [plain],
        "globexehf": [known],
    }
    likes = await possible_likes(read, volume, [["Acme Group"], ["Anvil Werks"], ["Globxe"]])
    assert likes == [[acme], [acme], [plain, known]]


async def test_names_of_before_get_the_keys_of_the_forms_that_count_as_one_today(database: Database) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    volume, shop, weber, taken, known = sorted(new_id() for _ in range(5))
    common = {"volume_id": volume, "created_at": at, "updated_at": at, "properties": {}, "confidence": 1}
    told = {**common, "type_stated": True, "sense": "", "origin": "stated", "version": 1, "importance": 1}
    person = {**told, "type": "person"}
    rows: list[tuple[Any, dict[str, Any]]] = [
        (models.Volume, {"id": volume, "name": "v", "version": 1, "created_at": at, "updated_at": at}),
        (models.Entity, {**told, "id": shop, "type": "organization", "name": "M and S", "match_key": "mands"}),
        (models.Alias, {**common, "entity_id": shop, "name": "St. Michael", "match_key": "st. michael"}),
        (models.Entity, {**person, "id": weber, "name": "Dr. Karl Weber", "match_key": "dr. karlweber"}),
        (models.Entity, {**person, "id": taken, "name": "Curie, Marie", "match_key": "curie, marie"}),
        (models.Entity, {**person, "id": known, "name": "Marie Curie", "match_key": "mariecurie"}),
    ]
    async with database.writing(rebuilding=True) as connection:
        await connection.run_sync(lambda c: command.upgrade(migrations._config(c), "0018"))
        for model, row in rows:
            columns = {c.name: c for c in model.__table__.c}
            given = {name: value for name, value in row.items() if name in columns}
            bare = table(model.__tablename__, *(column(name, columns[name].type) for name in given))
            await connection.execute(bare.insert().values(given))
    await migrations.migrate(database)
    read = Reader(database.reading, database.dialect)
    keys = ["m & s", "saintmichael", "karlweber", "mariecurie", "curie, marie"]
    found = await read.entities_named(volume, keys)
    assert [[entity.id for entity in found[key]] for key in keys] == [[shop], [shop], [weber], [known], [taken]]
