"""Coreference: whom "she", "it", "the plan" or "its" mean, from what the document named last.

One antecedent or none: a pronoun that nothing fits is reported as unresolved, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spacy.tokens import Token

from server.services.extraction import vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.kinds import Trust
from server.services.extraction.reading import Reading
from server.services.extraction.subjects import subjects
from server.services.extraction.syntax import SUBJECTS, is_name, is_topic

_PERSONS = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f", "hers": "f"}
_THINGS = frozenset({"it", "its"})
_GROUPS = frozenset({"they", "them", "their"})
_TELLING = frozenset({"say", "announce", "report", "claim", "add", "confirm", "reveal", "disclose", "state", "tell"})
_OF_THE_NEARER = frozenset({"and", "&", "or", "by"})
_DEFINITE = frozenset({"the", "this", "that"})


class Discourse:
    """What the text is about at each point: the subjects and mentions so far, latest last, and the heading that it stands under."""

    def __init__(self, cast: Cast, about: Member | None) -> None:
        self._about: list[Member | None] = [about] if about else []
        self._known = cast.known
        self._mentions: list[Member] = []
        self._strangers: set[str] = set()
        self._earlier = 0
        self._whose: dict[str, Member] = {}
        self._subjects: list[Member | None] = []

    def turn(self) -> None:
        """Note that a new sentence begins."""
        self._earlier = len(self._mentions)
        self._whose.clear()

    def mention(self, member: Member) -> None:
        """Note that the text has just named `member`."""
        self._mentions.append(member)

    def begin(self, subject: Member | None) -> None:
        """Note what a clause has just been about; None where that has no name, so that "it" means nothing named before."""
        self._subjects.append(subject)
        if subject is not None and subject.type == "person":
            self._strangers -= {"m", "f"} if subject.gender == "u" else {subject.gender}

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
            return self._somebody(reading, token)
        if word in _THINGS:
            return self._something(reading, token)
        if word in _GROUPS:
            return next(
                (one for one in reversed(self._subjects) if one is not None and one.type == "organization"), None
            )
        return self._definite(token)

    def _somebody(self, reading: Reading, token: Token) -> Member | None:
        """Return the person that "he" or "her" means: one of its own sentence before the latest one of the text."""
        word = token.lower_
        genders = {_PERSONS[word], "u"}
        found = self._of_its_sentence(reading, token, genders) or self._whose.get(word)
        other = _object_before(reading, token)
        if other is not None and other.type == "person" and other.gender in genders:
            found = other
        found = found or self._listed_before(reading, token, genders) or self._person(reading, token, genders)
        if found is not None and (token.tag_ == "PRP$" or token.dep_ == "poss"):
            self._whose[word] = found
        return found

    def _something(self, reading: Reading, token: Token) -> Member | None:
        """Return the thing that "it" or "its" means: whose sentence it is, or who tells of it, before the latest one of the text."""
        owned = token.lower_ == "its"
        above = _subject_above(reading, token) if owned else None
        if above is not None and above.type not in {"person", "event"}:
            return above
        if owned and _is_unnamed_thing(token):
            return None
        teller = None if owned else _teller(token)
        told = None if teller is None else reading.member(teller) or self._definite(teller)
        if told is not None and told.type not in {"person", "event"}:
            return told
        if told is None and teller is not None and teller.tag_ == "NN" and teller.head.lemma_ in _TELLING:
            return None  # "a rival announced that it"
        own = _things_before(reading, token) if token.dep_ in SUBJECTS else []
        if len(own) == 1:
            return own[0]
        unnamed = bool(self._subjects) and self._subjects[-1] is None
        return None if unnamed or _has_nearer(token) else self._thing(token)

    def _thing(self, token: Token) -> Member | None:
        """Return the latest thing that an "it" may mean; "Located in Oslo, it" is not Oslo."""
        opened = token.dep_ in SUBJECTS and token.sent[0].tag_ in {"VBN", "VBG"}
        before = self._mentions[: self._earlier] if opened else self._mentions
        among = (self._subjects, self._about, before, self._known)
        return self._latest(lambda member: member.type not in {"person", "event"}, among)

    def _person(self, reading: Reading, token: Token, genders: set[str]) -> Member | None:
        """Return the latest person that the pronoun may mean: nobody where somebody unnamed has been meant by it before."""
        gender = _PERSONS[token.lower_]
        if gender in self._strangers:
            return None
        barred = self._barred(reading, token)

        def fits(member: Member) -> bool:
            return member.type == "person" and member.gender in genders and id(member) not in barred

        found = self._latest(fits, (self._subjects, self._about)) or self._person_by_pronoun(self._subjects)
        if found is not None and found.gender == "u" and token.tag_ == "PRP$":
            here = (one for one in reversed(self._mentions[self._earlier :]) if one.gender == gender and fits(one))
            found = next(here, found)  # "founded by Karl Lind in honour of his wife"
        found = found or self._latest(fits) or self._person_by_pronoun((*self._known, *self._about))
        if found is None and token.dep_ in SUBJECTS:
            self._strangers.add(gender)
        return found

    def _barred(self, reading: Reading, token: Token) -> set[int]:
        """Return whom the pronoun cannot mean: an object is not its clause's subject, a subject is nobody that only a preposition has named."""
        if token.tag_ == "PRP$" or token.dep_ == "poss":
            return set()
        if token.dep_ not in SUBJECTS:
            verbs = (one for one in token.ancestors if one.pos_ in {"VERB", "AUX"})
            doers = subjects(verb) if (verb := next(verbs, None)) is not None else []
            return {id(member) for one in doers if (member := reading.member(one)) is not None}
        before = {id(one) for one in self._mentions[: self._earlier]}
        named = [one for one in token.doc[token.sent.start : token.i] if _is_oblique(one)]
        members = (reading.member(one) for one in named)
        return {id(member) for member in members if member is not None and id(member) not in before}

    def _of_its_sentence(self, reading: Reading, token: Token, genders: set[str]) -> Member | None:
        """Return the subject before a "his" or a second "he", where that is a person: "Ann was raised by her uncle Bob"."""
        verb = next((one for one in token.ancestors if one.pos_ in {"VERB", "AUX"}), None)
        if verb is not None and token.dep_ in SUBJECTS:
            before = (child for child in verb.children if child.dep_ == "advcl" and child.i < token.i)
            fronted = next((one for one in before if any(child.dep_ in SUBJECTS for child in one.children)), None)
            verb = fronted or next((one for one in verb.ancestors if one.pos_ in {"VERB", "AUX"}), None)
        elif token.tag_ != "PRP$" and token.dep_ != "poss":
            verb = _clause_above(verb)
        above = () if verb is None else (verb, *(one for one in verb.ancestors if one.pos_ in {"VERB", "AUX"}))
        for subject in (one for around in above for one in subjects(around)):
            if subject.i >= token.i or subject.is_ancestor(token):
                continue
            member = reading.member(subject) or self._again(reading, subject, genders)
            if member is None:
                continue
            fits = (one for one in reversed(self._mentions) if one.type == "person" and one.gender in genders)
            joined = token.dep_ not in SUBJECTS and token.i > 0 and token.nbor(-1).lower_ in _OF_THE_NEARER
            if joined and (nearer := next(fits, member)) is not member:
                return nearer  # "the son of Paul and his wife"
            return member if member.type == "person" and member.gender in genders else None
        return None

    def _listed_before(self, reading: Reading, token: Token, genders: set[str]) -> Member | None:
        """Return whose "his" is that a list goes on with: "the son of Karl and his first wife"."""
        index = token.i - 1
        if token.tag_ != "PRP$" or index < 1 or token.nbor(-1).lower_ not in {"and", "&"}:
            return None
        before = token.doc[index - 2] if token.doc[index - 1].text == "," else token.doc[index - 1]
        member = reading.member(before)
        return member if member is not None and member.type == "person" and member.gender in genders else None

    def _again(self, reading: Reading, token: Token, genders: set[str]) -> Member | None:
        """Return whom a "she" at the start of the clause means."""
        if token.lower_ not in _PERSONS or _PERSONS[token.lower_] not in genders:
            return None
        latest = self._latest(lambda member: member.type == "person" and member.gender in genders)
        return self._of_its_sentence(reading, token, genders) or latest

    def _person_by_pronoun(self, members: Sequence[Member | None]) -> Member | None:
        """Return the latest of `members`, a person by the very pronoun, where only the recogniser has said anything else."""
        for member in reversed(members):
            lone = member is not None and (member.type == "concept" or len(member.name.split()) == 1)
            if member is not None and lone and member.trust <= Trust.RECOGNISER and member.type != "person":
                member.learn("person", Trust.CUE)
                return member
        return None

    def _definite(self, token: Token) -> Member | None:
        """Resolve "the plan", "this library": the latest member whose name has the noun, else of a type that the noun can stand for."""
        noun = token.lemma_.lower()
        if token.i + 1 < len(token.doc) and is_name(token.nbor(1)):
            return None  # "the company Acme"
        beside = [child.lower_ for child in token.children if child.dep_ != "punct" and child.i < token.i]
        if (
            len(beside) != 1
            or beside[0] not in _DEFINITE
            or any(child.dep_ in {"prep", "acl"} or _is_restrictive(child) for child in token.children)
        ):
            return None
        if noun in vocabulary.HEADS:
            named = self._latest(lambda member: member.type != "person" and noun in _words(member))
            if named is not None:
                return named
        fitting = {kind for kind, nouns in vocabulary.CLASSES.items() if noun in nouns}
        if _follows_unnamed(token, frozenset().union(*(vocabulary.CLASSES[kind] for kind in fitting))):
            return None
        if "technology" in fitting:
            fitting |= {"concept"}
        return self._latest(lambda member: member.type in fitting) if fitting else None

    def _latest(
        self, fits: Callable[[Member], bool], among: Sequence[Sequence[Member | None]] | None = None
    ) -> Member | None:
        """Return the latest member that fits: subjects first, then what the title names, for a text goes on about what it is about."""
        for members in (self._subjects, self._about, self._mentions, self._known) if among is None else among:
            for member in reversed(members):
                if member is not None and fits(member):
                    return member
        return None


