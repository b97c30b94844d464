"""Which columns a selection reads of a table: those that it needs, the id and what the list is sorted by; no other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from sqlalchemy import Column
from worlds import new_world

if TYPE_CHECKING:
    from api.conftest import Api

CLAIM = "confidence validFrom validFromPrecision validTo validToPrecision knownFrom version createdAt updatedAt"
STANDS = {
    "status": "status superseded_at",
    "effectiveTo": "valid_to superseded_at",
    "supersededBy { id }": "superseded_by",
}
RIVALS = ["supersedes { id }", "conflicts { id }"]
ENTITY = "merged_into type_stated described_by origin volume_id name type sense description properties confidence importance version"


class Listed(NamedTuple):
    """A type where it is read in lists: what it takes to read each of its fields.

    `own` are the fields that need the column of their own name; `known` and `lists` need no more than what is `always` read.
    """

    type: str
    table: str
    where: str
    own: str
    known: list[str]
    lists: str = ""
    others: Mapping[str, str] = MappingProxyType({})
    always: str = "id"

    def expected(self) -> dict[str, set[str]]:
        own = {name: re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name) for name in self.own.split()}
        lists = [f"{name} {{ totalCount }}" for name in self.lists.split()]
        further = {**own, **dict.fromkeys([*self.known, *lists], ""), **self.others}
        return {asked: {*self.always.split(), *columns.split()} for asked, columns in further.items()}


LISTED = [
    Listed(
        "Entity",
        "entity",
        "entities { nodes { * } }",
        "name type description sense properties confidence importance version createdAt updatedAt",
        ["id", "aliases", "stale"],
        "facts memories documents projects mergedFrom",
        {
            "explanation": f"{ENTITY} created_at updated_at",
            "relationships { totalCount }": "volume_id",
            "neighbors { totalCount }": "volume_id",
        },
        "id match_key",
    ),
    Listed(
        "Fact",
        "fact",
        "facts { nodes { * } }",
        f"{CLAIM} content category importance predicate value valueType",
        ["id", "knownTo", "evidence { quote }", *RIVALS],
        "",
        {**STANDS, "text": "content", "subject { name }": "subject_id"},
    ),
    Listed(
        "Relationship",
        "relationship",
        "relationships { nodes { * } }",
        f"{CLAIM} type description strength bidirectional properties",
        ["id", "knownTo", "evidence { quote }", *RIVALS],
        "",
        {**STANDS, "text": "source_id target_id type", "source { name }": "source_id", "target { name }": "target_id"},
    ),
    Listed(
        "Project",
        "project",
        "projects { nodes { * } }",
        "name description status version createdAt updatedAt",
        ["id"],
        "memories entities documents",
    ),
    Listed(
        "CodeArtifact",
        "code_artifact",
        "codeArtifacts { nodes { * } }",
        "title language code description tags version createdAt updatedAt",
        ["id"],
    ),
    Listed(
        "Document",
        "document",
        "documents { nodes { * } }",
        "title mimeType uri authority contentHash revision createdAt",
        ["id", "otherUris", "ingestion { id }"],
        "entities facts relationships memories projects chunks",
        {"content": "revision"},
    ),
    Listed(
        "Chunk",
        "chunk",
        "documents { nodes { chunks { nodes { * } } } }",
        "text start end",
        ["id"],
        "",
        {"document { id }": "document_id"},
        "id ordinal",
    ),
    Listed(
        "Ingestion",
        "ingestion",
        "ingestions { nodes { * } }",
        "status error chunksTotal chunksDone entitiesFound factsFound relationshipsFound extractor inputTokens "
        "outputTokens budget batch startedAt finishedAt",
        ["id", "failedStep { error }", "rejected { reason }", "notes { reason }"],
        "",
        {"document { id }": "document_id"},
    ),
    Listed(
        "RejectedItem",
        "rejection",
        "ingestions { nodes { rejected { * } } }",
        "kind item reason",
        [],
        always="ingestion_id kept",
    ),
    Listed(
        "IngestionNote",
        "rejection",
        "ingestions { nodes { notes { * } } }",
        "kind item reason",
        [],
        always="ingestion_id kept",
    ),
    Listed(
        "Evidence",
        "evidence",
        "facts { nodes { evidence { * } } }",
        "quote start end authority confidence verified revision",
        [],
        others={"current": "ended_at", "document { id }": "document_id"},
        always="fact_id id",
    ),
    Listed(
        "Memory",
        "memory",
        "memories { nodes { * } }",
        "title content context keywords tags importance obsolete obsoleteReason provenance version createdAt updatedAt",
        ["id", "supersedes { id }"],
        "links entities documents codeArtifacts projects",
        {"supersededBy { id }": "superseded_by_id"},
    ),
    Listed(
        "MemoryLinkEdge",
        "memory_link",
        "memories { nodes { links { edges { * } } } }",
        "type similarity automatic",
        ["node { title }", "cursor"],
        always="id left_id right_id",
    ),
    Listed(
        "Predicate",
        "predicate",
        "predicates { nodes { * } }",
        "cardinality inverse symmetric halfLifeDays description",
        ["name"],
        always="id name",
    ),
    Listed(
        "Change",
        "change",
        "changes { nodes { * } }",
        "kind before after actor at",
        ["id", "cursor"],
        others={"node { id }": "batch node_kind node_id"},
        always="seq size",
    ),
]


@pytest.fixture
def statements(api: Api, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every statement that is read by."""
    found: list[Any] = []

    def noting(read: Any) -> Any:
        async def noted(statement: Any, *values: Any) -> Any:
            found.append(statement)
            return await read(statement, *values)

        return noted

    reader = api.store.read
    for name in ("_columns", "rows"):
        monkeypatch.setattr(reader, name, noting(getattr(reader, name)))
    return found


