"""Revisions of a document: only the difference changes; what it does not say any more is retracted, and may come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scripted import Item, counts, dump, edge, extraction, fact, ingest, names, thing, year

from server import models
from server.services.extraction.protocol import RejectedItem

if TYPE_CHECKING:
    from api.conftest import Api

URI = "notes/ada"
ADA, BOB = thing("Ada", "person"), thing("Bob", "person")
TEA, RUM = "Ada likes tea.", "Ada likes rum."
LIKES_TEA, LIKES_RUM = fact("Ada", "Likes tea", TEA), fact("Ada", "Likes rum", RUM)
ALL = "[CURRENT, DISPUTED, PENDING_REVIEW, SUPERSEDED, RETRACTED, REJECTED]"
EVIDENCE = "evidence { quote start end revision current confidence authority document { title } }"
SHARED = f"id status confidence version validFrom validTo {EVIDENCE}"
GONE = ("RETRACTED", "no longer in its source")


async def revise(api: Api, text: str, *items: Item, **input: Any) -> dict[str, Any]:
    """Ingest a text under the uri of these tests."""
    return await ingest(api, text, *items, **{"uri": URI, **input})


async def facts(api: Api, statuses: str = ALL) -> dict[str, dict[str, Any]]:
    """Return the facts of the volume, by their content; with the authority and the reason that clients are not shown."""
    stored = {row["content"]: row for row in await api.rows(models.Fact)}
    data = await api.volume(f"facts(first: 100, filter: {{statuses: {statuses}}}) {{ nodes {{ content {SHARED} }} }}")
    found = {one.pop("content"): one for one in data["facts"]["nodes"]}
    return {content: {**one, "authority": stored[content]["authority"]} for content, one in found.items()}


async def edges(api: Api, statuses: str = ALL) -> dict[str, dict[str, Any]]:
    """Return the relationships of the volume, by their type."""
    found = f"relationships(first: 100, filter: {{statuses: {statuses}}}) {{ nodes {{ type description {SHARED} }} }}"
    return {one.pop("type"): one for one in (await api.volume(found))["relationships"]["nodes"]}


async def entries(api: Api, after: int = 0) -> list[dict[str, Any]]:
    """Return the log behind its first entries, oldest first."""
    data = await api.volume("changes(first: 100) { nodes { kind before after node { __typename } } }")
    found: list[dict[str, Any]] = data["changes"]["nodes"]
    return found[::-1][after:]


async def length(api: Api) -> int:
    return len(await entries(api))


async def reasons_of(api: Api) -> dict[str, tuple[str, str | None]]:
    """Return the status of each fact, with its reason, by its content."""
    return {row["content"]: (row["status"], row["status_reason"]) for row in await api.rows(models.Fact)}


async def test_other_content_under_a_known_uri_is_a_new_revision_of_the_same_document(api: Api) -> None:
    first = await revise(api, TEA, ADA, LIKES_TEA, title="One", authority="USER")
    seen = await length(api)
    second = await revise(api, RUM, ADA, LIKES_RUM, title="Two", authority="OFFICIAL", mimeType="text/markdown")
    id = first["document"]["id"]
    assert (second["document"]["id"], second["created"], counts(second)) == (id, True, ("DONE", 1, 1, 0))
    assert second["ingestion"]["id"] != first["ingestion"]["id"]
    read = await api.node(
        id, "title uri mimeType authority revision content first: content(revision: 1) third: content(revision: 3)"
    )
    assert read == {
        "title": "Two",
        "uri": URI,
        "mimeType": "text/markdown",
        "authority": "OFFICIAL",
        "revision": 2,
        "content": RUM,
        "first": TEA,
        "third": None,
    }
    entry = (await entries(api, seen))[0]
    hashes = [entry["before"].pop("contentHash"), entry["after"].pop("contentHash")]
    assert entry == {
        "kind": "UPDATED",
        "node": {"__typename": "Document"},
        "before": {"title": "One", "mimeType": "text/plain", "authority": "USER", "revision": 1},
        "after": {"title": "Two", "mimeType": "text/markdown", "authority": "OFFICIAL", "revision": 2},
    }
    assert hashes[1] == (await api.node(id, "contentHash"))["contentHash"] != hashes[0]


async def test_what_it_does_not_say_any_more_is_retracted_and_its_evidence_points_into_its_own_revision(
    api: Api,
) -> None:
    text = f"{TEA} Ada works at Acme."
    works = edge("Ada", "WORKS_AT", "Acme", "Ada works at Acme.")
    payload = await revise(api, text, ADA, thing("Acme"), LIKES_TEA, works)
    await revise(api, RUM, ADA, LIKES_RUM)
    found, lost = await facts(api), (await edges(api))["WORKS_AT"]
    assert await reasons_of(api) == {"Likes tea": GONE, "Likes rum": ("CURRENT", None)}
    assert (lost["status"], lost["version"]) == ("RETRACTED", 2)
    old = {"quote": TEA, "start": 0, "end": 14, "revision": 1, "current": False, "confidence": 0.8}
    assert found["Likes tea"]["evidence"] == [{**old, "authority": "UNKNOWN", "document": {"title": "Notes"}}]
    assert found["Likes rum"]["evidence"][0]["revision"] == 2
    for row in (*found["Likes tea"]["evidence"], *lost["evidence"]):
        content = await api.node(payload["document"]["id"], f"content(revision: {row['revision']})")
        assert content["content"][row["start"] : row["end"]] == row["quote"]
    assert list(await facts(api, "[CURRENT]")) == ["Likes rum"]
    document = await api.node(
        payload["document"]["id"],
        "facts { nodes { content } } relationships { nodes { type } } entities { nodes { name } }",
    )
    assert document == {
        "facts": {"nodes": [{"content": "Likes rum"}]},
        "relationships": {"nodes": []},
        "entities": {"nodes": [{"name": "Ada"}]},
    }


async def test_a_retraction_closes_the_known_interval_of_the_version_before_and_is_logged_as_one(api: Api) -> None:
    await revise(api, TEA, ADA, LIKES_TEA)
    seen = await length(api)
    await revise(api, RUM, ADA, LIKES_RUM)
    document, created, retracted = await entries(api, seen)
    assert [document["kind"], created["kind"], retracted["kind"]] == ["UPDATED", "CREATED", "RETRACTED"]
    assert retracted["before"] == {"status": "CURRENT", "statusReason": None}
    assert retracted["after"] == {"status": "RETRACTED", "statusReason": GONE[1]}
    (past,) = await api.rows(models.FactVersion)
    (now,) = await api.rows(models.Fact, content="Likes tea")
    assert (past["version"], past["status"], now["version"]) == (1, "CURRENT", 2)
    assert past["known_from"] < past["known_to"] == now["known_from"] == now["updated_at"]


async def test_what_is_said_again_gains_evidence_and_neither_a_version_nor_an_entry(api: Api) -> None:
    await revise(api, TEA, ADA, LIKES_TEA, edge("Ada", "DRINKS", "tea", TEA), thing("tea"))
    before, seen = await facts(api), await length(api)
    longer = f"It is known: {TEA}"
    await revise(api, longer, ADA, LIKES_TEA, edge("Ada", "DRINKS", "tea", TEA), thing("tea"))
    assert [entry["kind"] for entry in await entries(api, seen)] == ["UPDATED"]
    (now,) = (await facts(api)).values()
    old, new = now.pop("evidence")
    assert {**before["Likes tea"], "evidence": None} == {**now, "evidence": None}
    assert (old["revision"], old["current"], old["start"]) == (1, False, 0)
    assert (new["revision"], new["current"], new["start"]) == (2, True, 13)
    assert (now["version"], now["confidence"]) == (1, 0.8)
    assert [row["current"] for row in (await edges(api))["DRINKS"]["evidence"]] == [False, True]


async def test_a_text_that_comes_back_is_a_third_revision_and_reopens_what_it_says_under_the_same_id(api: Api) -> None:
    await revise(api, TEA, ADA, LIKES_TEA)
    first = (await facts(api))["Likes tea"]
    await revise(api, RUM, ADA, LIKES_RUM)
    seen = await length(api)
    third = await revise(api, TEA, ADA, LIKES_TEA)
    assert (await api.node(third["document"]["id"], "revision content")) == {"revision": 3, "content": TEA}
    found = await facts(api)
    assert await reasons_of(api) == {"Likes tea": ("CURRENT", None), "Likes rum": GONE}
    assert (found["Likes tea"]["id"], found["Likes tea"]["version"]) == (first["id"], 3)
    assert [(row["revision"], row["current"]) for row in found["Likes tea"]["evidence"]] == [(1, False), (3, True)]
    _, reopened, retracted = await entries(api, seen)
    if reopened["kind"] == "RETRACTED":
        reopened, retracted = retracted, reopened
    assert reopened == {
        "kind": "UPDATED",
        "node": {"__typename": "Fact"},
        "before": {"status": "RETRACTED", "statusReason": GONE[1]},
        "after": {"status": "CURRENT", "statusReason": None},
    }
    assert retracted["kind"] == "RETRACTED"


async def test_another_document_or_a_person_reopens_it_too(api: Api) -> None:
    await revise(api, f"{TEA} {RUM}", ADA, LIKES_TEA, LIKES_RUM)
    before = await facts(api)
    await revise(api, "Ada is here.", ADA)
    assert set(await reasons_of(api)) == {"Likes tea", "Likes rum"}
    assert set((await reasons_of(api)).values()) == {GONE}
    other = "We know: Ada likes tea."
    await ingest(api, other, ADA, fact("Ada", "LIKES TEA", "Ada likes tea."), title="Other")
    subject = (await api.volume("entities { nodes { id } }"))["entities"]["nodes"][0]["id"]
    made = await api.do("createFact", "fact { id } duplicateOf { id }", subject=subject, content="Likes rum")
    found = await facts(api)
    assert made["fact"]["id"] == before["Likes rum"]["id"] == found["Likes rum"]["id"]
    assert (found["Likes rum"]["confidence"], found["Likes rum"]["authority"]) == (1.0, "USER")
    assert found["LIKES TEA"]["id"] == before["Likes tea"]["id"]
    assert await reasons_of(api) == {"LIKES TEA": ("CURRENT", None), "Likes rum": ("CURRENT", None)}
    assert (found["LIKES TEA"]["confidence"], found["LIKES TEA"]["version"]) == (0.8, 3)


async def test_a_claim_that_a_person_retracted_stays_so_whatever_the_document_says_later(api: Api) -> None:
    await revise(api, TEA, ADA, LIKES_TEA)
    id = (await facts(api))["Likes tea"]["id"]
    await api.do("retractFact", "fact { id }", id=id, reason="She does not.")
    taken_back = ("RETRACTED", "She does not.")
    for text, items in ((f"{TEA} Indeed.", [LIKES_TEA]), ("Ada is here.", []), (f"{TEA} Again.", [LIKES_TEA])):
        await revise(api, text, ADA, *items)
        assert await reasons_of(api) == {"Likes tea": taken_back}
    assert (await facts(api))["Likes tea"]["version"] == 2


async def test_what_others_support_stays_with_what_they_make_of_it(api: Api) -> None:
    """Confidence and authority come from what counts: 1 - 0.2 * 0.4 = 0.92, then 0.6, which waits for review, and back."""
    await revise(api, TEA, ADA, LIKES_TEA, authority="OFFICIAL")
    other = "We know: Ada likes tea."
    await ingest(api, other, ADA, fact("Ada", "Likes tea", TEA, confidence=0.6), title="Other", authority="USER")
    seen = []
    for text, items in ((RUM, [LIKES_RUM]), (f"{TEA} Yes.", [fact("Ada", "Likes tea", TEA, confidence=0.5)])):
        seen.append((await facts(api))["Likes tea"])
        await revise(api, text, ADA, *items, authority="THIRD_PARTY")
    seen.append((await facts(api))["Likes tea"])
    assert [(one["status"], one["confidence"], one["authority"], one["version"]) for one in seen] == [
        ("CURRENT", 0.92, "OFFICIAL", 2),
        ("PENDING_REVIEW", 0.6, "USER", 3),
        ("CURRENT", 0.8, "USER", 4),
    ]
    assert len({one["id"] for one in seen}) == 1


async def test_what_a_person_states_too_stays_and_a_figure_that_a_person_gave_is_not_computed_away(api: Api) -> None:
    await revise(api, f"{TEA} {RUM}", ADA, LIKES_TEA, LIKES_RUM)
    found = await facts(api)
    subject = (await api.volume("entities { nodes { id } }"))["entities"]["nodes"][0]["id"]
    await api.fact(subject, "Likes tea")
    await api.do("updateFact", "fact { id }", id=found["Likes rum"]["id"], confidence=0.75)
    await revise(api, f"Well: {RUM}", ADA, LIKES_RUM)
    now = await facts(api)
    assert (now["Likes tea"]["status"], now["Likes tea"]["confidence"]) == ("CURRENT", 1.0)
    assert (now["Likes rum"]["confidence"], now["Likes rum"]["version"]) == (0.75, 2)


async def test_a_single_source_that_corrects_its_dates_or_words_corrects_the_claim(api: Api) -> None:
    text = "Ada worked at Acme from 2001 to {}."
    for end, words in ((2003, "she built"), (2004, "she built looms")):
        said = text.format(end)
        works = edge("Ada", "WORKS_AT", "Acme", said, valid_from=year(2001), valid_to=year(end + 1), description=words)
        await revise(api, said, ADA, thing("Acme"), works)
    (works,) = (await edges(api)).values()
    assert (works["validFrom"], works["validTo"]) == ("2001-01-01T00:00:00Z", "2005-01-01T00:00:00Z")
    assert (works["description"], works["version"], works["status"]) == ("she built looms", 2, "CURRENT")


async def test_dates_that_only_the_old_revision_stated_go_where_others_state_none(api: Api) -> None:
    """The other document says it undated; the new revision says it of another time, so that it is one claim, of that time."""
    when = {"valid_from": year(2001), "valid_to": year(2004)}
    await revise(api, TEA, ADA, fact("Ada", "Likes tea", TEA, **when))
    await ingest(api, "We know: Ada likes tea.", ADA, LIKES_TEA, title="Other")
    assert (await facts(api))["Likes tea"]["validFrom"] == "2001-01-01T00:00:00Z"
    later = {"valid_from": year(2010), "valid_to": year(2012)}
    await revise(api, f"Now: {TEA}", ADA, fact("Ada", "Likes tea", TEA, **later))
    (now,) = (await facts(api)).values()
    assert (now["validFrom"], now["validTo"]) == ("2010-01-01T00:00:00Z", "2012-01-01T00:00:00Z")
    await revise(api, "Ada is here.", ADA)
    (now,) = (await facts(api)).values()
    assert (now["status"], now["validFrom"], now["validTo"]) == ("CURRENT", None, None)


async def test_a_claim_of_two_times_loses_the_one_that_is_gone(api: Api) -> None:
    text = "Ada was at Acme from 2001 to 2003. Ada was at Acme from 2005 to 2007."
    first, second = text[:34], text[35:]
    early = edge("Ada", "AT", "Acme", first, valid_from=year(2001), valid_to=year(2003))
    late = edge("Ada", "AT", "Acme", second, valid_from=year(2005), valid_to=year(2007))
    await revise(api, text, ADA, thing("Acme"), early, late)
    await revise(api, second, ADA, thing("Acme"), late)
    data = await api.volume(f"relationships(filter: {{statuses: {ALL}}}) {{ nodes {{ validFrom status version }} }}")
    assert data["relationships"]["nodes"] == [
        {"validFrom": "2001-01-01T00:00:00Z", "status": "RETRACTED", "version": 2},
        {"validFrom": "2005-01-01T00:00:00Z", "status": "CURRENT", "version": 1},
    ]


async def test_words_that_no_source_uses_any_more_give_way_to_those_of_one_that_stays(api: Api) -> None:
    await revise(api, TEA, ADA, fact("Ada", "Likes TEA", TEA))
    await ingest(api, "We know: Ada likes tea.", ADA, LIKES_TEA, title="Other")
    assert list(await facts(api)) == ["Likes TEA"]
    await revise(api, "Ada is here.", ADA)
    (now,) = (await facts(api)).items()
    assert (now[0], now[1]["confidence"], now[1]["version"]) == ("Likes tea", 0.8, 3)


async def test_a_persons_evidence_counts_as_long_as_its_quote_stands_in_the_document(api: Api) -> None:
    payload = await revise(api, f"{TEA} Ada is tall.", ADA)
    subject = (await api.volume("entities { nodes { id } }"))["entities"]["nodes"][0]["id"]
    given = {"document": payload["document"]["id"], "quote": "Ada is tall."}
    id = await api.fact(subject, "Has a great height", **given)
    seen = []
    for text in (f"Ada is tall. {TEA}", TEA, "As it is, Ada is tall."):
        await revise(api, text, ADA)
        seen.append((await facts(api))["Has a great height"])
    assert [(one["id"], one["status"], one["version"]) for one in seen] == [
        (id, "CURRENT", 1),
        (id, "RETRACTED", 2),
        (id, "CURRENT", 3),
    ]
    assert [row["revision"] for row in seen[-1]["evidence"]] == [1]


async def test_a_name_a_description_and_an_entity_that_only_the_old_revision_gave_go(api: Api) -> None:
    """Bob has a claim, if a retracted one, and stays for it; Carl had none, and goes; Dora is a person's and stays."""
    await api.entity("Dora", type="person")
    text = "Ada, the Countess, met Bob, Carl and Dora. Bob likes tea."
    said = thing("Ada", "person", aliases=("Countess",), description="a countess")
    likes = fact("Bob", "Likes tea", "Bob likes tea.")
    payload = await revise(
        api, text, said, BOB, thing("Carl", "person"), thing("Dora", "person", aliases=("D.",)), likes
    )
    seen = await length(api)
    await revise(api, RUM, ADA, LIKES_RUM)
    assert await names(api) == [("Ada", "person", []), ("Bob", "person", []), ("Dora", "person", [])]
    data = await api.volume("entities { nodes { name description documents { nodes { title } } } }")
    assert sorted(data["entities"]["nodes"], key=lambda node: str(node["name"])) == [
        {"name": "Ada", "description": None, "documents": {"nodes": [{"title": "Notes"}]}},
        {"name": "Bob", "description": None, "documents": {"nodes": []}},
        {"name": "Dora", "description": None, "documents": {"nodes": []}},
    ]
    changed = [(e["kind"], e["before"], e["after"]) for e in await entries(api, seen) if e["node"]]
    assert (
        "UPDATED",
        {"aliases": ["Countess"], "description": "a countess"},
        {"aliases": [], "description": None},
    ) in changed
    assert ("UPDATED", {"aliases": ["D."]}, {"aliases": []}) in changed
    assert [e["kind"] for e in await entries(api, seen) if not e["node"]] == ["DELETED"]
    assert (await api.node(payload["document"]["id"], "entities { nodes { name } }"))["entities"]["nodes"] == [
        {"name": "Ada"}
    ]


