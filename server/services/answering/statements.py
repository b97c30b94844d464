"""Statements: what each line of a context says, in a form that a question can be held against."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from server.services.answering.naming import Thing
from server.services.answering.wording import stem, words_of

__all__ = ["Statement"]

_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")


@dataclass(frozen=True)
class Statement:
    """What a line says: of `subject`, by `predicate`, an `object` or a `content` in words; a line that is no claim has a content alone.

    `number` is the line's in its context, `place` how good it is there, from 0, the best; `quote` the words that it rests on; `dates` when it
    holds, in words, from `since` to `until`. `over`: it holds no more. `value_type` is that of a fact's value. `about` are entities
    that a memory is about.
    """

    number: int
    place: int = 0
    subject: Thing | None = None
    predicate: str = ""
    object: Thing | None = None
    content: str = ""
    quote: str = ""
    value_type: str = "NONE"
    dates: str = ""
    since: datetime | None = None
    until: datetime | None = None
    over: bool = False
    disputed: bool = False
    about: tuple[Thing, ...] = ()

    @property
    def is_claim(self) -> bool:
        """Whether it is a claim, not a sentence of a memory or of a document."""
        return self.subject is not None

    @property
    def dated(self) -> bool:
        """Whether its time is stated."""
        return self.since is not None or self.until is not None

    def is_of(self, word: str) -> bool:
        """Return whether a word is a year in which it holds, as is stated."""
        return self.dated and _YEAR.fullmatch(word) is not None and not self.is_not_of(word)

    def is_not_of(self, word: str) -> bool:
        """Return whether a word is a year in which it does not hold, as is stated."""
        if _YEAR.fullmatch(word) is None:
            return False
        late = self.since is not None and self.since.year > int(word)
        return late or (self.until is not None and self.until <= datetime(int(word), 1, 1, tzinfo=UTC))

    @cached_property
    def ends(self) -> tuple[Thing, ...]:
        """The entities that it is about."""
        return tuple(end for end in (self.subject, self.object) if end is not None)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words, the names at its ends among them."""
        said = " ".join((self.predicate, self.content, *(f"{end.name} {end.type}" for end in self.ends)))
        return _stems(said)

    @cached_property
    def own(self) -> frozenset[str]:
        """The stems of what it states, without its ends."""
        return _stems(f"{self.predicate} {self.content}")

    @cached_property
    def quoted(self) -> frozenset[str]:
        """The stems of the words that it rests on."""
        return _stems(self.quote)

    @cached_property
    def plain(self) -> str:
        """All that it says, in lower case."""
        return " ".join((self.content, *(end.name for end in self.ends), self.quote)).casefold()


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(part) for word in words_of(text) for part in (word, *word.split("-")))
