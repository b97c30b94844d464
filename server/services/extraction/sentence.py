"""Sentence: one clause at a time with everything that a rule may ask about it, and what the rules before it have used up.

A rule takes complements; what none took becomes a plain statement at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from spacy.tokens import Token

from server.services.extraction.cast import Member
from server.services.extraction.clauses import Clause, Complement
from server.services.extraction.periods import Period
from server.services.extraction.reading import Reading

_SPLITS = frozenset({"conj", "advcl", "relcl", "ccomp", "parataxis", "appos"})


@dataclass(slots=True)
class Scene:
    """A clause whose subject is known. `resolved` says whom each complement names, by token position.

    What a rule has used is said; what it has told may still be quoted by a statement about the rest.
    """

    reading: Reading
    clause: Clause
    subject: Member
    resolved: dict[int, Member]
    used: set[int] = field(default_factory=set)
    told: set[int] = field(default_factory=set)

    def member(self, complement: Complement) -> Member | None:
        """Return whom a complement names."""
        return self.resolved.get(complement.token.i)

    def named(self) -> Iterator[tuple[Complement, Member]]:
        """Yield the complements that name somebody and that no rule has used."""
        for complement in self.clause.complements:
            member = self.member(complement)
            if member is not None and complement.token.i not in self.used:
                yield complement, member

    def use(self, *tokens: Token) -> None:
        """Mark complements as said."""
        self.used |= {token.i for token in tokens}

    @property
    def when(self) -> Period | None:
        """The date that the clause states, if any: one that hangs on its verb, its objects or their prepositions."""
        return next((period for token in self.own() if (period := self.reading.period(token)) is not None), None)

    def own(self) -> list[Token]:
        """Return the clause's tokens without its subject and without other clauses."""
        return sorted(_own(self.clause.verb), key=lambda token: token.i)

    def phrase(self, noun: Token) -> str:
        """Return a noun with what stands before it and "of" after it, without article: "senior engineer", "head of research"."""
        return self.reading.text(noun_phrase(noun, self.reading))


def noun_phrase(noun: Token, reading: Reading) -> list[Token]:
    """Return the words of a bare noun phrase: no article, no list, no clause, no name after "of"."""
    words = [noun]
    for child in noun.children:
        if child.i < noun.i and child.dep_ not in {"det", "punct", "cc", "predet", "poss", "prep", "neg"}:
            words += child.subtree
        elif child.i > noun.i and child.dep_ == "prep" and child.lower_ in {"of", "for"}:
            tail = list(child.subtree)
            if not any(reading.member(one) or reading.period(one) for one in tail):
                words += tail
    return words


def _own(verb: Token) -> Iterator[Token]:
    yield verb
    for child in verb.children:
        if child.dep_ in {"nsubj", "nsubjpass", "punct", "cc", "mark"} or child.dep_ in _SPLITS:
            continue
        yield from _branch(child)


def _branch(token: Token) -> Iterator[Token]:
    yield token
    for child in token.children:
        if child.dep_ in {"relcl", "advcl"} or (
            child.dep_ == "conj" and child.pos_ in {"VERB", "AUX"} and token.pos_ in {"VERB", "AUX"}
        ):
            continue
        yield from _branch(child)
