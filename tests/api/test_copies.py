"""Copies: one document for one content, whoever gives it, until one of its sources says something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripted import Item, fact, ingest, thing

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

ADA = thing("Ada", "person")
TEA, RUM, ALE = "Ada likes tea.", "Ada likes rum.", "Ada likes ale."
SAID = {text: (ADA, fact("Ada", text[4:-1].capitalize(), text)) for text in (TEA, RUM, ALE)}


async def give(api: Api, uri: str | None, text: str, **more: Any) -> str:
    """Ingest a text under a uri; return the document's id."""
    items: tuple[Item, ...] = SAID[text]
    payload = await ingest(api, text, *items, uri=uri, **more)
    assert payload["ingestion"]["status"] == "DONE"
    id: str = payload["document"]["id"]
    return id


async def documents(api: Api) -> dict[str | None, tuple[str, str, list[str]]]:
    """Return the documents by their uri: (title, content, the other uris)."""
    await settled(api)
    data = await api.volume("documents(first: 100) { nodes { uri title content otherUris } }")
    return {d["uri"]: (d["title"], d["content"], d["otherUris"]) for d in data["documents"]["nodes"]}


async def settled(api: Api) -> None:
    """Wait until every document has been read."""
    for row in await api.rows(models.Ingestion):
        await api.knowledge.worker.finished(row["id"])


async def statuses(api: Api) -> dict[str, str]:
    return {row["content"]: row["status"] for row in await api.rows(models.Fact)}


async def test_the_same_content_under_another_uri_is_the_same_document_and_the_uri_is_kept(api: Api) -> None:
    first = await give(api, "z", TEA, title="Z")
    assert await give(api, "a", TEA, title="A") == first
    assert await give(api, "a", TEA, title="A again") == first
    assert await documents(api) == {"z": ("Z", TEA, ["a"])}
    noted = [c for c in await api.rows(models.Change) if c["after"] and "other_uris" in c["after"]]
    assert [(c["kind"], c["before"], c["after"]) for c in noted] == [
        ("UPDATED", {"other_uris": []}, {"other_uris": ["a"]})
    ]


async def test_what_a_copy_says_stays_when_the_document_changes(api: Api) -> None:
    first = await give(api, "z", TEA, title="Z", authority="USER")
    await give(api, "a", TEA, title="A", authority="OFFICIAL")
    await give(api, "b", TEA, title="B")
    assert await give(api, "z", RUM, title="Z") == first
    assert await documents(api) == {"z": ("Z", RUM, []), "a": ("A", TEA, ["b"])}
    assert await statuses(api) == {"Likes tea": "CURRENT", "Likes rum": "CURRENT"}
    (copy,) = [d for d in await api.rows(models.Document) if d["uri"] == "a"]
    assert (copy["authority"], copy["revision"]) == ("OFFICIAL", 1)


async def test_what_a_source_without_a_uri_says_stays_too(api: Api) -> None:
    await give(api, "z", TEA, title="Z")
    await give(api, None, TEA, title="Note")
    await give(api, None, TEA, title="Note again")
    await give(api, "z", RUM, title="Z")
    assert await documents(api) == {"z": ("Z", RUM, []), None: ("Note", TEA, [])}
    assert await statuses(api) == {"Likes tea": "CURRENT", "Likes rum": "CURRENT"}


async def test_a_copy_that_changes_is_a_document_of_its_own(api: Api) -> None:
    first = await give(api, "z", TEA, title="Z")
    await give(api, "a", TEA, title="A")
    assert await give(api, "a", RUM, title="A") != first
    assert await documents(api) == {"z": ("Z", TEA, []), "a": ("A", RUM, [])}
    assert await statuses(api) == {"Likes tea": "CURRENT", "Likes rum": "CURRENT"}


async def test_a_copy_that_changes_may_become_a_copy_of_another(api: Api) -> None:
    await give(api, "z", TEA, title="Z")
    second = await give(api, "y", RUM, title="Y")
    await give(api, "a", TEA, title="A")
    assert await give(api, "a", RUM, title="A") == second
    assert await documents(api) == {"z": ("Z", TEA, []), "y": ("Y", RUM, ["a"])}


async def test_a_document_that_is_deleted_takes_the_notes_of_its_copies_along(api: Api) -> None:
    first = await give(api, "z", TEA, title="Z")
    await give(api, "a", TEA, title="A")
    await api.do("deleteDocument", "deletedId", id=first)
    assert (await documents(api), await api.rows(models.DocumentCopy)) == ({}, [])


async def test_a_copy_that_parts_stays_in_the_projects_of_the_document(api: Api) -> None:
    project = (await api.do("createProject", "project { id }", name="P"))["project"]["id"]
    await give(api, "z", TEA, title="Z", projects=[project])
    await give(api, "a", TEA, title="A")
    await give(api, "z", ALE, title="Z")
    found = await documents(api)
    links = {row["document_id"] for row in await api.rows(models.ProjectDocument)}
    assert (set(found), links) == ({"z", "a"}, {row["id"] for row in await api.rows(models.Document)})
