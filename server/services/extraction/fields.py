"""Fields: lines of the form "Price: $49/month" or "Skills: Go, Python", about whatever the heading above names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from server.services.extraction import vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.draft import Draft
from server.services.extraction.markup import Block
from server.services.extraction.money import amounts
from server.services.extraction.periods import periods
from server.services.extraction.protocol import ValueType
from server.services.extraction.sections import section_of

_FIELD = re.compile(r"([A-Za-z][\w /-]{1,30}):\s(\S.{0,300})$")
_EDGES: Mapping[str, str] = {
    **dict.fromkeys(("includes", "features", "included"), "INCLUDES"),
    **dict.fromkeys(("compatible with", "integrations", "integrates with", "works with"), "COMPATIBLE_WITH"),
    **dict.fromkeys(("requires", "requirements", "dependencies"), "REQUIRES"),
    **dict.fromkeys(("uses", "built with", "stack", "tech stack"), "USES"),
    **dict.fromkeys(("headquarters", "location", "based in"), "LOCATED_IN"),
    **dict.fromkeys(("founders", "founder", "founded by"), "FOUNDED_BY"),
}
_OF_PERSONS: Mapping[str, str] = {
    **dict.fromkeys(("location", "based in", "city", "country"), "LOCATED_IN"),
    **dict.fromkeys(("residence", "lives in", "home town", "hometown"), "LIVES_IN"),
    **dict.fromkeys(("place of birth", "birthplace", "born in"), "BORN_IN"),
    **dict.fromkeys(("employer", "company", "works at", "organization", "organisation"), "WORKS_AT"),
    **dict.fromkeys(("alma mater", "university", "studied at"), "STUDIED_AT"),
}
_POSTS = frozenset({"role", "position", "job title", "job", "occupation", "current role", "current position"})
_SKILLS = vocabulary.wordset("skills technologies tools languages stack frameworks programming databases")
_PRICES = vocabulary.wordset("price pricing cost costs fee")
_INEXACT = vocabulary.wordset("starting from minimum min maximum max average typical estimated approximate")
_DATES = vocabulary.wordset("founded launched released published born died established date") | {
    "date of birth",
    "release date",
    "launch date",
}
_DATES_OF: Mapping[str, str] = {"date of birth": "BORN", "release date": "RELEASED", "launch date": "LAUNCHED"}


def read_field(block: Block, topic: Member | None, names: Sequence[tuple[int, Member]], draft: Draft) -> bool:
    """Read a block that is one field; tell whether it was. `names` are the block's members with their first characters."""
    match = _FIELD.match(block.text)
    if match is None or topic is None or re.search(r"[.!?]\s+[A-Z]", match[2]):
        return False
    known = _is_known(match[1].lower(), topic)
    if not known and (match[1][0].islower() or _is_sentence(match[1], match[2])):
        return False
    draft.quote = draft.quote_of(block, 0, len(block.text))
    state_field(topic, match[1], match[2], [member for start, member in names if start >= match.start(2)], draft)
    return True


def state_field(topic: Member, label: str, value: str, members: Sequence[Member], draft: Draft) -> None:
    """Add what the field `label` of `topic` says; `members` are those that its value names."""
    key = " ".join(label.lower().split())
    named = [member for member in members if member is not topic]
    money, dates = amounts(value), periods(value if not value[:1].isdigit() else f"in {value}")
    if _PRICES & set(key.split()) and money:
        draft.state(
            topic,
            f"{key} {value}",
            "pricing",
            "COSTS",
            value=None if _INEXACT & set(key.split()) else money[0].value,
            value_type=ValueType.MONEY,
            importance=0.9,
        )
    elif key in _DATES and dates and dates[0].value:
        predicate = _DATES_OF.get(key, key.upper())
        draft.state(
            topic,
            f"{key} {value}",
            "date",
            predicate,
            value=dates[0].value,
            value_type=ValueType.DATE,
            when=dates[0],
            event=True,
        )
    elif kind := _edge(key, topic):
        for member in named[:1] if kind.endswith("_IN") else named:
            if kind != "HAS_SKILL" or member.type in {"technology", "concept", "product"}:
                draft.relate(topic, kind, member)
    elif topic.type == "person" and key in _POSTS:
        draft.state(topic, value, "experience", "HAS_ROLE", importance=0.8)
    elif not section_of(label):
        draft.state(topic, f"{label}: {value}", "statement", None)


def is_edge(label: str) -> bool:
    """Tell whether a field names what something is related to: an employer, a founder, a place."""
    key = " ".join(label.lower().split())
    return key in _EDGES or key in _OF_PERSONS


def is_of_organization(label: str) -> bool:
    """Tell whether a field is one that organizations have."""
    return label.lower().strip() in {
        "headquarters",
        "founders",
        "founder",
        "founded by",
        "employees",
        "industry",
        "ceo",
    }


def _is_sentence(label: str, value: str) -> bool:
    """Tell whether a colon rather stands in the middle of a sentence: many words on either side of it."""
    return len(label.split()) > 3 or len(value.split()) > 12 or (value.endswith(".") and len(value.split()) > 5)


def _is_known(key: str, topic: Member) -> bool:
    """Tell whether a key in lower case, as front matter has it, is one of those that are read."""
    return key in _DATES or bool(_PRICES & set(key.split())) or _edge(key, topic) is not None


def _edge(key: str, topic: Member) -> str | None:
    if topic.type == "person":
        return "HAS_SKILL" if _SKILLS & set(key.split()) else _OF_PERSONS.get(key)
    return _EDGES.get(key)
