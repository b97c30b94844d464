"""Coreference: whom "she", "it", "the plan" or "its" mean, from what the document named last.

One antecedent or none: a pronoun that nothing fits is reported as unresolved, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable

from spacy.tokens import Token

from server.services.extraction import vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.reading import Reading

_PERSONS = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "hers": "f", "herself": "f"}
_THINGS = frozenset({"it", "its", "itself"})
_GROUPS = frozenset({"they", "them", "their"})
_DEFINITE = frozenset({"the", "this", "that"})
_CLASSES: dict[str, frozenset[str]] = {
    "organization": vocabulary.wordset(
        "company firm startup organization organisation university school bank institute agency group team business employer vendor"
    ),
    "product": vocabulary.wordset(
        "plan tier product package subscription edition service app application tool platform device"
    ),
    "technology": vocabulary.wordset(
        "library framework language model system architecture protocol tool database engine platform software technology"
    ),
    "person": vocabulary.wordset(
        "engineer scientist author writer actor actress director singer physicist mathematician professor founder politician man woman"
    ),
    "place": vocabulary.wordset("city country town village region state river island"),
    "event": vocabulary.wordset("war conference battle event summit festival"),
    "work": vocabulary.wordset("book film movie novel album song paper series play"),
    "feature": vocabulary.wordset("feature"),
}


class Discourse:
    """What the text is about at each point: the subjects and mentions so far, latest last, and the heading that it stands under."""

    def __init__(self, cast: Cast, about: Member | None) -> None:
        self._mentions = [*([about] if about else []), *cast.known]
        self._subjects: list[Member] = list(self._mentions)
        self.topic: Member | None = about

    def mention(self, member: Member) -> None:
        """Note that the text has just named `member`."""
        self._mentions.append(member)

    def begin(self, member: Member) -> None:
        """Note that a clause has just been about `member`."""
        self._subjects.append(member)

    def head(self, member: Member | None) -> None:
        """Note a heading: what follows is about `member`."""
        self.topic = member
        if member is not None:
            self._mentions.append(member)
            self._subjects.append(member)

    def resolve(self, reading: Reading, token: Token) -> Member | None:
        """Return the member that the token names or refers back to."""
        named = reading.member(token)
        if named is not None:
            return named
        word = token.lower_
        if word in _PERSONS:
            return self._latest(lambda member: member.type == "person" and member.gender in {_PERSONS[word], "u"})
        if word in _THINGS:
            return self._latest(lambda member: member.type not in {"person", "event"})
        if word in _GROUPS:
            return self._latest(lambda member: member.type == "organization", subjects_only=True)
        return self._definite(token)

    def _definite(self, token: Token) -> Member | None:
        """Resolve "the plan", "this library": the latest member of a type that the noun can stand for."""
        fitting = {kind for kind, nouns in _CLASSES.items() if token.lemma_.lower() in nouns}
        plain = [child for child in token.children if child.dep_ not in {"punct"}]
        if not fitting or len(plain) != 1 or plain[0].lower_ not in _DEFINITE:
            return None
        if "technology" in fitting:
            fitting |= {"concept"}
        return self._latest(lambda member: member.type in fitting)

    def _latest(self, fits: Callable[[Member], bool], *, subjects_only: bool = False) -> Member | None:
        """Return the latest member that fits: subjects first, for a text goes on about what it was about."""
        for members in (self._subjects,) if subjects_only else (self._subjects, self._mentions):
            for member in reversed(members):
                if fits(member):
                    return member
        return None


def is_pronoun(token: Token) -> bool:
    """Tell whether the token is a pronoun that stands for somebody or something named."""
    return token.lower_ in _PERSONS or token.lower_ in _THINGS or token.lower_ in _GROUPS