async def test_names_and_descriptions_that_are_given_again_stay_without_an_entry(api: Api) -> None:
    said = thing("Ada", "person", aliases=("Countess",), description="a countess")
    await revise(api, "Ada, the Countess.", said)
    seen = await length(api)
    before = await dump(api.store, "entity", "alias", "document_entity")
    await revise(api, "Ada, the Countess, again.", said)
    assert await dump(api.store, "entity", "alias", "document_entity") == before
    assert [entry["kind"] for entry in await entries(api, seen)] == ["UPDATED"]


async def test_chunks_that_did_not_change_stay_and_are_not_embedded_again(api: Api) -> None:
    one, two, three = "# One\n\nAda is here.", "# Two\n\nBob is here.", "# Three\n\nCarl is here."
    new = "# New\n\nDora is here."
    payload = await revise(api, "\n\n".join((one, two, three)), mimeType="text/markdown")
    chunks = "chunks { nodes { id text start end } }"
    before = (await api.node(payload["document"]["id"], chunks))["chunks"]["nodes"]
    embedder = api.knowledge.embedder
    embedded = len(embedder.embedded)  # type: ignore[attr-defined]
    text = "\n\n".join((three, new, one))
    await revise(api, text, mimeType="text/markdown")
    after = (await api.node(payload["document"]["id"], chunks))["chunks"]["nodes"]
    assert [c["text"] for c in after] == [three, new, one]
    assert [text[c["start"] : c["end"]] for c in after] == [three, new, one]
    assert (after[0]["id"], after[2]["id"]) == (before[2]["id"], before[0]["id"])
    assert [t for t in embedder.embedded[embedded:] if "is here" in t] == [f"Notes\n{new}"]  # type: ignore[attr-defined]
    assert (await api.ask("query($id: ID!) { node(id: $id) { id } }", id=before[1]["id"]))["node"] is None
    page = await api.node(payload["document"]["id"], "chunks(first: 2) { nodes { text } pageInfo { endCursor } }")
    rest = await api.node(
        payload["document"]["id"],
        f'chunks(first: 2, after: "{page["chunks"]["pageInfo"]["endCursor"]}") {{ nodes {{ text }} }}',
    )
    assert [c["text"] for c in page["chunks"]["nodes"]] == [three, new]
    assert rest["chunks"]["nodes"] == [{"text": one}]


