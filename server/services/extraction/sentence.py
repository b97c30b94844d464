"""Sentence: one clause at a time with everything that a rule may ask about it, and what the rules before it have used up.

A rule takes complements; what none took becomes a plain statement at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from spacy.tokens import Token

from server.services.extraction.cast import Member
from server.services.extraction.clauses import Clause, Complement
from server.services.extraction.periods import Period
from server.services.extraction.reading import Reading
from server.services.extraction.syntax import is_alleged

_SPLITS = frozenset({"conj", "advcl", "relcl", "ccomp", "parataxis", "appos"})
_AROUND = frozenset({"after", "before", "until", "till", "since", "following", "during"})
_NEXT = frozenset({"then", "later", "afterwards", "subsequently", "next", "finally"})


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
        """Return whom a complement names; "is the founder" says what somebody is and refers to nobody."""
        token = complement.token
        if self.clause.lemma == "be" and not complement.preposition and self.reading.member(token) is None:
            return None
        return self.resolved.get(token.i)

    def named(self) -> Iterator[tuple[Complement, Member]]:
        """Yield the complements that name somebody and that no rule has used."""
        for complement in self.clause.complements:
            member = self.member(complement)
            if complement.noun is not None and is_alleged(complement.noun):
                continue
            if any(child.dep_ == "case" or _is_owned(child) for child in complement.token.children):
                continue  # "voted against Paul's", "read Paul and Ada's report"
            if member is not None and complement.token.i not in self.used:
                yield complement, member

    def use(self, *tokens: Token) -> None:
        """Mark complements as said."""
        self.used |= {token.i for token in tokens}

    @property
    def when(self) -> Period | None:
        """The date that the clause states, if any: one that hangs on its verb, its objects or their prepositions."""
        return next((period for _, period in self._dated()), None)

    def when_of(self, complement: Complement) -> Period | None:
        """Return the date of one item of a list: "Linux in 1991 and Git in 2005"; one date at either end is everyone's."""
        dated = list(self._dated())
        if len(dated) == 0:
            return None
        place = complement.token.i
        items = [
            one.token.i
            for one in self.clause.complements
            if one.preposition == complement.preposition and self.reading.period(one.token) is None
        ]
        before = max((item for item in items if item < place), default=None)
        after = min((item for item in items if item > place), default=None)
        for index, period in dated:
            if index > place and not (after is not None and index < after and self._joins(place, index)):
                return period
        if before is not None:
            if own := next(
                (one for index, one in dated if before < index < place and self._joins(before, index)), None
            ):
                return own
            dated = [(index, one) for index, one in dated if index < before]
            if any(token.lower_ in _NEXT for token in self.reading.doc[before:place]):
                return None
        return dated[-1][1] if dated else None

    def _dated(self) -> Iterator[tuple[int, Period]]:
        for token in self.own():
            period = self.reading.period(token)
            if period is not None and not _is_within_participle(token, self.clause.verb):
                bounded = _bounded(token, period)
                if bounded is not None:
                    yield token.i, bounded

    def _joins(self, first: int, last: int) -> bool:
        return any(token.dep_ == "cc" or token.lower_ in _NEXT for token in self.reading.doc[first:last])

    def own(self) -> list[Token]:
        """Return the clause's tokens without its subject and without other clauses."""
        clause = self.clause
        return sorted(
            (one for one in _own(clause.verb) if clause.first <= one.i < clause.last or one == clause.verb),
            key=lambda token: token.i,
        )

    def phrase(self, noun: Token) -> str:
        """Return a noun with what stands before it and "of" after it, without article: "senior engineer", "head of research"."""
        return self.reading.text(noun_phrase(noun, self.reading))


def _is_owned(listed: Token) -> bool:
    """Tell whether what is listed after a name belongs to both: "Paul and Ada's report"."""
    owner = listed.left_edge
    shared = listed.dep_ == "conj" and listed.pos_ == "NOUN" and owner.dep_ == "poss" and owner.pos_ == "PROPN"
    return shared and owner.i > 0 and owner.nbor(-1).dep_ == "cc"


def noun_phrase(noun: Token, reading: Reading) -> list[Token]:
    """Return the words of a bare noun phrase: no article, no list, no clause, no name after "of"."""
    words = [noun]
    for child in noun.children:
        if child.i < noun.i and child.dep_ not in {"det", "punct", "cc", "predet", "poss", "prep", "neg"}:
            words += child.subtree
        elif child.i > noun.i and child.dep_ == "prep" and child.lower_ in {"of", "for"}:
            tail = [one for one in child.subtree if not _is_beyond(one, child, reading)]
            if not any(reading.member(one) or reading.period(one) for one in tail):
                words += tail
    return words


def _bounded(token: Token, period: Period) -> Period | None:
    """Return what a date says of the clause: "until his death in 1049" ends it there, "after the war in 1718" does not date it."""
    noun = token.head.head if token.dep_ == "pobj" else token
    if noun.pos_ != "NOUN" or noun.dep_ != "pobj" or noun.head.lower_ not in _AROUND:
        return period
    word = noun.head.lower_
    if word in {"until", "till"}:
        return replace(period, word="until", since=None, value=None, is_range=True)
    return replace(period, word="since", until=None, value=None, is_range=True) if word == "since" else None


def _is_beyond(token: Token, top: Token, reading: Reading) -> bool:
    """Tell whether the token is in a phrase of its own with a name in it: "of engineering" goes on "at Acme"."""
    while token != top:
        token, below = token.head, token
        if below.dep_ == "prep" and any(reading.member(one) or reading.period(one) for one in below.subtree):
            return True
    return False


def _is_within_participle(token: Token, verb: Token) -> bool:
    """Tell whether a participle after a noun has the token: a film "directed in 1990" was not shown in 1990."""
    while token not in (verb, token.head):
        if token.dep_ == "acl":
            return True
        token = token.head
    return False


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
            child.dep_ == "conj"
            and child.pos_ in {"VERB", "AUX"}
            and token.pos_ in {"VERB", "AUX"}
            and token.dep_ != "acl"
        ):
            continue
        yield from _branch(child)
