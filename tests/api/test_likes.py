"""Likeness where entities are made: a person is asked about each pair that looks like one, once; nothing is merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scripted import edge, ingest, names, thing

from server.store.records import EntityRecord, ReviewRecord

if TYPE_CHECKING:
    from api.conftest import Api

Asked = list[tuple[set[str], float | None, list[str]]]


async def asked(api: Api) -> Asked:
    """Return the questions about duplicates: (names, score, reasons), oldest first."""
    entities = {entity.id: entity.name for entity in await api.store.read.where(EntityRecord)}
    rows = [row for row in await api.store.read.where(ReviewRecord) if row.kind == "DUPLICATE"]
    return [
        ({entities[id] for id in (row.left_id, row.right_id) if id is not None}, row.score, row.reasons) for row in rows
    ]


async def make(api: Api, name: str, type: str = "person", **more: object) -> None:
    await api.do("createEntity", "entity { id } created", name=name, type=type, **more)


async def test_a_new_entity_that_looks_like_a_known_one_is_asked_about_once(api: Api) -> None:
    for name in ("John Doe", "Mary Roe", "John T. Doe", "John T. Doe", "john t. doe"):
        await make(api, name)
    assert await asked(api) == [({"John Doe", "John T. Doe"}, 0.92, ["a middle name more"])]
    assert [name for name, _, _ in await names(api)] == ["John Doe", "John T. Doe", "Mary Roe"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("mlp-332", "mlp-333"), ("Rev A", "Rev B"), ("C++", "C#"), ("iPhone 14", "iPhone 15"), ("Austria", "Australia"),
     ("New York", "New York Times"), ("東京大学", "京都大学")],
)  # fmt: skip
async def test_what_is_vetoed_or_only_shares_a_part_is_not_asked_about(api: Api, one: str, other: str) -> None:
    await make(api, one, "thing")
    await make(api, other, "thing")
    assert await asked(api) == []


async def test_types_that_exclude_each_other_are_not_asked_about(api: Api) -> None:
    await make(api, "Zürich", "place")
    await make(api, "Zurich", "person")
    assert await asked(api) == []


async def test_an_alias_counts_as_a_name(api: Api) -> None:
    await make(api, "Kubernetes", "technology", aliases=["Borg Successor"])
    await make(api, "Borg Sucessor", "technology")
    assert await asked(api) == [({"Kubernetes", "Borg Sucessor"}, 0.975, ["spelled alike"])]


async def test_a_documents_new_entities_are_compared_with_known_ones_and_with_each_other(api: Api) -> None:
    await make(api, "Geoffrey Hinton")
    text = "Geofrey Hinton met J. Doe. John Doe was late."
    people = (thing("Geofrey Hinton", "person"), thing("J. Doe", "person"), thing("John Doe", "person"))
    await ingest(api, text, *people)
    assert sorted(await asked(api), key=lambda one: one[1] or 0) == [
        ({"J. Doe", "John Doe"}, 0.9, ["an initial"]),
        ({"Geoffrey Hinton", "Geofrey Hinton"}, 0.975, ["spelled alike"]),
    ]


async def test_neighbours_that_two_share_raise_the_score(api: Api) -> None:
    await ingest(
        api,
        "Ana Gil works at Vigo Labs.",
        thing("Ana Gil", "person"),
        thing("Vigo Labs", "organization"),
        edge("Ana Gil", "WORKS_AT", "Vigo Labs", "Ana Gil works at Vigo Labs."),
    )
    await ingest(
        api,
        "A. Gil works at Vigo Labs.",
        thing("A. Gil", "person"),
        thing("Vigo Labs", "organization"),
        edge("A. Gil", "WORKS_AT", "Vigo Labs", "A. Gil works at Vigo Labs."),
    )
    assert await asked(api) == [({"Ana Gil", "A. Gil"}, 0.925, ["an initial", "1 shared neighbour"])]


async def test_a_document_that_comes_again_asks_nothing_again(api: Api) -> None:
    await make(api, "John Doe")
    for number in range(2):
        await ingest(api, f"{number}: J. Doe left.", thing("J. Doe", "person"))
    assert len(await asked(api)) == 1


async def test_a_name_that_its_document_gives_up_is_asked_about_no_more(api: Api) -> None:
    """The entity that goes with the old text is not compared with the one that comes with the new."""
    first = await ingest(api, "J. Doe left.", thing("J. Doe", "person"), uri="file:a")
    await ingest(api, "John Doe left.", thing("John Doe", "person"), uri="file:a")
    assert first["ingestion"]["status"] == "DONE"
    assert [name for name, _, _ in await names(api)] == ["John Doe"]
    assert await asked(api) == []


async def test_the_payload_shows_the_reviews_that_a_new_entity_opened(api: Api) -> None:
    """Asked again with the same key it shows the same; a known entity opens none."""
    shown = "entity { name } created candidates { id left { name } right { name } score reasons decision }"
    await make(api, "John Doe")
    first = await api.do("createEntity", shown, name="John T. Doe", type="person", idempotencyKey="k")
    (candidate,) = first["candidates"]
    assert {**candidate, "id": ""} == {
        "id": "",
        "left": {"name": "John Doe"},
        "right": {"name": "John T. Doe"},
        "score": 0.92,
        "reasons": ["a middle name more"],
        "decision": None,
    }
    assert await api.do("createEntity", shown, name="John T. Doe", type="person", idempotencyKey="k") == first
    again = await api.do("createEntity", shown, name="John T. Doe", type="person")
    assert again == {"entity": {"name": "John T. Doe"}, "created": False, "candidates": []}
    queue = "{ volume { reviewQueue { nodes { id } totalCount } } }"
    assert (await api.ask(queue))["volume"]["reviewQueue"] == {"nodes": [{"id": candidate["id"]}], "totalCount": 1}