def _things_before(reading: Reading, pronoun: Token) -> list[Member]:
    """Return the things that are subjects before an "it" of the same sentence: "the museum in Oslo said that it"."""
    before = (one for one in pronoun.doc[pronoun.sent.start : pronoun.i] if one.dep_ in SUBJECTS)
    named = (reading.member(of) for one in before for of in (one, *(c for c in one.children if c.dep_ == "appos")))
    return list({id(of): of for of in named if of is not None and _may_be_thing(of)}.values())


def _may_be_thing(member: Member) -> bool:
    """Tell whether "it" can mean somebody or something: no event, and a person only where the recogniser alone says so."""
    return member.type != "event" and (member.type != "person" or member.trust <= Trust.RECOGNISER)


def _follows_unnamed(noun: Token, alike: frozenset[str]) -> bool:
    """Tell whether "the company" means one that its sentence has just told of without a name: "left a startup; the company was"."""
    for before in reversed(noun.doc[noun.sent.start : noun.i]):
        if is_name(before):
            return False
        if before.lemma_.lower() in alike and any(child.lower_ in {"a", "an"} for child in before.children):
            return True
    return False


def _words(member: Member) -> list[str]:
    """Return the words of a longer name, lower-case."""
    words = member.name.lower().split()
    return words if len(words) > 1 else []


