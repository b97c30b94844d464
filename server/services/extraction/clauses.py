"""Clauses: who does what to whom in a parsed sentence, and whether the sentence asserts it.

A clause is a verb with its subjects and complements. Questions, quotations and paired lists are noticed here once, for every rule.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from spacy.tokens import Span, Token

from server.services.extraction import language, vocabulary
from server.services.extraction.doubts import doubt_of
from server.services.extraction.quotations import quoted
from server.services.extraction.subjects import described_by, is_late, subjects
from server.services.extraction.syntax import (
    DENIALS,
    OBJECTS,
    PERSON,
    PLACE,
    called,
    conjuncts,
    is_denied,
    is_name,
    is_passive,
    is_topic,
    kin_after,
)

_SUPPOSING = frozenset({"imagine", "suppose", "supposing", "assume", "assuming", "pretend"})
_NEAR = 3
_AGAINST = frozenset({"by", "against", "over", "past"})
_RELATED = (
    vocabulary.KIN
    | frozenset({"author", "writer", "creator", "director", "producer", "composer"})
    | frozenset({"member", "founder", "leader", "frontman", "vocalist"})
)
"""Nouns whose "of" leads to somebody or something with a name, whatever noun stands before that."""
_NO_VERBS = vocabulary.KIN - {"partner", "mentor", "father", "mother", "parent", "widow"}
"""What the tagger takes for a verb before a name: "his wife and girlfriend Ada"."""
_TRADES = vocabulary.wordset(
    "politician lawyer actor actress singer musician nobleman noblewoman aristocrat soldier officer physician businessman businesswoman "
    "jurist diplomat statesman journalist historian engineer architect merchant scientist academic footballer"
)
"""What somebody is without being it of anything."""
_RELATIVE = frozenset({"WDT", "WP", "WRB", "IN", "TO"})
_DEEDS = vocabulary.wordset(
    "acquisition purchase takeover sale merger buyout construction performance production recording killing murder arrest"
)
"""What is done to somebody or something, so that "which" after both may well mean the deed."""
_SHARED = frozenset({"", "in", "at", "on", "near", "for", "with"})
_SOURCES = frozenset({"according", "due", "including", "compared", "regarding"})


@dataclass(frozen=True, slots=True)
class Complement:
    """A noun that a verb takes, with the preposition before it, if any; `noun` is the noun in between ("a deal with Acme")."""

    token: Token
    preposition: str = ""
    noun: Token | None = None
    adjective: Token | None = None

    @property
    def is_own(self) -> bool:
        """Whether it hangs on the verb itself, or on a noun that the verb takes without a preposition."""
        noun = self.noun
        while noun is not None and (noun.dep_ in {"conj", "appos"} or _is_one_of(noun)):
            noun = noun.head.head.head if noun.dep_ == "pobj" or _is_parallel(noun) else noun.head
            if noun == self.noun or noun.pos_ in {"VERB", "AUX"}:
                break
        return noun is None or noun.dep_ in OBJECTS or (noun.lemma_ == "be" and noun.pos_ == "AUX")


def _is_parallel(noun: Token) -> bool:
    """Tell whether a listed noun stands beside the one before the name: "the wife of Tom and the mother of Ann"."""
    if noun.dep_ != "conj" or is_name(noun) or not is_name(noun.head) or noun.head.dep_ != "pobj":
        return False
    words = {child.lower_ for child in noun.children}
    return "of" in words and bool(words & {"the", "a", "an"})


def _is_one_of(noun: Token) -> bool:
    """Tell whether the noun is the class in "one of the townships"."""
    return noun.dep_ == "pobj" and noun.head.lower_ == "of" and noun.head.head.lower_ == "one"


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb, its subjects and complements; `doubt` says why it asserts nothing, empty where it does.

    One verb may serve several clauses ("works for Klarna, and Mona for Spotify"); `first` and `last` bound the tokens of this one.
    """

    verb: Token
    subjects: tuple[Token, ...]
    complements: tuple[Complement, ...]
    passive: bool
    doubt: str
    first: int = 0
    last: int = sys.maxsize

    @property
    def lemma(self) -> str:
        """The verb's lemma, lower-case."""
        return _mended(self.verb)


_SHORT = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")


def _mended(verb: Token) -> str:
    """Return the verb's lemma, "ride" for "riding" where the model has said "rid", of which the form would be "ridding"."""
    lemma = verb.lemma_.lower()
    return f"{lemma}e" if verb.lower_ == f"{lemma}ing" and _SHORT.fullmatch(lemma) else lemma


def clauses(sentence: Span) -> Iterator[Clause]:
    """Yield the clauses of a sentence, left to right."""
    pairs = any(token.lower_ == "respectively" for token in sentence)
    asks = "?" in sentence.text[-4:]
    cited = quoted(sentence.doc)
    for token in sentence:
        if _is_verb(token):
            doubt = "a question asserts nothing" if asks else doubt_of(token)
            if sentence[0].lower_ in _SUPPOSING:
                doubt = "it is only supposed"
            if token.i in cited:
                doubt = "somebody is quoted with it"
            complements = tuple(one for one in _complements(token) if not _is_empty(one))
            complements = complements or _shared(token)
            clause = Clause(token, tuple(subjects(token)), complements, is_passive(token), doubt)
            yield from _paired(clause) if pairs else _split(clause)