async def columns_read(api: Api, statements: list[Any], query: str, table: str) -> list[set[str]]:
    """Return the columns of a table that each statement of a query reads, of the statements that read any."""
    statements.clear()
    await api.ask(f"{{ volume {{ {query} }} }}")
    read = [[base for column in one.selected_columns for base in column.base_columns] for one in statements]
    found = [{base.name for base in bases if isinstance(base, Column) and base.table.name == table} for bases in read]
    return [columns for columns in found if columns]


async def world(api: Api) -> None:
    volume = await api.store.volume("default")
    assert volume is not None
    await new_world(api.store, volume.id, 2)


@pytest.mark.parametrize("listed", LISTED, ids=lambda listed: listed.type)
async def test_each_field_reads_the_columns_that_it_needs(api: Api, statements: list[Any], listed: Listed) -> None:
    await world(api)
    known = await api.ask(f'{{ __type(name: "{listed.type}") {{ fields {{ name }} }} }}')
    expected = listed.expected()
    assert {field["name"] for field in known["__type"]["fields"]} == {asked.split()[0] for asked in expected}
    for asked, columns in expected.items():
        read = await columns_read(api, statements, listed.where.replace("*", asked), listed.table)
        assert (asked, read[0]) == (asked, columns)


EDGE = {"id", "source_id", "target_id", "bidirectional", "mutual"}
REACHED = [
    ("documents { nodes { ingestion { status } } }", "ingestion", [{"id", "document_id", "status"}]),
    (
        "memories { nodes { supersedes { title } } }",
        "memory",
        [{"id"}, {"superseded_by_id", "id", "title"}],
    ),
    (
        "changes { nodes { node { ... on Entity { name } ... on Fact { id } } } }",
        "entity",
        [{"id", "name", "merged_into"}],
    ),
    ("entities { totalCount }", "entity", [{"id", "match_key"}]),
    ("projects { edges { cursor } nodes { name } }", "project", [{"id", "name"}]),
    (
        "entities { nodes { neighbors { nodes { name } } } }",
        "entity",
        [{"id", "match_key", "volume_id"}, {"id", "name"}],
    ),
    ("entities { nodes { neighbors { edges { direction } } } }", "relationship", [EDGE]),
    ("entities { nodes { neighbors { edges { relationship { type } } } } }", "relationship", [EDGE | {"type"}]),
    ("documents { nodes { chunks { nodes { document { title } } } } }", "document", [{"id"}, {"id", "title"}]),
    ("ingestions { nodes { document { title uri } } }", "document", [{"id", "title", "uri"}]),
    ("facts { nodes { evidence { document { title } } } }", "document", [{"id", "title"}]),
    (
        "memories(filter: {includeObsolete: true}) { nodes { supersededBy { title } } }",
        "memory",
        [{"id", "superseded_by_id"}, {"id", "title"}],
    ),
    ("memories { nodes { links { nodes { title } } } }", "memory", [{"id"}, {"id", "title"}]),
    ("memories { nodes { links { nodes { tags } edges { node { id } } } } }", "memory", [{"id"}, {"id", "tags"}]),
    ("memories { nodes { links { nodes { id } } } }", "memory_link", [{"id", "left_id", "right_id"}]),
]


@pytest.mark.parametrize(("asked", "table", "expected"), REACHED)
async def test_what_is_reached_reads_the_columns_that_are_asked_of_it(
    api: Api, statements: list[Any], asked: str, table: str, expected: list[set[str]]
) -> None:
    await world(api)
    assert await columns_read(api, statements, asked, table) == expected
