"""Deleting a document of several revisions: all of them go, with every word that any of them has brought."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.test_delete_document import claims, delete, files_with, leftovers
from scripted import edge, fact, ingest, names, thing

from server import models

if TYPE_CHECKING:
    from api.conftest import Api

URI = "qzx:uri"


async def revise(api: Api, text: str, *items: Any, title: str = "qzxtitle") -> dict[str, Any]:
    return await ingest(api, text, *items, title=title, uri=URI)


async def three_revisions(api: Api) -> dict[str, Any]:
    """Three revisions whose words all begin with qzx: claims, names and descriptions come and go, and so does a title."""
    first = "qzxAda, the qzxcountess, likes qzxtea. qzxBob met qzxCarl."
    await revise(
        api,
        first,
        thing("qzxAda", "person", aliases=("qzxcountess",), description="qzxnoble"),
        thing("qzxBob", "person"),
        thing("qzxCarl", "person"),
        thing("qzxDora", "person", quote="qzxCarl"),
        fact("qzxAda", "Likes qzxtea", "qzxAda, the qzxcountess, likes qzxtea.", category="qzxdrinks", value="qzxtea"),
        edge("qzxBob", "MET", "qzxCarl", "qzxBob met qzxCarl.", description="qzxmet"),
        title="qzxold",
    )
    await revise(api, "qzxAda likes qzxrum.", thing("qzxAda", "person", description="qzxtall"),
                 fact("qzxAda", "Likes qzxrum", "qzxAda likes qzxrum."), fact("qzxAda", "qzxunsaid", "qzxunsaid"))  # fmt: skip
    return await revise(api, "qzxAda likes qzxgin.", thing("qzxAda", "person"),
                        fact("qzxAda", "Likes qzxgin", "qzxAda likes qzxgin."))  # fmt: skip


async def test_everything_that_any_revision_brought_goes_and_no_word_of_it_is_left(api: Api) -> None:
    """Two claims are retracted ones, and two entities are there for the sake of one of these."""
    payload = await three_revisions(api)
    assert [name for name, _, _ in await names(api)] == ["qzxAda", "qzxBob", "qzxCarl"]
    assert {f["status"] for f in (await claims(api))["facts"]} == {"CURRENT", "RETRACTED"}
    tables = ("fact_version", "relationship_version", "document_revision", "change", "evidence", "rejection")
    assert set(tables) <= set(await leftovers(api, "qzx"))
    assert await delete(api, payload) == (4, 0, 3)
    assert await leftovers(api, "qzx") == {}
    for model in (
        models.DocumentRevision,
        models.Chunk,
        models.Evidence,
        models.FactVersion,
        models.Ingestion,
        models.Job,
    ):
        assert await api.rows(model) == []
    assert files_with(api.store.settings.data, "qzx") == set()


async def test_what_others_support_stays_in_their_words_also_where_a_revision_had_put_it(api: Api) -> None:
    """The claim has had the words of three revisions; they leave its history too, and with them a persons's figure stays."""
    other = "We know: Ada likes tea."
    await revise(
        api, "Ada likes qzxtea.", thing("Ada"), fact("Ada", "LIKES TEA", "Ada likes qzxtea.", category="qzxone")
    )
    await ingest(api, other, thing("Ada"), fact("Ada", "likes tea", "Ada likes tea."), title="Other")
    await revise(api, "Ada qzxis here.", thing("Ada"))
    payload = await revise(
        api, "Ada likes qzxmuch tea.", thing("Ada"), fact("Ada", "Likes Tea", "Ada likes qzxmuch tea.")
    )
    (now,) = (await claims(api))["facts"]
    assert (now["content"], now["confidence"], now["version"]) == ("likes tea", 0.96, 4)
    assert await delete(api, payload) == (0, 1, 0)
    (kept,) = (await claims(api))["facts"]
    assert (kept["content"], kept["confidence"], kept["status"], kept["version"]) == ("likes tea", 0.8, "CURRENT", 5)
    assert [row["quote"] for row in kept["evidence"]] == ["Ada likes tea."]
    for word in ("LIKES TEA", "Likes Tea"):
        assert await leftovers(api, word) == {}
    for row in await api.rows(models.FactVersion):
        assert row["content"] == "likes tea"


async def test_what_only_an_older_revision_of_another_document_had_said_is_retracted_not_removed(api: Api) -> None:
    await ingest(api, "Ada likes tea.", thing("Ada"), fact("Ada", "Likes tea", "Ada likes tea."), uri="b", title="B")
    payload = await revise(api, "Say: Ada likes tea.", thing("Ada"), fact("Ada", "Likes tea", "Ada likes tea."))
    await ingest(api, "Ada is here.", thing("Ada"), uri="b", title="B")
    assert (await claims(api))["facts"][0]["status"] == "CURRENT"
    assert await delete(api, payload) == (0, 1, 0)
    (kept,) = (await claims(api))["facts"]
    assert (kept["status"], [row["document"]["title"] for row in kept["evidence"]]) == ("RETRACTED", ["B"])
    (stored,) = await api.rows(models.Fact)
    assert stored["status_reason"] == "no longer in its source"


async def test_an_entity_that_a_memory_keeps_loses_what_an_old_revision_told_of_it(api: Api) -> None:
    first = await revise(
        api, "Bob, the qzxbuilder.", thing("Bob", "person", aliases=("qzxbuilder",), description="qzxtall")
    )
    bob = (await api.volume("entities { nodes { id } }"))["entities"]["nodes"][0]["id"]
    await api.memory("M", entities=[bob])
    await revise(api, "Nobody is here.")
    assert await delete(api, first) == (0, 0, 0)
    assert await names(api) == [("Bob", "person", [])]
    assert await leftovers(api, "qzx") == {}


async def test_a_renamed_document_takes_both_its_titles_along(api: Api) -> None:
    text = "Ada is here."
    await revise(api, text, thing("Ada"), title="qzxone")
    payload = await revise(api, text, thing("Ada"), title="qzxtwo")
    assert await delete(api, payload) == (0, 0, 1)
    assert await leftovers(api, "qzx") == {}
