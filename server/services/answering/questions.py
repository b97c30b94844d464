"""Questions: what a text asks for, by the words of English questions: of what kind, about which names, in which words.

One text may ask several things. What stands before a question ("Our team uses Okta, which ...") is its background: it may be answered
about, but need not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from server.services.answering.naming import Named
from server.services.answering.wording import ASKING, stem, words_of
from server.services.sentences import sentences

__all__ = ["Asked", "Kind", "asked_in"]


class Kind(StrEnum):
    """What is asked for."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    PRICE = "how much"
    COUNT = "how many"
    WHICH = "which"
    ABOUT = "what it is"
    WHY = "why"
    RELATION = "how they hang together"
    DIFFERENCE = "how they differ"
    WHETHER = "whether"
    OTHER = "what"


class Asked(NamedTuple):
    """One thing that is asked.

    `text` is how it is asked; `head` are the words of what is asked for ("which plans"), `words` the others that say what; `names` those
    that it names itself, and `background` others of the same text. `strange` are words that look like names and are none that are known.
    `past`: of what was.
    """

    text: str
    kind: Kind
    head: tuple[str, ...]
    words: tuple[str, ...]
    names: tuple[Named, ...]
    background: tuple[Named, ...]
    strange: tuple[str, ...]
    past: bool