async def test_another_title_under_the_same_uri_renames_the_document_and_has_it_read_again(api: Api) -> None:
    await api.entity("Acme")
    first = await revise(api, TEA, ADA, LIKES_TEA, title="Acme")
    sources = "entities { nodes { name } }"
    assert (await api.node(first["document"]["id"], sources))["entities"]["nodes"] == [
        {"name": "Acme"},
        {"name": "Ada"},
    ]
    before, seen = await facts(api), await length(api)
    second = await revise(api, TEA, ADA, LIKES_TEA, title="Teas")
    assert (second["document"]["id"], second["created"]) == (first["document"]["id"], False)
    assert second["ingestion"]["id"] != first["ingestion"]["id"]
    assert (await api.node(first["document"]["id"], f"title revision {sources}")) == {
        "title": "Teas",
        "revision": 1,
        "entities": {"nodes": [{"name": "Ada"}]},
    }
    assert [(e["kind"], e["before"], e["after"]) for e in await entries(api, seen)] == [
        ("UPDATED", {"title": "Acme"}, {"title": "Teas"})
    ]
    renamed = {**before["Likes tea"]["evidence"][0], "document": {"title": "Teas"}}
    assert await facts(api) == {"Likes tea": {**before["Likes tea"], "evidence": [renamed]}}
    assert [chunk.title for chunk in api.extractor.chunks] == ["Acme", "Teas"]
    texts = {row["text"] for row in await api.rows(models.PendingVector, kind="chk", action="upsert")}
    assert texts == {f"Teas\n{TEA}"}