def _is_restrictive(clause: Token) -> bool:
    """Tell whether a relative clause says which one is meant, no comma before it: "the film that made her famous"."""
    before = clause.doc[max(clause.left_edge.i - 1, 0)]
    return clause.dep_ == "relcl" and before.text != ","


def _has_nearer(token: Token) -> bool:
    """Tell whether an object pronoun may well mean a plain noun of its own sentence: "fills gaps in a sentence; GPT-3 continues it"."""
    if token.dep_ not in {"dobj", "pobj"}:
        return False
    return any(before.pos_ == "NOUN" and before.tag_ == "NN" for before in token.doc[token.sent.start : token.i])


def _is_oblique(token: Token) -> bool:
    """Tell whether a word, or the list that it is in, follows a preposition: "as a son of Karl, he"."""
    while token.dep_ in {"conj", "appos"} and token.head != token:
        token = token.head
    return token.dep_ == "pobj" and not is_topic(token.head)


def _subject_above(reading: Reading, token: Token) -> Member | None:
    """Return the name that is the subject of the clause around an "its", or of one around that: "Acme sold its"."""
    above = list(token.ancestors)
    beside = next((one.head for one in above if one.dep_ == "conj" and reading.member(one.head) is not None), None)
    if beside is not None and beside.i < token.i:
        return reading.member(beside)  # "the son of Bo Roe and his wife"
    for verb in above:
        if verb.lemma_ in {"be", "bear"} and any(one.lemma_.lower() in vocabulary.KIN for one in above):
            return None  # "he was the son of Bo Roe by his first wife"
        for child in verb.children:
            nearer = child.dep_ in SUBJECTS and child.i < token.i and child not in above
            named = reading.member(child) if nearer else None
            if named:
                return named
    return None


def _teller(pronoun: Token) -> Token | None:
    """Return the singular subject of the clause around an "it": "Acme said that it", "Acme left a shop that it had"."""
    verb = pronoun.head
    if pronoun.dep_ not in SUBJECTS or verb.dep_ not in {"ccomp", "relcl", "advcl"}:
        return None
    above = next((one for one in verb.ancestors if one.pos_ in {"VERB", "AUX"}), verb)
    told = (child for child in above.children if child.dep_ in SUBJECTS and child.i < pronoun.i)
    return next((one for one in told if one.tag_ in {"NN", "NNP"}), None)


def _clause_above(verb: Token | None) -> Token | None:
    """Return the verb that a clause with its own subject hangs on, whose subject an object may mean: "Ada left as Bo hit her"."""
    if verb is None or not any(child.dep_ in SUBJECTS for child in verb.children):
        return None
    if verb.dep_ == "relcl":  # "Ada met Bo, who pressed her"
        return next((one for one in verb.ancestors if one.pos_ in {"VERB", "AUX"}), None)
    return verb.head if verb.dep_ in {"conj", "advcl", "ccomp"} else None


def _object_before(reading: Reading, pronoun: Token) -> Member | None:
    """Return the name that an object pronoun takes up as an object: "Ada named Bo a judge and Cy praised him"."""
    if pronoun.dep_ != "dobj" or pronoun.tag_ != "PRP":
        return None
    verb = pronoun.head
    beside = (
        {verb, verb.head} if verb.dep_ == "conj" else {verb, *(one for one in verb.children if one.dep_ == "advcl")}
    )
    before = reversed(pronoun.doc[pronoun.sent.start : pronoun.i])
    objects = (one for one in before if one.dep_ == "dobj" and one.head in beside)
    return next((of for one in objects if (of := reading.member(one)) is not None), None)


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
