"""Decisions on the review queue: they are carried out once, all or none, kept, and can be rehearsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripted import edge, fact, ingest, thing

from server import models
from server.ids import new_id
from server.services.decisions import Resolution, clean_resolution
from server.terms import ReviewAction

if TYPE_CHECKING:
    from api.conftest import Api

CLAIM = (
    "__typename id text confidence status version evidence { quote authority confidence verified document { title } }"
)
DONE = f"items {{ id decision decidedBy }} claims {{ {CLAIM} }}"
RUM, BOB = "Ada likes rum.", "Ada met Bob."


async def waiting(api: Api) -> list[str]:
    """Return the ids of the open items."""
    return [item["id"] for item in (await api.volume("reviewQueue { nodes { id } }"))["reviewQueue"]["nodes"]]


async def doubted(api: Api, **more: Any) -> tuple[str, str]:
    """Make a fact that waits; return its id and that of its item."""
    ada = await api.entity("Ada")
    id = await api.fact(ada, "Likes rum", **{"confidence": 0.5, **more})
    return id, (await waiting(api))[0]


async def decide(api: Api, *items: str, action: str, **more: Any) -> dict[str, Any]:
    return await api.do("resolveReview", DONE, items=list(items), action=action, **more)


async def status(api: Api, id: str) -> tuple[str, float]:
    claim = await api.node(id, "status confidence")
    return claim["status"], claim["confidence"]


async def facts(api: Api) -> list[str]:
    """Return the facts that the default view shows."""
    return [fact["content"] for fact in (await api.volume("facts { nodes { content } }"))["facts"]["nodes"]]


class TestApprove:
    async def test_is_evidence_by_hand_and_the_fact_becomes_current(self, api: Api) -> None:
        await ingest(api, RUM, thing("Ada"), fact("Ada", "Likes rum", RUM, confidence=0.5), authority="MARKETING")
        (item,) = await waiting(api)
        done = await decide(api, item, action="APPROVE", reason="I know her.")
        assert done["items"] == [{"id": item, "decision": "APPROVED", "decidedBy": "local"}]
        (claim,) = done["claims"]
        own = {"quote": "Likes rum", "authority": "USER", "confidence": 1.0, "verified": False, "document": None}
        read = {"authority": "MARKETING", "confidence": 0.5, "verified": True, "document": {"title": "Notes"}}
        assert claim == {
            "__typename": "Fact",
            "id": claim["id"],
            "text": "Likes rum",
            "confidence": 1.0,
            "status": "CURRENT",
            "version": 2,
            "evidence": [{"quote": RUM, **read}, own],
        }
        assert await facts(api) == ["Likes rum"]
        assert await waiting(api) == []

    async def test_quotes_a_relationship_as_a_sentence(self, api: Api) -> None:
        ada, acme = await api.entity("Ada"), await api.entity("Acme")
        id = await api.relationship(ada, "WORKS_AT", acme, confidence=0.2, description="as a cook")
        (claim,) = (await decide(api, *await waiting(api), action="APPROVE"))["claims"]
        assert (claim["id"], claim["status"], claim["confidence"]) == (id, "CURRENT", 1.0)
        assert [e["quote"] for e in claim["evidence"]] == ["as a cook", "Ada works at Acme"]

    async def test_counts_though_the_very_same_was_said_before(self, api: Api) -> None:
        """Somebody was sure, then less so, and is sure again."""
        ada = await api.entity("Ada")
        id = await api.fact(ada, "Likes rum")
        await api.do("updateFact", "fact { id }", id=id, confidence=0.5)
        (claim,) = (await decide(api, *await waiting(api), action="APPROVE"))["claims"]
        assert (claim["status"], claim["confidence"], claim["version"]) == ("CURRENT", 1.0, 3)

    async def test_is_asked_anew_only_by_a_person_who_doubts_it(self, api: Api) -> None:
        id, item = await doubted(api)
        await decide(api, item, action="APPROVE")
        await ingest(api, RUM, thing("Ada"), fact("Ada", "Likes rum", RUM, confidence=0.1))
        assert (await status(api, id), await waiting(api)) == (("CURRENT", 1.0), [])
        await api.do("updateFact", "fact { id }", id=id, confidence=0.3)
        assert (await status(api, id), await waiting(api)) == (("PENDING_REVIEW", 0.3), [item])


class TestReject:
    async def test_makes_it_rejected_with_the_reason(self, api: Api) -> None:
        id, item = await doubted(api)
        done = await decide(api, item, action="REJECT", reason="She hates it.")
        assert [(c["id"], c["status"], c["confidence"]) for c in done["claims"]] == [(id, "REJECTED", 0.5)]
        assert done["items"] == [{"id": item, "decision": "REJECTED", "decidedBy": "local"}]
        assert [row["status_reason"] for row in await api.rows(models.Fact)] == ["She hates it."]
        assert (await facts(api), await waiting(api)) == ([], [])

    async def test_an_extraction_that_says_it_again_does_not_bring_it_back_and_asks_nothing(self, api: Api) -> None:
        """However sure it is, and from whatever document; its words are evidence of what was rejected."""
        said = [
            thing("Ada"),
            thing("Bob"),
            fact("Ada", "Likes rum", RUM, confidence=0.5),
            edge("Ada", "MET", "Bob", BOB, confidence=0.5),
        ]
        await ingest(api, f"{RUM} {BOB}", *said, title="One")
        await decide(api, *await waiting(api), action="REJECT")
        text = f"Indeed: {RUM} And {BOB}"
        sure = [thing("Ada"), thing("Bob"), fact("Ada", "likes rum", RUM), edge("Ada", "MET", "Bob", BOB)]
        await ingest(api, text, *sure, title="Two")
        everything = "(filter: {statuses: [CURRENT, PENDING_REVIEW, REJECTED, RETRACTED]})"
        shown = "{ nodes { status confidence evidence { document { title } } } }"
        found = await api.volume(f"facts{everything} {shown} relationships{everything} {shown}")
        rejected = {
            "status": "REJECTED",
            "confidence": 0.5,
            "evidence": [{"document": {"title": t}} for t in ("One", "Two")],
        }
        assert [found[name]["nodes"] for name in ("facts", "relationships")] == [[rejected], [rejected]]
        assert (await facts(api), await waiting(api)) == ([], [])

    async def test_a_person_may_state_it_anew(self, api: Api) -> None:
        id, item = await doubted(api)
        await decide(api, item, action="REJECT")
        data = await api.entity("Ada")
        again = await api.fact(data, "Likes rum")
        assert (again, await status(api, id)) == (id, ("CURRENT", 1.0))
        assert [row["status_reason"] for row in await api.rows(models.Fact)] == [None]
        await ingest(api, RUM, thing("Ada"), fact("Ada", "Likes rum", RUM))
        assert await status(api, id) == ("CURRENT", 1.0)
        assert len(await api.rows(models.Evidence)) == 3
        assert await waiting(api) == []


class TestEdit:
    async def test_corrects_a_fact_and_it_holds_so(self, api: Api) -> None:
        id, item = await doubted(api)
        edit = {"content": "Likes gin", "predicate": "likes", "value": "gin", "validFrom": "2024"}
        (claim,) = (await decide(api, item, action="EDIT", edit=edit))["claims"]
        assert (claim["id"], claim["text"], claim["status"], claim["confidence"]) == (id, "Likes gin", "CURRENT", 1.0)
        assert [(e["quote"], e["confidence"]) for e in claim["evidence"]] == [("Likes rum", 0.5), ("Likes gin", 1.0)]
        found = await api.node(id, "predicate value validFrom validFromPrecision")
        assert found == {
            "predicate": "LIKES",
            "value": "gin",
            "validFrom": "2024-01-01T00:00:00Z",
            "validFromPrecision": "YEAR",
        }

    async def test_corrects_a_relationship(self, api: Api) -> None:
        ada, acme = await api.entity("Ada"), await api.entity("Acme")
        id = await api.relationship(ada, "WORKS_AT", acme, confidence=0.2)
        edit = {"type": "left", "strength": 0.5}
        (claim,) = (await decide(api, *await waiting(api), action="EDIT", edit=edit))["claims"]
        assert (claim["id"], claim["text"], claim["status"], claim["confidence"]) == (
            id,
            "Ada left Acme",
            "CURRENT",
            1.0,
        )

    async def test_what_is_wrong_with_it_is_named_and_nothing_changes(self, api: Api) -> None:
        _, item = await doubted(api)
        await api.fact(await api.entity("Ada"), "Likes gin")
        for edit, code, argument in (
            ({"type": "KNOWS"}, "BAD_USER_INPUT", "edit.type"),
            ({"content": " "}, "BAD_USER_INPUT", "edit.content"),
            ({"importance": 2}, "BAD_USER_INPUT", "edit.importance"),
            ({"validFrom": "2024", "validTo": "2023"}, "BAD_USER_INPUT", "edit.validTo"),
            ({"content": "Likes gin"}, "CONFLICT", "edit.content"),
            ({}, "BAD_USER_INPUT", "edit"),
        ):
            refusal = await api.refused("resolveReview", items=[item], action="EDIT", edit=edit)
            assert (refusal["code"], refusal["argument"]) == (code, argument)


class TestADecision:
    async def test_twice_changes_nothing_and_another_one_is_refused(self, api: Api) -> None:
        _, item = await doubted(api)
        edit = {"content": "Likes gin"}
        assert len((await decide(api, item, action="EDIT", edit=edit))["claims"]) == 1
        async with api.unchanged():
            again = await decide(api, item, action="EDIT", edit=edit, reason="Another reason.")
            assert again == {"items": [{"id": item, "decision": "EDITED", "decidedBy": "local"}], "claims": []}
            for other in (
                {"action": "APPROVE"},
                {"action": "REJECT"},
                {"action": "EDIT", "edit": {"content": "Likes ale"}},
            ):
                refusal = await api.refusal("resolveReview", items=[item], **other)
                assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "items[0]")
                assert refusal["message"] == "It was decided otherwise: EDITED."

    async def test_on_what_has_gone_by_itself_is_refused(self, api: Api) -> None:
        id, item = await doubted(api)
        await api.do("retractFact", "fact { id }", id=id)
        refusal = await api.refused("resolveReview", items=[item], action="APPROVE")
        assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "items[0]")

    async def test_is_in_the_log_with_its_actor_and_reason(self, api: Api) -> None:
        _, item = await doubted(api)
        await decide(api, item, action="REJECT", reason="She hates it.")
        data = await api.volume("changes(first: 2) { nodes { kind actor before after node { __typename id } } }")
        newest, before_it = data["changes"]["nodes"]
        assert newest == {
            "kind": "UPDATED",
            "actor": "local",
            "before": {"decision": None},
            "after": {"decision": "REJECTED", "reason": "She hates it."},
            "node": {"__typename": "LowConfidenceReview", "id": item},
        }
        assert (before_it["kind"], before_it["after"]) == (
            "RETRACTED",
            {"status": "REJECTED", "statusReason": "She hates it."},
        )


class TestMany:
    async def test_are_decided_in_one_transaction(self, api: Api) -> None:
        ada, bob = await api.entity("Ada"), await api.entity("Bob")
        ids = [await api.fact(ada, f"Fact {n}", confidence=0.1) for n in range(5)]
        ids.append(await api.relationship(ada, "KNOWS", bob, confidence=0.1))
        items = await waiting(api)
        done = await decide(api, *items, items[0], action="APPROVE")
        assert [item["id"] for item in done["items"]] == items
        assert [(c["id"], c["status"]) for c in done["claims"]] == [(id, "CURRENT") for id in ids]
        entries = (await api.volume("changes(first: 12) { nodes { at } }"))["changes"]["nodes"]
        assert len({entry["at"] for entry in entries}) == 1

    async def test_a_wrong_item_refuses_them_all_and_is_named(self, api: Api) -> None:
        _, item = await doubted(api)
        ada = await api.entity("Ada")
        await api.fact(ada, "Fact", confidence=0.1)
        await decide(api, item, action="REJECT")
        (other,) = await waiting(api)
        await api.do("createVolume", "volume { name }", name="w")
        for items, code, argument, more in (
            ([other, item], "CONFLICT", "items[1]", {}),
            ([other, ada], "NOT_FOUND", "items[1]", {}),
            ([other, "rev_nonsense"], "NOT_FOUND", "items[1]", {}),
            ([other], "NOT_FOUND", "items[0]", {"volume": "w"}),
            ([], "BAD_USER_INPUT", "items", {}),
            ([other], "BAD_USER_INPUT", "edit", {"edit": {"content": "x"}}),
            ([other], "BAD_USER_INPUT", "reason", {"reason": "x" * 1001}),
        ):
            refusal = await api.refused("resolveReview", items=items, action="APPROVE", **more)
            assert (refusal["code"], refusal["argument"]) == (code, argument)
        refusal = await api.refused("resolveReview", items=[other, item], action="EDIT", edit={"content": "x"})
        assert (refusal["code"], refusal["argument"]) == ("BAD_USER_INPUT", "items")


class TestARehearsal:
    async def test_answers_what_would_change_and_changes_nothing(self, api: Api) -> None:
        _, item = await doubted(api)
        for action, more, would_be in (
            ("APPROVE", {}, ("APPROVED", "CURRENT", 1.0, "Likes rum")),
            ("REJECT", {"reason": "No."}, ("REJECTED", "REJECTED", 0.5, "Likes rum")),
            ("EDIT", {"edit": {"content": "Likes gin"}}, ("EDITED", "CURRENT", 1.0, "Likes gin")),
        ):
            async with api.unchanged():
                done = await decide(api, item, action=action, dryRun=True, **more)
            (claim,) = done["claims"]
            assert (done["items"][0]["decision"], claim["status"], claim["confidence"], claim["text"]) == would_be
        assert await waiting(api) == [item]

    async def test_is_refused_as_the_decision_would_be(self, api: Api) -> None:
        _, item = await doubted(api)
        await decide(api, item, action="REJECT")
        refusal = await api.refused("resolveReview", items=[item], action="APPROVE", dryRun=True)
        assert (refusal["code"], refusal["argument"]) == ("CONFLICT", "items[0]")


def test_an_item_that_is_named_many_times_is_one_decision() -> None:
    id = new_id()
    assert clean_resolution(Resolution([id] * 501, ReviewAction.APPROVE)).items == [id]