async def test_the_same_content_under_its_uri_is_nothing_new(api: Api) -> None:
    first = await revise(api, TEA, ADA, LIKES_TEA)
    before = await dump(api.store)
    again = await revise(api, TEA, ADA, LIKES_TEA, authority="OFFICIAL", mimeType="text/markdown")
    assert again == {**first, "created": False}
    assert await dump(api.store) == before


async def test_an_old_text_under_another_uri_is_another_document_once_its_document_has_moved_on(api: Api) -> None:
    first = await revise(api, TEA, ADA, LIKES_TEA)
    await revise(api, RUM, ADA, LIKES_RUM)
    other = await ingest(api, TEA, ADA, LIKES_TEA, uri="elsewhere")
    assert (other["created"], other["document"]["id"] == first["document"]["id"]) == (True, False)
    assert await reasons_of(api) == {"Likes tea": ("CURRENT", None), "Likes rum": ("CURRENT", None)}


async def test_a_document_that_becomes_a_copy_of_another_loses_its_claims_and_counts_once_with_it(api: Api) -> None:
    await revise(api, TEA, ADA, LIKES_TEA)
    other = await ingest(api, RUM, ADA, LIKES_RUM, uri="rum", title="Rum")
    copy = await revise(api, RUM, ADA, LIKES_RUM)
    assert copy["document"]["id"] != other["document"]["id"]
    found = await facts(api)
    assert await reasons_of(api) == {"Likes tea": GONE, "Likes rum": ("CURRENT", None)}
    assert (found["Likes rum"]["confidence"], found["Likes rum"]["version"]) == (0.8, 1)
    assert [row["document"]["title"] for row in found["Likes rum"]["evidence"]] == ["Rum", "Notes"]
    longer = f"Still: {RUM}"
    await ingest(api, longer, ADA, LIKES_RUM, uri="rum", title="Rum")
    assert (await facts(api))["Likes rum"]["confidence"] == 0.96
    again = await ingest(api, longer, ADA, title="Without uri")
    assert again["document"]["id"] == other["document"]["id"]