def _paired(clause: Clause) -> Iterator[Clause]:
    """Yield one clause for each subject with its own object: "A and B own C and D, respectively"; none where the lists are not alike."""
    lists: dict[tuple[str, Token | None], list[Complement]] = {}
    for one in clause.complements:
        lists.setdefault((one.preposition, one.noun), []).append(one)
    count = len(clause.subjects)
    alike = [items for items in lists.values() if len(items) == count > 1]
    if len(alike) == 1:
        for subject, complement in zip(clause.subjects, alike[0], strict=True):
            yield replace(
                clause, subjects=(subject,), complements=(complement,), last=min(complement.token.i, clause.verb.i + 1)
            )
    else:
        yield replace(clause, doubt=clause.doubt or "it pairs its lists, each with its own")


def _shared(verb: Token) -> tuple[Complement, ...]:
    """Return what the next verb takes for both: "written and directed by Ada", but of "ran and lost to Ada" only the second."""
    after = next((child for child in verb.children if child.dep_ == "conj" and child.pos_ == "VERB"), None)
    between = verb.doc[verb.i + 1 : after.i] if after is not None and after.i > verb.i else ()
    close = after is not None and after.tag_ == verb.tag_ and 0 < len(between) <= _NEAR
    if after is None or not close or not all(token.dep_ in {"cc", "advmod", "punct", "conj"} for token in between):
        return ()
    both = tuple(one for one in _complements(after) if not _is_empty(one)) or _shared(after)
    return both if verb.tag_ == "VBN" else tuple(one for one in both if one.preposition in _SHARED)


def _split(clause: Clause) -> Iterator[Clause]:
    """Yield a clause, and the one that leaves its verb out: "Weber was born in Hamburg and Scholz in Osnabrück"."""
    gap = next((one for one in clause.complements if _begins_anew(one, clause)), None)
    if gap is None:
        yield clause
        return
    start = gap.token.i
    before = tuple(one for one in clause.complements if one.token.i < start)
    after = tuple(one for one in clause.complements if one.token.i > start and one.preposition)
    after = after or tuple(_prepositions(gap.token))
    yield replace(clause, complements=before, last=start)
    yield replace(clause, subjects=(gap.token,), complements=after, first=start)


def _begins_anew(complement: Complement, clause: Clause) -> bool:
    """Tell whether a listed name is a new subject: it is followed by a preposition that the verb has taken before."""
    name = complement.token
    if name.dep_ != "conj" or not is_name(name) or name.i + 1 >= name.sent.end or not clause.subjects:
        return False
    taken = {one.lower_ for one in clause.verb.children if one.dep_ in {"prep", "agent"} and one.i < name.i}
    if name.nbor(1).lower_ not in taken or name.nbor(1).dep_ not in {"prep", "agent"}:
        return False
    bare = any(not one.preposition and one.token != name for one in clause.complements)
    return (name.head == clause.verb and not bare) or (
        complement.preposition != "" and name.text == PERSON != name.head.text
    )


def _is_empty(complement: Complement) -> bool:
    return _is_none(complement.token) or (complement.noun is not None and _is_none(complement.noun))


def _is_none(noun: Token) -> bool:
    """Tell whether a noun stands for nothing: "no support"."""
    return any(child.lower_ in {"no", "neither"} for child in noun.children)


def _is_verb(token: Token) -> bool:
    """Tell whether a token heads a clause; a root with subject and object does, even where the tagger takes "use" for a noun."""
    if token.i and token.nbor(-1).text == "-":
        return False  # a lady-in-waiting
    if token.lower_ in vocabulary.TYPE_NOUNS and not language.is_verb(token.lower_):
        return False  # "the fusion startup Acme"
    if token.pos_ in {"VERB", "AUX"} and token.lemma_ not in _NO_VERBS:
        return token.dep_ not in {"aux", "auxpass", "amod", "compound", "punct"}
    return token.dep_ == "ROOT" and {"nsubj", "dobj"} <= {child.dep_ for child in token.children}


def _complements(verb: Token) -> Iterator[Complement]:
    for child in verb.children:
        if child.dep_ == "dobj" and child.tag_ in {"WDT", "WP"} and verb.dep_ == "relcl":
            if not _is_whereabouts(verb.head):
                yield from (Complement(noun) for noun in described_by(verb.head))
        elif (child.dep_ in OBJECTS and child.tag_ not in _RELATIVE and child.pos_ != "ADP") or is_late(verb, child):
            for noun in _called_by_name(child):
                yield Complement(noun)
                if not is_name(noun):
                    yield from (Complement(one) for one in noun.children if one.dep_ == "compound" and is_name(one))
                if noun == child or noun.pos_ == "NOUN":
                    yield from _prepositions(noun, noun=noun)
        elif child.dep_ in {"acomp", "oprd"} and child.pos_ in {"ADJ", "VERB"}:
            yield from _prepositions(child, adjective=child)
        elif child.dep_ == "acomp":
            yield Complement(child)
        elif child.dep_ == "conj" and child.pos_ in {"NOUN", "PROPN"}:  # the last item of a list that the parser lost
            yield from (Complement(noun) for noun in conjuncts(child) if not is_denied(noun))
            again = child.pos_ == "NOUN" if verb.lemma_ == "be" else _is_another(child, verb)  # ", and the mother of"
            if again:
                yield from _prepositions(child, noun=child)
        elif child.dep_ in {"prep", "agent", "dative"}:
            yield from _prepositional(child)
        elif child.dep_ == "advmod" and child.i > verb.i:
            yield from _prepositions(child)


