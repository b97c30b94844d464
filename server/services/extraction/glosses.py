"""Glosses: a name, a colon or a dash, and what it is, without a verb: "Redis: our cache", "Pro — $19/month", "Mona Berg — CTO, Acme".

Where a verb follows, the sentence is read with the name as its subject; that is outline.py's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from spacy.tokens import Doc

from server.services.extraction import lexicon, vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.draft import Draft
from server.services.extraction.forms import Named, is_capitalised, name_at
from server.services.extraction.markup import Block
from server.services.extraction.money import amounts
from server.services.extraction.names import Name
from server.services.extraction.periods import periods
from server.services.extraction.protocol import ValueType

_JOINT = re.compile(r"\s*(?:\([^()]{1,40}\)\s*)?(?::|\s[–—-])\s+(?=\S)")
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_NOMINAL = frozenset({"DT", "PRP$", "NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS", "CD"})
_IS = re.compile(r"(?:an?|our|the|my)\s", re.IGNORECASE)
_SOLD = frozenset({"product", "feature", "technology", "concept"})
_LONGEST = 240


_PRICED = re.compile(r"(?P<name>[^\W\d_][\w+&. -]{0,40}?)\s*(?::|\s[–—-])\s+(?P<price>(?:US)?[$€£¥₹]\s?\d.{0,60})$")


@dataclass(frozen=True, slots=True)
class PriceLine:
    """What a tier or a product costs: "Pro — $19/month", in a list or a heading."""

    name: str
    price: str

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return what has the price."""
        found = name_at(doc, 0, self.name, "product")
        return [found] if found is not None else []

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """State the price."""
        money = amounts(self.price)
        if named and money:
            _state_price(named[0][1], self.price, money[0].value, draft)


def read_price_line(block: Block) -> PriceLine | None:
    """Return the price that a line gives to a tier, a plan, or a thing whose name is no common word."""
    match = _PRICED.match(block.text)
    if match is None or not is_capitalised(match["name"]) or len(match["name"].split()) > 4:
        return None
    words = set(match["name"].lower().split())
    if not words & (vocabulary.TIERS | vocabulary.PLAN_NOUNS) and lexicon.is_plain(match["name"]):
        return None
    return PriceLine(match["name"], match["price"])


@dataclass(frozen=True, slots=True)
class Gloss:
    """What follows the name that a block begins with: text[start:] of the block."""

    member: Member
    start: int


def read_gloss(block: Block, doc: Doc, names: Sequence[tuple[int, int, Member]], draft: Draft) -> bool:
    """Read a block that is a gloss; tell whether it was. `names` are the block's members with their characters."""
    gloss = _gloss(block, names)
    if gloss is None:
        return False
    rest = block.text[gloss.start :]
    tokens = [token for token in doc if token.idx >= gloss.start and not token.is_punct]
    if not tokens or len(rest) > _LONGEST:
        return False
    if money := [one for one in amounts(rest) if one.start == 0]:
        return _state_price(gloss.member, rest, money[0].value, draft)
    if any(token.tag_ in _FINITE for token in tokens) or tokens[0].tag_ not in _NOMINAL or rest.endswith("?"):
        return False
    if any(one.start == 0 for one in periods(f"{rest}")) or rest[0].isdigit():
        return False
    if any(start == gloss.start and end >= len(block.text.rstrip(". ")) for start, end, _ in names):
        return False
    if gloss.member.type in {"person", "place"} or not re.search(r"[a-z]{3}", rest):
        return False
    draft.state(gloss.member, rest, "definition", "IS_A" if _IS.match(rest) else None, importance=0.6)
    return True


def _gloss(block: Block, names: Sequence[tuple[int, int, Member]]) -> Gloss | None:
    if not names or names[0][0] != 0:
        return None
    joint = _JOINT.match(block.text, names[0][1])
    return Gloss(names[0][2], joint.end()) if joint else None


def joint_of(block: Block, end: int) -> tuple[int, int] | None:
    """Return where the colon or dash after a name that ends at `end` stands, half-open."""
    joint = _JOINT.match(block.text, end)
    return (joint.start(), joint.end()) if joint else None


def _state_price(member: Member, text: str, value: str | None, draft: Draft) -> bool:
    if member.type not in _SOLD:
        return False
    draft.state(member, f"costs {text}", "pricing", "COSTS", value=value, value_type=ValueType.MONEY, importance=0.9)
    return True
