"""Pages of every list: each node once and in order, while others write; cursors that hold only where they come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import SQLModel
from worlds import new_volume

from server import models
from server.ids import NodeKind, encode_id, new_id
from server.store import Transaction
from server.terms import ChangeKind

if TYPE_CHECKING:
    from api.conftest import Api

N = 9
PAGE = "nodes { %s } edges { cursor node { %s } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount"


@dataclass
class Hub:
    """A volume in which one node of each kind is tied to N of each other kind; what its lists hold, in their order."""

    volume: str
    root: dict[str, str] = field(default_factory=dict)
    lists: dict[tuple[str, str], list[str]] = field(default_factory=dict)


def _documents(tx: Transaction, number: int) -> list[UUID]:
    made = []
    for n in range(number):
        made.append(tx.insert(models.Document, title=f"D{n}", mime_type="text/plain", content_hash=new_id().hex))
        tx.insert(models.DocumentRevision, document_id=made[-1], number=1, content="word " * N)
    return made


def _claims(tx: Transaction, entity: UUID, others: list[UUID], document: UUID) -> tuple[list[UUID], list[UUID]]:
    facts, edges = [], []
    for n, other in enumerate(others):
        facts.append(tx.insert(models.Fact, subject_id=entity, content=f"F{n}", claim_key=f"F{n}"))
        ends = (entity, other) if n % 2 else (other, entity)
        edges.append(tx.insert(models.Relationship, source_id=ends[0], target_id=ends[1], type="TIED"))
        for _ in range(2):  # two pieces of evidence in one document must not show a claim twice
            tx.insert(models.Evidence, fact_id=facts[-1], document_id=document, revision=1, quote="word")
            tx.insert(models.Evidence, relationship_id=edges[-1], document_id=document, revision=1, quote="word")
    return facts, edges


def _links(tx: Transaction, model: type[SQLModel], pairs: Sequence[tuple[UUID, UUID]], left: str, right: str) -> None:
    for one, other in pairs:
        tx.insert(model, **{left: one, right: other})


async def new_hub(api: Api) -> Hub:
    """Make the hub. The names of entities, predicates and projects run against the order of their creation."""
    volume = await new_volume(api.store, "hub")
    async with api.store.write(volume, "test") as tx:
        entities = [tx.insert(models.Entity, name=f"E{n}", match_key=f"e{n}", type="concept") for n in range(N, -1, -1)]
        documents = _documents(tx, N + 1)
        memories = [tx.insert(models.Memory, title=f"M{n}", content="M") for n in range(N + 1)]
        projects = [tx.insert(models.Project, name=f"P{n}") for n in range(N, -1, -1)]
        artifacts = [tx.insert(models.CodeArtifact, title=f"C{n}", language="py", code="pass") for n in range(N)]
        entity, document, memory = entities[0], documents[0], memories[0]
        facts, edges = _claims(tx, entity, entities[1:], document)
        chunks = [
            tx.insert(models.Chunk, document_id=document, revision=1, ordinal=n, text="word ", start=n, end=n + 5)
            for n in range(N)
        ]
        runs = [
            tx.insert(models.Ingestion, document_id=document, revision=1, extractor="scripted", status="DONE")
            for _ in range(N)
        ]
        for n in range(N, 0, -1):
            tx.insert(models.Predicate, name=f"P{n}")
        for other in memories[1:]:
            tx.insert(models.MemoryLink, left_id=memory, right_id=other, type="RELATED")
        ways: list[tuple[type[SQLModel], str, str, list[UUID], list[UUID]]] = [
            (models.MemoryEntity, "memory_id", "entity_id", memories, entities),
            (models.MemoryDocument, "memory_id", "document_id", memories, documents),
            (models.MemoryProject, "memory_id", "project_id", memories, projects),
            (models.ProjectEntity, "project_id", "entity_id", projects, entities),
            (models.ProjectDocument, "project_id", "document_id", projects, documents),
            (models.DocumentEntity, "document_id", "entity_id", documents, entities),
        ]
        for model, left, right, ones, others in ways:
            _links(tx, model, [(ones[0], other) for other in others[1:]], left, right)
            _links(tx, model, [(one, others[0]) for one in ones[1:]], left, right)
        _links(tx, models.MemoryCodeArtifact, [(memory, a) for a in artifacts], "memory_id", "code_artifact_id")
        for fact in facts:
            tx.log(ChangeKind.CREATED, NodeKind.FACT, fact)
        tx.log_batch(ChangeKind.CREATED, [(NodeKind.ENTITY, id) for id in entities])
    kinds = {
        "entities": (NodeKind.ENTITY, entities),
        "neighbors": (NodeKind.ENTITY, entities),
        "documents": (NodeKind.DOCUMENT, documents),
        "memories": (NodeKind.MEMORY, memories),
        "links": (NodeKind.MEMORY, memories),
        "projects": (NodeKind.PROJECT, projects),
        "facts": (NodeKind.FACT, facts),
        "relationships": (NodeKind.RELATIONSHIP, edges),
        "codeArtifacts": (NodeKind.CODE_ARTIFACT, artifacts),
        "chunks": (NodeKind.CHUNK, chunks),
        "ingestions": (NodeKind.INGESTION, runs),
    }
    whole = {name: [encode_id(kind, id) for id in ids] for name, (kind, ids) in kinds.items()}
    tied = {name: ids[1:] if len(ids) > N else ids for name, ids in whole.items()}
    hub = Hub("hub")
    hub.root = {
        "Volume": encode_id(NodeKind.VOLUME, volume),
        "Entity": whole["entities"][0],
        "Memory": whole["memories"][0],
        "Document": whole["documents"][0],
        "Project": whole["projects"][0],
    }
    of_volume = whole.keys() - {"neighbors", "links", "chunks"}
    hub.lists = {("Volume", name): whole[name] for name in of_volume}
    hub.lists["Volume", "entities"] = whole["entities"][::-1]
    others = {
        "Entity": {"facts", "relationships", "neighbors", "memories", "documents", "projects"},
        "Memory": {"links", "entities", "documents", "codeArtifacts", "projects"},
        "Document": {"entities", "facts", "relationships", "memories", "projects", "chunks"},
        "Project": {"memories", "entities", "documents"},
    }
    hub.lists |= {(type, name): tied[name] for type, names in others.items() for name in names}
    return hub


def page_of(type: str, name: str, node: str = "id") -> str:
    """Return the query for a page of a list of the node $id."""
    page = PAGE % (node, node)
    arguments = "first: $first, after: $after"
    return f"query($id: ID!, $first: Int!, $after: String) {{ node(id: $id) {{ ... on {type} {{ list: {name}({arguments}) {{ {page} }} }} }} }}"


async def walk(api: Api, query: str, size: int, **variables: Any) -> list[Any]:
    """Return the nodes of all pages; check what each page says about itself."""
    seen: list[Any] = []
    after: str | None = None
    while True:
        data: Any = await api.ask(query, first=size, after=after, **variables)
        while "list" not in data:
            (data,) = data.values()
        page = data["list"]
        info, cursors = page["pageInfo"], [edge["cursor"] for edge in page["edges"]]
        assert page["nodes"] == [edge["node"] for edge in page["edges"]]
        assert len(set(cursors)) == len(cursors)
        assert info["startCursor"] == (cursors[0] if cursors else None)
        assert info["endCursor"] == (cursors[-1] if cursors else None)
        assert info["hasPreviousPage"] == (after is not None)
        seen += page["nodes"]
        assert info["hasNextPage"] == (len(seen) < page["totalCount"])
        if not info["hasNextPage"]:
            return seen
        assert len(cursors) == size
        after = info["endCursor"]


async def test_pages_of_any_size_hold_each_node_of_a_list_once_and_in_order(api: Api) -> None:
    hub = await new_hub(api)
    assert len(hub.lists) == 8 + 6 + 5 + 6 + 3
    for (type, name), expected in hub.lists.items():
        for size in range(1, 8):
            found = await walk(api, page_of(type, name), size, id=hub.root[type])
            assert [node["id"] for node in found] == expected, (type, name, size)


async def test_pages_of_predicates_volumes_and_changes_hold_each_once_and_in_order(api: Api) -> None:
    hub = await new_hub(api)
    volumes = f"list: volumes(first: $first, after: $after) {{ {PAGE % ('name', 'name')} }}"
    for size in range(1, 8):
        names = await walk(api, page_of("Volume", "predicates", "name"), size, id=hub.root["Volume"])
        assert [node["name"] for node in names] == [f"P{n}" for n in range(1, N + 1)]
        log = await walk(api, page_of("Volume", "changes", "id node { id }"), size, id=hub.root["Volume"])
        nodes = [entry["node"]["id"] for entry in log]
        assert nodes == [*hub.lists["Volume", "entities"], *hub.lists["Volume", "facts"][::-1], hub.root["Volume"]]
        assert len({entry["id"] for entry in log}) == 2 * N + 2
        for selection in (volumes, f"viewer {{ {volumes} }}"):
            found = await walk(api, f"query($first: Int!, $after: String) {{ {selection} }}", size)
            assert found == [{"name": "default"}, {"name": "hub"}]


async def test_an_empty_list_is_an_empty_page(api: Api) -> None:
    volume = await new_volume(api.store, "empty")
    hub = await new_hub(api)
    names = [name for type, name in hub.lists if type == "Volume"]
    for name in [*names, "predicates"]:
        node = "name" if name == "predicates" else "id"
        assert await walk(api, page_of("Volume", name, node), 5, id=encode_id(NodeKind.VOLUME, volume)) == []


@pytest.mark.parametrize("first", [0, -1, 101, 2_147_483_647])
async def test_a_page_has_one_to_a_hundred_nodes(api: Api, first: int) -> None:
    hub = await new_hub(api)
    lists = [("Volume", "predicates"), ("Volume", "changes"), *hub.lists]
    for type, name in lists:
        query = page_of(type, name, "__typename")
        body = await api.send(query, id=hub.root[type], first=first)
        (error,) = body["errors"]
        assert error["message"] == f"first must be from 1 to 100, not {first}."
        assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "first"}
    body = await api.send("query($first: Int!) { volumes(first: $first) { totalCount } }", first=first)
    assert body["errors"][0]["extensions"] == {"code": "BAD_USER_INPUT", "argument": "first"}


async def test_a_list_is_counted_only_where_the_total_is_asked_for(api: Api) -> None:
    hub = await new_hub(api)
    for type, name in [*hub.lists, ("Volume", "predicates"), ("Volume", "changes")]:
        query = page_of(type, name, "__typename")
        await api.ask(query, id=hub.root[type], first=2)
        counted = len(api.statements)
        await api.ask(query.replace("totalCount", ""), id=hub.root[type], first=2)
        assert len(api.statements) == counted - 1, (type, name)
        assert not [s for s in api.statements if "count(" in s.lower() or "sum(" in s.lower()], (type, name)


CURSORS = 'query($a: String) { volume(name: "hub") { %s { edges { cursor } totalCount } } }'
LISTS = {
    "facts": "facts(after: $a)",
    "facts of another predicate": 'facts(after: $a, filter: {predicates: ["COSTS"]})',
    "facts of all statuses": "facts(after: $a, filter: {statuses: [CURRENT]})",
    "facts by importance": "facts(after: $a, orderBy: {field: IMPORTANCE})",
    "facts, newest first": "facts(after: $a, orderBy: {direction: DESC})",
    "entities": "entities(after: $a)",
    "entities, last name first": "entities(after: $a, orderBy: {direction: DESC})",
    "entities by importance": "entities(after: $a, orderBy: {field: IMPORTANCE})",
    "entities of a type": 'entities(after: $a, filter: {types: ["concept"]})',
    "relationships": "relationships(after: $a)",
    "memories": "memories(after: $a)",
    "memories with obsolete ones": "memories(after: $a, filter: {includeObsolete: true})",
    "documents": "documents(after: $a)",
    "projects": "projects(after: $a)",
    "codeArtifacts": "codeArtifacts(after: $a)",
    "ingestions": "ingestions(after: $a)",
    "predicates": "predicates(after: $a)",
    "changes": "changes(after: $a)",
    "changes of a kind": "changes(after: $a, filter: {kinds: [CREATED]})",
}


async def refused_cursor(api: Api, query: str, cursor: str) -> bool:
    (error,) = (await api.send(query, a=cursor))["errors"]
    return error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "after"}


async def test_a_cursor_holds_only_in_its_own_list_order_and_filter(api: Api) -> None:
    await new_hub(api)
    for own, list in LISTS.items():
        data = await api.ask(CURSORS % list)
        edges = next(iter(data["volume"].values()))["edges"]
        if "another predicate" in own:
            assert edges == []
            continue
        cursor = edges[0]["cursor"]
        for name, other in LISTS.items():
            if name == own:
                rest = await api.ask(CURSORS % other, a=cursor)
                assert next(iter(rest["volume"].values()))["edges"] == edges[1:]
            else:
                assert await refused_cursor(api, CURSORS % other, cursor), (own, name)


async def test_a_cursor_that_was_changed_or_made_up_is_refused(api: Api) -> None:
    await new_hub(api)
    query = CURSORS % LISTS["entities"]
    cursor = (await api.ask(query))["volume"]["entities"]["edges"][3]["cursor"]
    changed = {cursor[:n] + ("A" if cursor[n] != "A" else "B") + cursor[n + 1 :] for n in range(len(cursor))}
    made_up = [
        "",
        "A",
        "x",
        cursor + "A",
        cursor + "=",
        cursor[:-1],
        cursor[1:],
        cursor + "\n",
        "é",
        "A" * 10_000,
        "MQ",
    ]
    for wrong in [*sorted(changed), *made_up]:
        assert await refused_cursor(api, query, wrong), wrong


async def test_a_cursor_of_one_direction_of_an_entity_does_not_lead_on_in_the_other(api: Api) -> None:
    hub = await new_hub(api)
    for name in ("relationships", "neighbors"):
        for own, other in (("OUT", "IN"), ("IN", "BOTH"), ("BOTH", "OUT")):
            query = f"query($id: ID!, $a: String, $d: Direction!) {{ node(id: $id) {{ ... on Entity {{ {name}(after: $a, direction: $d)"
            query += " { edges { cursor } } } } }"
            found = await api.ask(query, d=own, id=hub.root["Entity"])
            cursor = found["node"][name]["edges"][0]["cursor"]
            (error,) = (await api.send(query, d=other, id=hub.root["Entity"], a=cursor))["errors"]
            assert error["extensions"] == {"code": "BAD_USER_INPUT", "argument": "after"}


@pytest.mark.parametrize("letter", ["a", "東", "🜁", "ﷺ", "\u0958"])
async def test_the_longest_names_have_cursors_too(api: Api, letter: str) -> None:
    name = letter * 500
    await api.do("createEntity", "entity { id }", name=name, type="concept")
    await api.do("createEntity", "entity { id }", name=f"{name[:-1]}1", type="concept")
    id = encode_id(NodeKind.VOLUME, (await api.store.volume("default")).id)  # type: ignore[union-attr]
    found = await walk(api, page_of("Volume", "entities", "name"), 1, id=id)
    assert len({node["name"] for node in found}) == 2


# While others write: each page is compared with what the rows say at its moment.


@dataclass(frozen=True)
class Listing:
    """A list of rows of one table, and what a page of it must be."""

    field: str
    model: type[SQLModel]
    kind: NodeKind
    values: st.SearchStrategy[dict[str, Any]]
    key: Callable[[dict[str, Any]], tuple[Any, ...]]
    descending: bool = False
    shows: Callable[[dict[str, Any]], bool] = lambda row: True

    def rows(self, rows: dict[UUID, dict[str, Any]], behind: tuple[Any, ...] | None) -> list[dict[str, Any]]:
        shown = sorted((r for r in rows.values() if self.shows(r)), key=self.key, reverse=self.descending)
        if behind is None:
            return shown
        return [r for r in shown if (self.key(r) < behind if self.descending else self.key(r) > behind)]


PARTS = st.sampled_from([0.0, 0.5, 1.0])
ENTITIES = st.fixed_dictionaries({"match_key": st.sampled_from(["", "a", "A", "b", "é", "東"]), "importance": PARTS})
FACTS = st.fixed_dictionaries({"confidence": PARTS, "status": st.sampled_from(["CURRENT", "DISPUTED", "RETRACTED"])})
MEMORIES = st.fixed_dictionaries({"importance": st.integers(1, 3), "obsolete": st.booleans()})


def believed(row: dict[str, Any]) -> bool:
    return row["status"] in ("CURRENT", "DISPUTED")


LISTINGS = {
    "entities by name": Listing(
        "entities", models.Entity, NodeKind.ENTITY, ENTITIES, lambda r: (r["match_key"], r["id"])
    ),
    "entities by name, last first": Listing(
        "entities(orderBy: {direction: DESC})",
        models.Entity,
        NodeKind.ENTITY,
        ENTITIES,
        lambda r: (r["match_key"], r["id"]),
        descending=True,
    ),
    "the most important entities": Listing(
        "entities(orderBy: {field: IMPORTANCE, direction: DESC})",
        models.Entity,
        NodeKind.ENTITY,
        ENTITIES,
        lambda r: (r["importance"], r["id"]),
        descending=True,
    ),
    "facts": Listing("facts", models.Fact, NodeKind.FACT, FACTS, lambda r: (r["id"],), shows=believed),
    "the surest facts": Listing(
        "facts(orderBy: {field: CONFIDENCE, direction: DESC})",
        models.Fact,
        NodeKind.FACT,
        FACTS,
        lambda r: (r["confidence"], r["id"]),
        descending=True,
        shows=believed,
    ),
    "the most important memories": Listing(
        "memories(orderBy: {field: IMPORTANCE, direction: DESC})",
        models.Memory,
        NodeKind.MEMORY,
        MEMORIES,
        lambda r: (r["importance"], r["id"]),
        descending=True,
        shows=lambda r: not r["obsolete"],
    ),
    "all memories": Listing(
        "memories(filter: {includeObsolete: true})", models.Memory, NodeKind.MEMORY, MEMORIES, lambda r: (r["id"],)
    ),
}
EXAMPLES = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def writes(values: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[tuple[int, dict[str, Any] | None]]]:
    """Return lists of writes: (n, values) inserts where n is -1 and updates the n-th row otherwise; (n, None) deletes it."""
    insert = st.tuples(st.just(-1), values)
    return st.lists(insert | insert | st.tuples(st.integers(0, 9), st.none() | values), max_size=3)


class Table:
    """The rows of one list, in the database and beside it."""

    def __init__(self, listing: Listing, volume: UUID) -> None:
        self.listing, self.volume = listing, volume
        self.rows: dict[UUID, dict[str, Any]] = {}
        self.subject = new_id()

    async def open(self, api: Api) -> None:
        if self.listing.model is models.Fact:
            async with api.store.write(self.volume, "test") as tx:
                tx.insert(models.Entity, id=self.subject, name="Subject", match_key="subject", type="concept")

    async def write(self, api: Api, batch: Sequence[tuple[int, dict[str, Any] | None]]) -> None:
        async with api.store.write(self.volume, "test") as tx:
            for n, values in batch:
                if n < 0 and values is not None:
                    id = tx.insert(self.listing.model, **values, **self._needed())
                    self.rows[id] = {**values, "id": id}
                elif n < len(self.rows):
                    id = list(self.rows)[n]
                    if values is None:
                        tx.delete_ids(self.listing.model, [id])
                        del self.rows[id]
                    else:
                        tx.update(self.listing.model, id, **values)
                        self.rows[id] |= values

    def _needed(self) -> dict[str, Any]:
        if self.listing.model is models.Entity:
            return {"name": "Name", "type": new_id().hex}
        if self.listing.model is models.Fact:
            return {"subject_id": self.subject, "content": "It is.", "claim_key": new_id().hex}
        return {"title": "Title", "content": "It is."}


@pytest.mark.parametrize("name", LISTINGS)
@EXAMPLES
@given(data=st.data(), size=st.integers(1, 4))
async def test_each_page_goes_on_behind_the_last_one_whatever_was_written_since(
    api: Api, name: str, data: st.DataObject, size: int
) -> None:
    listing = LISTINGS[name]
    table = Table(listing, await new_volume(api.store, f"volume {new_id()}"))
    await table.open(api)
    await table.write(api, [(-1, values) for values in data.draw(st.lists(listing.values, max_size=8))])
    left = data.draw(st.lists(writes(listing.values), max_size=4))
    field = listing.field.rstrip(")") + (", " if ")" in listing.field else "(") + "first: $first, after: $after)"
    query = page_of("Volume", "LIST").replace("LIST(first: $first, after: $after)", field)
    behind: tuple[Any, ...] | None = None
    after: str | None = None
    seen: list[str] = []
    while True:
        answer = await api.ask(query, id=encode_id(NodeKind.VOLUME, table.volume), first=size, after=after)
        page, expected = answer["node"]["list"], listing.rows(table.rows, behind)
        ids = [node["id"] for node in page["nodes"]]
        assert ids == [encode_id(listing.kind, row["id"]) for row in expected[:size]]
        assert page["pageInfo"]["hasNextPage"] == (len(expected) > size)
        assert page["totalCount"] == len(listing.rows(table.rows, None))
        seen += ids
        if not page["pageInfo"]["hasNextPage"]:
            break
        behind, after = listing.key(expected[size - 1]), page["pageInfo"]["endCursor"]
        if left:
            await table.write(api, left.pop(0))


@EXAMPLES
@given(batches=st.lists(st.integers(1, 4), min_size=1, max_size=6), size=st.integers(1, 5), after=st.integers(1, 3))
async def test_the_log_is_read_back_in_time_and_what_is_written_meanwhile_is_not_in_it(
    api: Api, batches: list[int], size: int, after: int
) -> None:
    volume = await new_volume(api.store, f"volume {new_id()}")
    written = [volume]

    async def write(number: int) -> None:
        nodes = [new_id() for _ in range(number)]
        async with api.store.write(volume, "test") as tx:
            if number == 1:
                tx.log(ChangeKind.UPDATED, NodeKind.ENTITY, nodes[0])
            else:
                tx.log_batch(ChangeKind.CREATED, [(NodeKind.ENTITY, id) for id in nodes])
        written.extend(nodes)

    for number in batches:
        await write(number)
    length, cursor, seen, page = len(written), None, [], 0
    query = page_of("Volume", "changes", "id")
    while True:
        answer = await api.ask(query, id=encode_id(NodeKind.VOLUME, volume), first=size, after=cursor)
        found = answer["node"]["list"]
        assert found["totalCount"] == len(written)
        seen += [node["id"] for node in found["nodes"]]
        if not found["pageInfo"]["hasNextPage"]:
            break
        cursor = found["pageInfo"]["endCursor"]
        page += 1
        if page % after == 0:
            await write(page % 3 + 1)
    assert len(set(seen)) == len(seen) == length
    assert seen == sorted(seen, reverse=True)