async def test_a_revision_that_fails_changes_nothing_and_the_next_one_takes_its_place(api: Api) -> None:
    await revise(api, TEA, ADA, LIKES_TEA)
    before = await dump(api.store, "fact", "fact_version", "evidence", "chunk", "mention", "entity", "document_entity")
    api.extractor.answers[RUM] = ValueError("a defect")
    failed = await api.do("ingestDocument", "document { id revision } ingestion { status }", uri=URI, title="Notes", text=RUM, wait=True)  # fmt: skip
    assert (failed["ingestion"]["status"], failed["document"]["revision"]) == ("FAILED", 2)
    assert await dump(api.store, *before) == before
    document = await api.node(failed["document"]["id"], "content chunks { nodes { text } } facts { nodes { content } }")
    assert document == {
        "content": RUM,
        "chunks": {"nodes": [{"text": TEA}]},
        "facts": {"nodes": [{"content": "Likes tea"}]},
    }
    other = "We know: Ada likes tea."
    await ingest(api, other, ADA, LIKES_TEA, title="Other")
    assert (await facts(api))["Likes tea"]["confidence"] == 0.96
    await revise(api, "Ada is here.", ADA)
    assert (await facts(api))["Likes tea"]["confidence"] == 0.8
    retried = await revise(api, "Ada is here.", ADA)
    assert retried["created"] is False


