"""SQL statements of nested queries: as many at width 100 as at width 1, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from worlds import FACTS, new_volume, new_world

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

ENTITIES = """{ volume { entities(first: 100) { totalCount nodes { name aliases
    facts(first: 100) { totalCount nodes { content } }
    relationships(direction: OUT, first: 100) { totalCount edges { cursor node { type
        target { name facts(first: 2) { totalCount nodes { content } } } } } } } } } }"""

NEIGHBORS = """{ volume { entities(first: 100) { nodes { neighbors(first: 100) {
    edges { direction relationship { text evidence { quote } } node { name
        neighbors(direction: OUT, first: 100) { totalCount pageInfo { endCursor } edges { node { name } } } } } } } } } }"""

DOCUMENTS = """{ volume { documents(first: 100) { nodes { content
    chunks { nodes { text } } ingestion { status rejected { reason } } relationships { nodes { type } }
    entities(first: 100) { nodes { name facts(first: 100) { totalCount nodes { content
        evidence { quote document { title } } } } } } } } } }"""

MEMORIES = """{ volume { memories(filter: {includeObsolete: true}, first: 100) { totalCount nodes { title
    supersededBy { title } supersedes { title }
    links { totalCount edges { similarity node { title links { nodes { title } } } } }
    entities { nodes { name memories { totalCount } } } documents { nodes { title projects { nodes { name } } } }
    codeArtifacts { nodes { title } } projects { nodes { name entities { nodes { aliases } } } } } } } }"""

VOLUMES = """{ volumes(first: 100) { totalCount nodes { name
    entities { nodes { name explanation } } facts { nodes { subject { type } } } relationships { nodes { source { type } } }
    memories { totalCount } documents { totalCount } codeArtifacts { totalCount } projects { totalCount }
    ingestions { nodes { document { title } } } predicates { totalCount nodes { name } }
    changes(first: 100) { totalCount nodes { kind node { id } } }
    statistics { entities facts relationships memories documents entitiesByType relationshipsByType } } } }"""


async def asked(api: Api, query: str, width: int) -> Any:
    """Return what a query answers over the volume "default" with `width` things of each kind."""
    volume = await api.store.volume("default")
    assert volume is not None
    await new_world(api.store, volume.id, width)
    return (await api.ask(query))["volume"]


def reached(data: Any, path: str) -> int:
    """Return how many values stand at the end of a path, through lists."""
    return sum(1 for _ in _values(data, *path.split(".")))


def _values(data: Any, *path: str) -> Iterator[Any]:
    if isinstance(data, list):
        for item in data:
            yield from _values(item, *path)
    elif path and data is not None:
        yield from _values(data[path[0]], *path[1:])
    elif data is not None:
        yield data


WIDTHS = pytest.mark.parametrize("width", [1, 10, 100])


@WIDTHS
async def test_entities_with_claims_and_their_targets_take_10(api: Api, width: int) -> None:
    data = await asked(api, ENTITIES, width)
    assert reached(data, "entities.nodes.relationships.edges.node.target.facts.nodes.content") == width * 2 * 2
    assert len(api.statements) == 10


@WIDTHS
async def test_neighbors_of_neighbors_take_9(api: Api, width: int) -> None:
    data = await asked(api, NEIGHBORS, width)
    second = reached(data, "entities.nodes.neighbors.edges.node.neighbors.edges.node.name")
    assert second == {1: 2 * 2, 10: 10 * 4 * 2, 100: 100 * 4 * 2}[width]
    assert len(api.statements) == 9


@WIDTHS
async def test_documents_down_to_the_documents_of_their_evidence_take_12(api: Api, width: int) -> None:
    data = await asked(api, DOCUMENTS, width)
    deepest = reached(data, "documents.nodes.entities.nodes.facts.nodes.evidence.document.title")
    assert deepest == {1: 1 * 3, 10: 10 * 2 * 3, 100: 100 * 2 * 3}[width]
    assert len(api.statements) == 12


@WIDTHS
async def test_memories_with_all_that_they_are_tied_to_take_19(api: Api, width: int) -> None:
    data = await asked(api, MEMORIES, width)
    assert reached(data, "memories.nodes.projects.nodes.entities.nodes.aliases") == min(width, 98)
    assert reached(data, "memories.nodes.links.edges.node.links.nodes.title") == {1: 2, 10: 14, 100: 132}[width]
    assert len(api.statements) == 19


@WIDTHS
async def test_volumes_with_all_their_lists_take_33(api: Api, width: int) -> None:
    for n in range(width - 1):
        await new_world(api.store, await new_volume(api.store, f"volume {n:03}"), 2)
    await asked(api, "{ volume { id } }", 2)
    data = (await api.ask(VOLUMES))["volumes"]
    assert data["totalCount"] == width
    assert reached(data, "nodes.changes.nodes.node.id") == width * (1 + 2 + 2 * FACTS)
    assert len(api.statements) == 33


async def test_the_texts_of_over_a_thousand_documents_are_read_at_once(api: Api) -> None:
    volume = await api.store.volume("default")
    assert volume is not None
    async with api.store.write(volume.id, "test") as tx:
        for p in range(11):
            project = tx.insert(models.Project, name=f"Project {p}")
            for d in range(100):
                text = f"Text {d} of project {p}"
                document = tx.insert(models.Document, title=text, mime_type="text/plain", content_hash=text)
                tx.insert(models.DocumentRevision, document_id=document, number=1, content=text)
                tx.insert(models.ProjectDocument, project_id=project, document_id=document)
    data = await api.ask("{ volume { projects { nodes { documents(first: 100) { nodes { title content } } } } } }")
    found = [d for p in data["volume"]["projects"]["nodes"] for d in p["documents"]["nodes"]]
    assert len(found) == 1100
    assert all(d["title"] == d["content"] for d in found)
    assert len(api.statements) == 4
