"""Coreference: whom "she", "it", "the plan" or "its" mean, from what the document named last.

One antecedent or none: a pronoun that nothing fits is reported as unresolved, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable

from spacy.tokens import Token

from server.services.extraction import vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.kinds import Trust
from server.services.extraction.reading import Reading
from server.services.extraction.subjects import subjects
from server.services.extraction.syntax import KIN, SUBJECTS

_PERSONS = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "hers": "f", "herself": "f"}
_THINGS = frozenset({"it", "its", "itself"})
_GROUPS = frozenset({"they", "them", "their"})
_HEADS = vocabulary.ORGANIZATION_HEADS | vocabulary.PLACE_HEADS | vocabulary.EVENT_HEADS | vocabulary.OF_HEADS
_DEFINITE = frozenset({"the", "this", "that"})


class Discourse:
    """What the text is about at each point: the subjects and mentions so far, latest last, and the heading that it stands under."""

    def __init__(self, cast: Cast, about: Member | None) -> None:
        self._about = [about] if about else []
        self._known = cast.known
        self._mentions: list[Member] = []
        self._subjects: list[Member | None] = []

    def mention(self, member: Member) -> None:
        """Note that the text has just named `member`."""
        self._mentions.append(member)

    def begin(self, subject: Member | None) -> None:
        """Note what a clause has just been about; None where that has no name, so that "it" means nothing named before."""
        self._subjects.append(subject)

    def head(self, member: Member | None) -> None:
        """Note a heading: what follows is about `member`."""
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
            genders = {_PERSONS[word], "u"}
            found = self._latest(lambda member: member.type == "person" and member.gender in genders)
            above = _object_before(reading, token) or _subject_above(reading, token)
            if above is not None and above.type == "person" and above.gender in genders:
                surer = found is not None and found.gender != "u" and above.gender == "u"
                return found if surer else above
            return found or self._person_by_pronoun()
        if word in _THINGS:
            if word == "its":
                above = _subject_above(reading, token)
                if above is not None and above.type not in {"person", "event"}:
                    return above
                if _is_unnamed_thing(token):
                    return None
            if (self._subjects and self._subjects[-1] is None) or _has_nearer(token):
                return None
            return self._latest(lambda member: member.type not in {"person", "event"})
        if word in _GROUPS:
            return next(
                (one for one in reversed(self._subjects) if one is not None and one.type == "organization"), None
            )
        return self._definite(token)

    def _person_by_pronoun(self) -> Member | None:
        """Return the latest subject or topic, a person by the very pronoun, where only the recogniser has said anything else."""
        for member in (
            *reversed([one for one in self._subjects if one is not None]),
            *self._about,
            *reversed(self._known),
        ):
            if member.trust <= Trust.RECOGNISER and member.type != "person":
                member.learn("person", Trust.CUE)
                return member
        return None

    def _definite(self, token: Token) -> Member | None:
        """Resolve "the plan", "this library": the latest member whose name has the noun, else of a type that the noun can stand for."""
        noun = token.lemma_.lower()
        beside = [child.lower_ for child in token.children if child.dep_ != "punct" and child.i < token.i]
        if (
            len(beside) != 1
            or beside[0] not in _DEFINITE
            or any(child.dep_ in {"prep", "acl"} for child in token.children)
        ):
            return None
        if noun in _HEADS:
            named = self._latest(lambda member: member.type != "person" and noun in _words(member))
            if named is not None:
                return named
        fitting = {kind for kind, nouns in vocabulary.CLASSES.items() if noun in nouns}
        if "technology" in fitting:
            fitting |= {"concept"}
        return self._latest(lambda member: member.type in fitting) if fitting else None

    def _latest(self, fits: Callable[[Member], bool]) -> Member | None:
        """Return the latest member that fits: subjects first, then what the title names, for a text goes on about what it is about."""
        for members in (self._subjects, self._about, self._mentions, self._known):
            for member in reversed(members):
                if member is not None and fits(member):
                    return member
        return None


def _words(member: Member) -> list[str]:
    """Return the words of a longer name, lower-case."""
    words = member.name.lower().split()
    return words if len(words) > 1 else []


def _has_nearer(token: Token) -> bool:
    """Tell whether an object pronoun may well mean a plain noun of its own sentence: "fills gaps in a sentence; GPT-3 continues it"."""
    if token.dep_ not in {"dobj", "pobj"}:
        return False
    return any(before.pos_ == "NOUN" and before.tag_ == "NN" for before in token.doc[token.sent.start : token.i])


def _subject_above(reading: Reading, token: Token) -> Member | None:
    """Return the name that is the subject of the clause around a pronoun, or of one around that: "Ada said she", "Acme sold its"."""
    above = list(token.ancestors)
    beside = next((one.head for one in above if one.dep_ == "conj" and reading.member(one.head) is not None), None)
    if beside is not None and beside.i < token.i:
        return reading.member(beside)  # "the son of Bo Roe and his wife"
    own = next((one for one in above if one.pos_ in {"VERB", "AUX"}), None)
    other = token.tag_ == "PRP" and token.dep_ not in SUBJECTS and not token.lower_.endswith("self")
    barred = {one.i for one in subjects(own)} if own is not None and other else set()  # "Ada hit her" is somebody else
    for verb in above:
        if verb.lemma_ in {"be", "bear"} and any(one.lemma_.lower() in KIN for one in above):
            return None  # "he was the son of Bo Roe by his first wife"
        for child in verb.children:
            nearer = child.dep_ in SUBJECTS and child.i < token.i and child not in above and child.i not in barred
            named = reading.member(child) if nearer else None
            if named:
                return named
    return None


def _object_before(reading: Reading, pronoun: Token) -> Member | None:
    """Return the name that an object pronoun takes up as an object: "Ada named Bo a judge and Cy praised him"."""
    if pronoun.dep_ != "dobj" or pronoun.tag_ != "PRP":
        return None
    before = reversed(pronoun.doc[pronoun.sent.start : pronoun.i])
    return next((of for one in before if one.dep_ == "dobj" and (of := reading.member(one)) is not None), None)


def _is_unnamed_thing(pronoun: Token) -> bool:
    """Tell whether "its" belongs to an unnamed subject: "the hit saw its"; "the company" stands for a name."""
    above = list(pronoun.ancestors)
    before = (one for verb in above for one in verb.children if one.dep_ in SUBJECTS and one.i < pronoun.i)
    subject = next((one for one in before if one not in above), None)
    if subject is None or subject.pos_ != "NOUN" or subject.tag_ != "NN":
        return False
    return not any(subject.lemma_.lower() in nouns for nouns in vocabulary.CLASSES.values())


def is_pronoun(token: Token) -> bool:
    """Tell whether the token is a pronoun that stands for somebody or something named."""
    return token.lower_ in _PERSONS or token.lower_ in _THINGS or token.lower_ in _GROUPS