async def test_rejections_and_counts_are_those_of_the_revisions_own_ingestion(api: Api) -> None:
    first = await revise(api, TEA, ADA, fact("Ada", "Sings", "Ada sings."))
    found = extraction([ADA, LIKES_RUM])
    found.rejected.append(RejectedItem("fact", {"content": "x"}, "no quote"))
    api.extractor.answers[RUM] = found
    second = await api.do("ingestDocument", "ingestion { factsFound rejected { reason } }", uri=URI, title="Notes", text=RUM, wait=True)  # fmt: skip
    assert [r["reason"] for r in first["ingestion"]["rejected"]] == ["The quote does not occur in the document."]
    assert second["ingestion"] == {"factsFound": 1, "rejected": [{"reason": "no quote"}]}


@pytest.mark.parametrize("order", ["copy first", "original first"])
async def test_copies_go_one_after_the_other(api: Api, order: str) -> None:
    await revise(api, TEA, ADA, LIKES_TEA)
    other = await ingest(api, RUM, ADA, LIKES_RUM, uri="rum", title="Rum")
    copy = await revise(api, RUM, ADA, LIKES_RUM)
    pair = (copy, other) if order == "copy first" else (other, copy)
    for payload, left in zip(pair, (1, 0), strict=True):
        await api.do("deleteDocument", "deletedId", id=payload["document"]["id"])
        now = await facts(api, "[CURRENT]")
        assert [(content, one["confidence"]) for content, one in now.items()] == [("Likes rum", 0.8)] * left
    assert await names(api) == []