def _called_by_name(noun: Token, governor: Token | None = None) -> Iterator[Token]:
    """Yield the noun and those listed with it, each by the name right behind it: "beat the champion Ada Roe".

    After a preposition only where little else can be meant: "the son of the painter Bo Roe", "won by the champion Ada Roe",
    "married to the actor Bo Roe".
    """
    before = noun.head.lower_
    plain = (
        noun.dep_ != "pobj"
        or before in _AGAINST
        or (governor is not None and governor.lemma_.lower() in _RELATED)
        or (before == "to" and noun.head.head.lower_ == "married")
    )
    for one in conjuncts(noun):
        single = plain and one.tag_ != "NNS" and one.dep_ != "attr"
        yield (called(one) if single else None) or one


def _is_whereabouts(noun: Token) -> bool:
    """Tell whether a name only says of what another noun is or where, which "which" may mean as well.

    "A shop in Oslo, which Acme bought", "the purchase of Acme, which they are investigating".
    """
    if noun.dep_ != "pobj" or not is_name(noun) or noun.head.head.pos_ != "NOUN":
        return False
    placed = noun.text == PLACE and noun.head.lower_ in {"in", "at", "near"}
    return placed or (noun.head.lower_ == "of" and noun.head.head.lemma_.lower() in _DEEDS)


def _prepositions(head: Token, noun: Token | None = None, adjective: Token | None = None) -> Iterator[Complement]:
    for child in head.children:
        if child.dep_ in {"prep", "agent"}:
            yield from _prepositional(child, noun and _post_before(noun, child), adjective)


def _post_before(noun: Token, preposition: Token) -> Token:
    """Return the noun that "of" belongs to: in "a politician and mayor of Oslo" a mayor, for nobody is a politician of a town."""
    before = preposition.nbor(-1)
    joined = preposition.lower_ == "of" and before.dep_ == "conj" and before.head == noun and before.pos_ == "NOUN"
    again = any(child.lower_ == "of" and child.i < preposition.i for child in noun.children)
    return before if joined and (again or noun.lemma_ in _TRADES) else noun


def _is_another(noun: Token, verb: Token) -> bool:
    """Tell whether a second object goes like the first: "earning a BA from Ash and an MFA from Elm"."""
    words = {child.lower_ for child in noun.children if child.dep_ == "prep"}
    objects = [child for child in verb.children if child.dep_ == "dobj" and child.i < noun.i]
    taken = {
        child.lower_ for one in (verb, *objects) for child in one.children if child.dep_ == "prep" and child.i < noun.i
    }
    return bool(objects) and not is_name(noun) and bool(words & taken)


def _beyond_title(person: Token) -> list[Token]:
    """Return the persons that the parser has hung on the realm of the one before: "of Ernst, Prince of X, and Ada"."""
    inside = person.subtree if person.text == PERSON else ()
    return [one for one in inside if one.text == PERSON and one.dep_ == "conj" and one.head.text != PERSON]


def _prepositional(
    preposition: Token, noun: Token | None = None, adjective: Token | None = None
) -> Iterator[Complement]:
    """Yield the nouns after a preposition, and after the prepositions that hang on them or stand beside it."""
    words = preposition.lower_
    if is_topic(preposition):
        return
    if words in DENIALS or words in _SOURCES or any(child.dep_ == "neg" for child in preposition.children):
        return
    for child in preposition.children:
        if child.dep_ in {"pobj", "pcomp"} and child.pos_ != "VERB":
            beyond = [] if noun is None else _beyond_title(child)
            kin = noun is not None and noun.lemma_ in vocabulary.KIN
            end = kin_after(child) if kin else sys.maxsize
            for one in (*_called_by_name(child, noun), *beyond):
                if is_name(one) and (one.i >= end or (kin and child.text == PERSON != one.text)):
                    continue
                yield Complement(one, words, noun, adjective)
                if not is_name(one) and one.tag_ != "CD":
                    yield from _prepositions(one, noun=one)
                    for adverb in one.children:
                        if adverb.dep_ == "advmod" and adverb.i > one.i:  # "as a center back for"
                            yield from _prepositions(adverb, noun=one)
                elif (one != child or noun is None) and one.head.pos_ != "NOUN":
                    yield from _prepositions(one, noun=noun, adjective=adjective)
        elif child.dep_ == "prep":
            yield from _prepositional(child, noun, adjective)
    for child in preposition.children:
        if child.dep_ == "conj" and child.pos_ == "ADP":
            yield from _prepositional(child, noun, adjective)