_OPENS = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_BEGINS = re.compile(
    r"^\W*(?:(?:please|so|and|but|also|then|ok|hi|hello)\b\W*)*(?:(?:can|could|would)\s+you\s+(?:please\s+)?)?"
    r"(?:tell|describe|explain|list|compare|show|give|summari[sz]e|name|do|does|did|is|are|was|were|can|could|will|would|has|have|had|should|may|must)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(r"[,;]?\s+(?:and|or|but)\s+(?=(?:who|what|which|when|where|why|how)\b)", re.IGNORECASE)
_PATTERNS: tuple[tuple[Kind, str], ...] = (
    (Kind.DIFFERENCE, r"\bdiffer(?:s|ed|ence|ences|ent|ently)?\b|\bcompar(?:e|es|ed|ison)\b|\b(?:versus|vs)\b"),
    (Kind.WHY, r"^\W*why\b|\b(?:reason|purpose)\b|^\W*what\b.*\bfor\W*$|\bexplain why\b"),
    (
        Kind.RELATION,
        r"\b(?:relat(?:e|es|ed|ion|ionship)|connect(?:ed|ion)?|hang together|have to do with|link(?:ed)?)\b",
    ),
    (
        Kind.WHEN,
        r"^\W*(?:since |until )?when\b|\b(?:what|which) (?:year|date|day|month|time)\b|\bhow long ago\b|\bsince when\b",
    ),
    (
        Kind.PRICE,
        r"\bhow (?:much|expensive|cheap)\b|\bwhat\b.*\b(?:price|costs?|fee)\b|\b(?:price|pricing|cost) of\b|§ (?:price|cost)\b",
    ),
    (Kind.COUNT, r"\bhow (?:many|large|big|old|long|tall|fast|far|often)\b|\b(?:the|what) number of\b"),
    (Kind.WHERE, r"^\W*where\b|\b(?:what|which) (?:city|town|country|place|region|state)\b"),
    (Kind.WHO, r"^\W*(?:by |with |for |to |under )?(?:who|whom|whose)\b"),
)
_ABOUT = re.compile(
    r"^\W*(?:who|what)(?:['’]s|\s+(?:is|are|was|were))\s+(?P<what>[^?]*)|"
    r"\b(?:tell\s+(?:me|us)\s+(?:more\s+|something\s+)?about|describe|summari[sz]e|what\s+(?:do\s+(?:you|we)\s+)?know\s+about|"
    r"what\s+(?:is\s+)?known\s+(?:about|of)|(?:what|how)\s+about|(?:information|facts|everything)\s+(?:about|on))\s+(?P<more>[^?]*)",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"\b(?:which|what|how\s+many)\s+(?:(?:one|ones|all)\s+)?(?:of\s+)?(?:(?:the|your|our|their|its|my|these|those)\s+)?(?P<noun>[^?,;]*)"
    r"|^\W*(?:(?:can|could|would)\s+you\s+)?(?:please\s+)?(?:list|name|show|give)\s+(?:me\s+|us\s+)?(?:(?:all|the|your|our|every)\s+)*(?P<listed>[^?,;]*)",
    re.IGNORECASE,
)
_ENDS_HEAD = frozenset(
    "do does did is are was were can could will would should shall may might must has have had that which who of in on at for with by from "
    "to a an the and or we you i it he she they".split()
)
_PAST = re.compile(
    r"\b(?:did|was|were|used to|former|formerly|previous|previously|before|ever|(?:has|have|had) been)\b", re.IGNORECASE
)
_LOOKS_NAMED = re.compile(r"[^\W\d_].*\d|\d.*[^\W\d_]|[A-Z]|[a-z].*[A-Z]")
_RELATIVE = re.compile(r"§,?\s+(?:that|which|who)\b.*$", re.IGNORECASE | re.DOTALL)
"""What is said of a name besides; what is asked for stands before it."""
_OWNER = re.compile(r"^['’]s?\b")
_KIND_WORDS: dict[Kind, frozenset[str]] = {
    Kind.WHEN: frozenset("year date day month time ago long since".split()),
    Kind.PRICE: frozenset("price cost pric pay expensive cheap fee charge".split()),
    Kind.COUNT: frozenset(("number", "total")),
    Kind.WHERE: frozenset("city town country place region state".split()),
    Kind.WHY: frozenset("reason purpose".split()),
    Kind.RELATION: frozenset("relate connect link hang together".split()),
    Kind.DIFFERENCE: frozenset("differ compare versus vs".split()),
}


def asked_in(text: str, names: Sequence[Named]) -> list[Asked]:
    """Return what a text asks, in order; a text without a question asks about what it says."""
    clauses = list(_clauses(text))
    found = []
    for start, end in clauses:
        inside = tuple(name for name in names if start <= name.start < end)
        outside = tuple(name for name in names if not start <= name.start < end)
        found.append(_asked(text[start:end], start, inside, outside))
    return [one for one in found if one.names or one.words or one.head or len(found) == 1]


def _clauses(text: str) -> Iterable[tuple[int, int]]:
    """Yield where a text asks: its questions, each part of them that begins with a question's word; or all of it."""
    spans = sentences(text)
    asking = [(s, e) for s, e in spans if text[s:e].rstrip().endswith(("?", "？")) or _begins(text[s:e])]
    for start, end in asking or [(0, len(text))]:
        opened = _opening(text[start:end])
        cuts = [one.end() for one in _NEXT.finditer(text, start + opened, end)]
        yield from zip([start + opened, *cuts], [*cuts, end], strict=True)


def _begins(sentence: str) -> bool:
    first = _OPENS.match(sentence.lstrip())
    return (
        first is not None
        or re.match(
            _BEGINS.pattern.replace(
                "do|does|did|is|are|was|were|can|could|will|would|has|have|had|should|may|must", "~"
            ),
            sentence,
            re.I,
        )
        is not None
    )


def _opening(sentence: str) -> int:
    """Return where a sentence begins to ask, behind what is told first with a comma."""
    if _BEGINS.match(sentence):
        return 0
    for found in _OPENS.finditer(sentence):
        before = sentence[: found.start()].rstrip()
        if not before:
            return 0
        if before[-1] in ",;:–-—":
            return found.start()
    return 0


def _asked(text: str, offset: int, names: tuple[Named, ...], background: tuple[Named, ...]) -> Asked:
    plain = _without_names(text, offset, names)
    kind = _kind(plain, names)
    head = _head(plain) if kind in (Kind.OTHER, Kind.COUNT, Kind.WHO, Kind.WHEN, Kind.WHERE) else ()
    if kind is Kind.OTHER and head:
        kind = Kind.WHICH
    elif kind is Kind.WHEN or kind is Kind.WHERE:
        head = ()
    left = [
        word
        for word in words_of(_RELATIVE.sub("§", plain))
        if word not in ASKING and stem(word) not in _KIND_WORDS.get(kind, frozenset())
    ]
    words = tuple(dict.fromkeys(word for word in left if word not in head))
    return Asked(
        text.strip().rstrip("?. "), kind, head, words, names, background, _strange(plain), bool(_PAST.search(plain))
    )


def _without_names(text: str, offset: int, names: Sequence[Named]) -> str:
    """Return a clause with a sign in place of each name."""
    for name in reversed(names):
        text = f"{text[: name.start - offset]}§{_OWNER.sub('', text[name.end - offset :])}"
    return text


def _kind(plain: str, names: Sequence[Named]) -> Kind:
    for kind, pattern in _PATTERNS:
        if re.search(pattern, plain, re.IGNORECASE) and (kind is not Kind.DIFFERENCE or names):
            about = kind is Kind.WHO and _ABOUT.match(plain)
            return Kind.ABOUT if about and not _telling(about["what"] or "") else kind
    about = _ABOUT.search(plain)
    if about and "§" in plain and not _telling(about["what"] or about["more"] or ""):
        return Kind.ABOUT
    if _BEGINS.match(plain) and not re.match(
        r"\W*(?:\w+\W+)?(?:tell|describe|explain|list|show|give|name)\b", plain, re.I
    ):
        return Kind.WHETHER
    return Kind.OTHER


def _telling(text: str) -> bool:
    return any(word not in ASKING and word != "§" for word in words_of(text))


def _head(plain: str) -> tuple[str, ...]:
    """Return the words of what is asked for: of "which of your plans would" the plans."""
    found = _HEAD.search(plain)
    if found is None:
        return ()
    head: list[str] = []
    for word in (found["noun"] or found["listed"] or "").split():
        bare = words_of(word)
        if "§" in word or not bare or bare[0] in _ENDS_HEAD or len(head) == 3:
            break
        head += [one for one in bare if one not in ASKING]
        if head and head[-1].endswith("s") and not head[-1].endswith("ss"):
            break
    return tuple(head)


def _strange(plain: str) -> tuple[str, ...]:
    """Return the words of a clause that are written as names are, but for its first one; none where most words are."""
    words = [word.strip(".,;:!?\"'()“”") for word in plain.split()]
    named = [
        word for word in words[1:] if _LOOKS_NAMED.match(word) and word.casefold() not in ASKING and "§" not in word
    ]
    return () if len(named) * 2 > len(words) and len(words) > 3 else tuple(dict.fromkeys(named))
