"""Names in a question: which runs of words may be one, in which scripts, and what never is."""

from __future__ import annotations

from uuid import UUID

import pytest

from server.services.retrieval.linking import linked
from server.store.mentioning import Titled
from server.store.records import EntityRecord

KNOWN = (
    "enterprise plan",
    "Kvist",
    "New York",
    "York",
    "the who",
    "who",
    "東京",
    "MFA",
    "plan",
    "Anna's Bar",
    "ကော်ဖီ",
    "កម្ពុជា",
    "ປະເທດລາວ",
)


class Names:
    """A reader of a volume that knows some names; each entity's id is its name's place."""

    async def entities_named(self, volume: UUID, keys: list[str]) -> dict[str, list[EntityRecord]]:
        from server.services.identity import match_key

        blank = dict.fromkeys(EntityRecord._fields)
        known = {match_key(name): EntityRecord(**blank | {"id": UUID(int=n)}) for n, name in enumerate(KNOWN)}
        return {key: [known[key]] for key in keys if key in known}


async def names(question: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return the names in a question, each with the known one that it stands for."""

    async def none(*_: object) -> list[Titled]:
        return []

    monkeypatch.setattr("server.services.retrieval.linking.titled", none)
    found = await linked(Names(), UUID(int=1), question)  # type: ignore[arg-type]
    return [(one.name, KNOWN[one.entities[0].int]) for one in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What features does the Enterprise Plan include?", [("the Enterprise Plan", "enterprise plan")]),
        ("what does the enterprise plan include", [("enterprise plan", "enterprise plan")]),
        ("Is the plan of New York better?", [("New York", "New York")]),
        ("kvist or york", [("kvist", "Kvist"), ("york", "York")]),
        ("Is Kvist's plan good?", [("Kvist", "Kvist")]),
        ("Where is Anna's Bar?", [("Anna's Bar", "Anna's Bar")]),
        ("Who is it?", []),
        ("東京はどこですか", [("東京", "東京")]),
        ("ကော်ဖီဆိုင်ဘယ်မှာလဲ", [("ကော်ဖီ", "ကော်ဖီ")]),
        ("ប្រទេសកម្ពុជានៅឯណា", [("កម្ពុជា", "កម្ពុជា")]),
        ("ກ່ຽວກັບປະເທດລາວ", [("ປະເທດລາວ", "ປະເທດລາວ")]),
        ("Does Kvist (York) exist?", [("Kvist", "Kvist")]),
        ("MFA", [("MFA", "MFA")]),
        ("", []),
    ],
)
async def test_the_longest_names_of_a_question_are_found(
    question: str, expected: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await names(question, monkeypatch) == expected
