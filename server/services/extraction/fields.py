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

_FIELD = re.compile(r"([A-Z][\w /-]{1,30}):\s(\S.{0,300})$")
_EDGES: Mapping[str, str] = {
    **dict.fromkeys(("includes", "features", "included"), "INCLUDES"),
    **dict.fromkeys(("compatible with", "integrations", "integrates with", "works with"), "COMPATIBLE_WITH"),
    **dict.fromkeys(("requires", "requirements", "dependencies"), "REQUIRES"),
    **dict.fromkeys(("uses", "built with", "stack", "tech stack"), "USES"),
    **dict.fromkeys(("headquarters", "location", "based in"), "LOCATED_IN"),
    **dict.fromkeys(("founders", "founder", "founded by"), "FOUNDED_BY"),
}
_SKILLS = vocabulary.wordset("skills technologies tools languages stack frameworks programming databases")
_PRICES = vocabulary.wordset("price pricing cost costs fee")
_INEXACT = vocabulary.wordset("starting from minimum min maximum max average typical estimated approximate")
_DATES = vocabulary.wordset("founded launched released published born died established date")


def read_field(block: Block, topic: Member | None, names: Sequence[tuple[int, Member]], draft: Draft) -> bool:
    """Read a block that is one field; tell whether it was. `names` are the block's members with their first characters."""
    match = _FIELD.match(block.text)
    if match is None or topic is None or re.search(r"[.!?]\s+[A-Z]", match[2]):
        return False
    key, value = match[1].strip().lower(), match[2]
    draft.quote = draft.quote_of(block, 0, len(block.text))
    members = [member for start, member in names if start >= match.start(2) and member is not topic]
    money, dates = amounts(value), periods(value)
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
        predicate = key.upper()
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
        for member in members:
            if kind != "HAS_SKILL" or member.type in {"technology", "concept"}:
                draft.relate(topic, kind, member)
    else:
        draft.state(topic, f"{match[1]}: {value}", "statement", None)
    return True


def _edge(key: str, topic: Member) -> str | None:
    if topic.type == "person":
        return "HAS_SKILL" if _SKILLS & set(key.split()) else None
    return _EDGES.get(key)
