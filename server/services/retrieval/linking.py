"""Linking: which entities and documents a question names, by their names, aliases and titles as the volume knows them.

The longest name wins, whatever its script. What stands in parentheses is part of a title ("Dark River (2017 film)"), never a name.
A word in lower case is no name by itself, unless the question has no capitals at all; two words that say something may be one
("enterprise plan").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from server.services.identity import match_key, title_key
from server.store.mentioning import Titled, titled
from server.store.reader import Reader
from server.store.records import EntityRecord
from server.store.words import UNSPACED

__all__ = ["EMPTY", "Linked", "linked", "named_in_each"]

_LONGEST = 16
_MOST_WORDS = 100
# A script that is written without spaces has a name in any of its runs; others in whole words. A mark belongs to the letter before it.
_MARKS = "".join(sign for sign in map(chr, range(0x0E00, 0x3100)) if unicodedata.category(sign)[0] == "M")
_WORD = re.compile(rf"[{UNSPACED}][{_MARKS}]*|[^\s{UNSPACED}]+")
_EDGE = " \t\n?!.,;:\"'“”‘’«»[]{}"
_OWNER = re.compile(r"['’]s$")
EMPTY = frozenset(
    "a about above after again all also am an and any are as at be because been before being below between both but by can could "
    "did do does doing done down during each ever every few for from further get give had has have having he her here hers him his "
    "how i if in into is it its just know known like list many may me might more most much my name named no nor not now of off on "
    "once one only or other our out over own please same say shall she should show so some such tell than that the their them then "
    "there these they this those through to too two under until up us use used very was we were what when where which while who "
    "whom whose why will with would you your".split()
)


class Linked(NamedTuple):
    """A name in a question: the entities that it may stand for, each as what it counts as now, and the first chunks of the
    documents with this title.
    """

    name: str
    entities: tuple[UUID, ...]
    chunks: tuple[UUID, ...] = ()


class _Span(NamedTuple):
    first: int
    last: int
    name: str
    key: str
    title: str


async def linked(read: Reader, volume: UUID, question: str, words: int = _MOST_WORDS) -> list[Linked]:
    """Return the names in the first words of a question, in order; of names that overlap, the longest.

    Two statements for each 500 possible names, of which so many `words` have at most sixteen each.
    """
    spans = list(_spans(question, words))
    entities = await read.entities_named(volume, list({span.key for span in spans}))
    documents = await titled(read, volume, list({span.title for span in spans}))
    return _longest(spans, entities, documents)


async def named_in_each(
    read: Reader, volume: UUID, texts: Sequence[str], words: int = _MOST_WORDS
) -> list[list[Linked]]:
    """Return the names of entities in the first words of each of some texts, in order; titles do not count, and a word in lower case may be
    a name.

    One statement for each 500 possible names of all texts, of which so many `words` have at most sixteen each.
    """
    spans = [list(_spans(text, words, cased=False)) for text in texts]
    entities = await read.entities_named(volume, list({span.key for own in spans for span in own}))
    return [_longest(own, entities, ()) for own in spans]


def _spans(question: str, most: int, *, cased: bool | None = None) -> Iterable[_Span]:
    """Yield every run of words that may be a name."""
    words = list(_WORD.finditer(question))[:most]
    if cased is None:
        cased = any(sign.isupper() for sign in question[1:])
    for first in range(len(words)):
        for last in range(first, min(first + _LONGEST, len(words))):
            text = question[words[first].start() : words[last].end()].strip(_EDGE)
            if not _is_whole(text):
                continue
            for name in dict.fromkeys((text, _OWNER.sub("", text))):
                if name and _may_name(name, cased=cased):
                    yield _Span(first, last, name, match_key(name), title_key(name))


def _is_whole(text: str) -> bool:
    """Return whether a text neither cuts through parentheses nor begins with them."""
    return text.count("(") == text.count(")") and not text.startswith("(")


def _may_name(name: str, *, cased: bool) -> bool:
    if not name.isascii() or any(sign.isupper() or sign.isdigit() for sign in name):
        return name.casefold() not in EMPTY
    words = name.split()
    telling = sum(word not in EMPTY for word in words)
    return words[0] not in EMPTY and telling > (1 if cased else 0)


def _longest(
    spans: Sequence[_Span], entities: Mapping[str, Sequence[EntityRecord]], documents: Sequence[Titled]
) -> list[Linked]:
    by_title: dict[str, list[Titled]] = {}
    for document in documents:
        by_title.setdefault(document.title_key, []).append(document)
    taken: set[int] = set()
    kept: list[tuple[int, Linked]] = []
    for span in sorted(spans, key=lambda one: (one.first - one.last, one.first)):
        places = range(span.first, span.last + 1)
        if not taken.isdisjoint(places):
            continue
        known = tuple(dict.fromkeys(row.merged_into or row.id for row in entities.get(span.key, ())))
        chunks = tuple(_titled_so(span, by_title.get(span.title, ())))
        if known or chunks:
            taken.update(places)
            kept.append((span.first, Linked(span.name, known, chunks)))
    return [one for _, one in sorted(kept)]


def _titled_so(span: _Span, documents: Sequence[Titled]) -> Iterable[UUID]:
    """Return the chunks of the documents whose title a name is; one with parentheses is only that title."""
    aside = "(" in span.name
    return (one.chunk for one in documents if not aside or match_key(one.title) == span.key)
