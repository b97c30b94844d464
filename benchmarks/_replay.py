"""A replaying extractor: what a language model once answered for each passage, given again chunk by chunk.

A recorded answer has names and triples (subject, relation, object) of a passage, without quotes. A triple's quote is the
sentence of the passage that has most of its words. Between two listed names it is a relationship; with any other object a fact. What
is malformed, or about a name that the passage does not have, is refused with its reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from server.services.extraction.protocol import (
    ChunkText,
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelationship,
    Extraction,
    RejectedItem,
    Span,
)
from server.services.sentences import sentences

__all__ = ["Recorded", "Replay", "recordings"]

TYPE = "concept"
_WORD = re.compile(r"\w+")


class Triple(NamedTuple):
    """A sound triple."""

    subject: str
    relation: str
    object: str


class _Sentence(NamedTuple):
    start: int
    end: int
    words: frozenset[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


@dataclass(frozen=True)
class Recorded:
    """A passage with what was answered for it."""

    title: str
    text: str
    names: Sequence[Any] = ()
    triples: Sequence[Any] = ()

    @cached_property
    def content(self) -> str:
        """The document: the title, which the model had read too, and the text, so that no chunk has the title alone."""
        return f"{self.title}\n{self.text}"

    @cached_property
    def _sentences(self) -> list[_Sentence]:
        return [_Sentence(a, b, _words(self.content[a:b])) for a, b in sentences(self.content)]

    @cached_property
    def _folded(self) -> str:
        """The content as it is searched, each sign at its place."""
        return "".join(sign.casefold() if len(sign.casefold()) == 1 else sign for sign in self.content)

    def find(self, name: str, start: int = 0, end: int | None = None) -> Span | None:
        """Return where the content has a name as whole words, in any case."""
        pattern = re.compile(rf"(?<!\w){re.escape(name.strip().casefold())}(?!\w)")
        found = pattern.search(self._folded, start, len(self._folded) if end is None else end)
        return None if found is None or not name.strip() else Span(*found.span())

    def refusal(self, given: Any) -> str | None:
        """Return why a triple cannot stand, or None."""
        if not isinstance(given, list) or any(not isinstance(part, str) or not part.strip() for part in given):
            return "A triple must be three texts."
        if len(given) != 3:
            return f"A triple has three parts; this has {len(given)}."
        names = [given[0], given[2]] if self.lists(given[2]) else [given[0]]
        missing = next((name for name in names if self.find(name) is None), None)
        return None if missing is None else f"The passage does not have the name {missing}."

    def lists(self, name: str) -> bool:
        """Return whether a name is among those that were answered."""
        return name.casefold() in self._listed

    @cached_property
    def _listed(self) -> frozenset[str]:
        return frozenset(name.casefold() for name in self.names if isinstance(name, str))

    def best(self, *texts: str) -> Span:
        """Return the sentence that has most words of some texts, the first one among equals."""
        wanted = _words(" ".join(texts))
        found = max(self._sentences, key=lambda one: (len(wanted & one.words), -one.start))
        return Span(found.start, found.end)


def recordings(path: Path) -> list[Recorded]:
    """Return the recorded passages of a file."""
    found = json.loads(path.read_bytes())["docs"]
    return [Recorded(d["title"], d["text"], d["extracted_entities"], d["extracted_triples"]) for d in found]


@dataclass
class Replay:
    """Gives the recorded answers of passages; `name` is recorded on the ingestion. Documents are known by their contents."""

    passages: Sequence[Recorded]
    name: str = "replay"
    _by_title: dict[str, list[Recorded]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.passages:
            self._by_title.setdefault(one.title, []).append(one)

    async def extract(self, chunk: ChunkText) -> Extraction:
        """Return what was answered for the passage, as far as its words stand in the chunk."""
        for one in self._by_title.get(chunk.title, ()):
            at = one.content.find(chunk.text)
            if at >= 0:
                return _Reader(one, Span(at, at + len(chunk.text)), chunk).read()
        return Extraction()


class _Reader:
    """One chunk being read."""

    def __init__(self, passage: Recorded, place: Span, chunk: ChunkText) -> None:
        self._passage = passage
        self._place = place
        self._found = Extraction()
        self._keys: dict[str, str] = {}
        self._known = {known.name.casefold(): known.key for known in chunk.known}

    def read(self) -> Extraction:
        for name in self._passage.names:
            self._name(name)
        for triple in self._passage.triples:
            self._triple(triple)
        return self._found

    def _name(self, name: Any) -> None:
        if not isinstance(name, str) or not name.strip():
            self._refuse("entity", {"name": name}, "A name must be text.")
        elif self._passage.find(name) is None:
            self._refuse("entity", {"name": name}, "The passage does not have this name.")
        else:
            self._key(name)

    def _triple(self, given: Any) -> None:
        refusal = self._passage.refusal(given)
        if refusal is not None:
            return self._refuse("triple", {"triple": given}, refusal)
        triple = Triple(*given)
        quote = self._passage.best(*triple)
        if not self._inside(quote):
            return None  # another chunk has its words
        return self._state(triple, self._passage.content[quote.start : quote.end])

    def _state(self, triple: Triple, quote: str) -> None:
        subject = self._key(triple.subject, quote)
        if self._passage.lists(triple.object):
            other = self._key(triple.object, quote)
            edge = ExtractedRelationship(subject, triple.relation, other, quote)
            self._found.relationships.append(edge)
            return
        content = " ".join(triple)
        fact = ExtractedFact(subject, content, quote, predicate=triple.relation, value=triple.object)
        self._found.facts.append(fact)

    def _key(self, name: str, elsewhere: str | None = None) -> str:
        """List a name where the chunk has it, else, if a claim about it stands here, with the claim's quote; return its key."""
        folded = name.casefold()
        if folded in self._keys:
            return self._keys[folded]
        here = self._passage.find(name, self._place.start, self._place.end)
        if here is not None:
            mention = Span(here.start - self._place.start, here.end - self._place.start)
            self._list(folded, name, self._passage.content[here.start : here.end], (mention,))
        elif elsewhere is not None and folded in self._known:
            self._keys[folded] = self._known[folded]
        elif elsewhere is not None:
            self._list(folded, name, elsewhere)
        return self._keys.get(folded, folded)

    def _list(self, key: str, name: str, quote: str, mentions: tuple[Span, ...] = ()) -> None:
        self._keys[key] = key
        self._found.entities.append(ExtractedEntity(key, name, TYPE, quote, mentions))

    def _inside(self, span: Span) -> bool:
        return self._place.start <= span.start and span.end <= self._place.end

    def _refuse(self, kind: str, item: dict[str, Any], reason: str) -> None:
        if self._place.start == 0:  # once, not for each chunk
            self._found.rejected.append(RejectedItem(kind, item, reason))