async def test_what_a_person_corrected_is_not_said_the_old_way_again_by_the_next_revision(api: Api) -> None:
    """Neither a fact put otherwise nor an edge dated otherwise; another document that says it the old way is another matter."""
    text = f"{TEA} Ada works at Acme."
    works = edge("Ada", "WORKS_AT", "Acme", "Ada works at Acme.", valid_from=year(2001), valid_to=year(2003))
    await revise(api, text, ADA, thing("Acme"), LIKES_TEA, works)
    tea, acme = (await facts(api))["Likes tea"]["id"], (await edges(api))["WORKS_AT"]["id"]
    await api.do("updateFact", "fact { id }", id=tea, content="Likes green tea")
    await api.do("updateRelationship", "relationship { id }", id=acme, validFrom="2011", validTo="2012")
    for _ in range(2):
        text = f"Well: {text}"
        await revise(api, text, ADA, thing("Acme"), LIKES_TEA, works)
        (found,), (edged,) = (await facts(api)).items(), (await edges(api)).values()
        assert (found[0], found[1]["id"], found[1]["version"]) == ("Likes green tea", tea, 2)
        assert (edged["id"], edged["validFrom"], edged["version"]) == (acme, "2011-01-01T00:00:00Z", 2)
    await ingest(api, "We know: Ada likes tea.", ADA, LIKES_TEA, title="Other")
    assert set(await facts(api)) == {"Likes green tea", "Likes tea"}


async def test_what_is_no_longer_in_its_source_can_be_retracted_by_a_person_and_stays_so_then(api: Api) -> None:
    await revise(api, TEA, ADA, thing("tea"), LIKES_TEA, edge("Ada", "DRINKS", "tea", TEA))
    await revise(api, RUM, ADA)
    tea, drinks = (await facts(api))["Likes tea"]["id"], (await edges(api))["DRINKS"]["id"]
    await api.do("retractFact", "fact { id }", id=tea, reason="Never.")
    await api.do("retractRelationship", "relationship { id }", id=drinks)
    await revise(api, f"{TEA} Again.", ADA, thing("tea"), LIKES_TEA, edge("Ada", "DRINKS", "tea", TEA))
    assert await reasons_of(api) == {"Likes tea": ("RETRACTED", "Never.")}
    assert {one["status"] for one in (await edges(api)).values()} == {"RETRACTED"}
