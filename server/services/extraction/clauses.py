"""Clauses: who does what to whom in a parsed sentence, and whether the sentence asserts it.

A clause is a verb with its subjects and complements. Negation, questions, conditions, modality and reported hopes are noticed
here once, for every rule.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from spacy.tokens import Span, Token

from server.services.extraction import vocabulary
from server.services.extraction.quotations import quoted

PERSON = "John"
"""The word that stands for every person's name in what the parser sees."""
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"dobj", "attr", "oprd", "dative"})
_OPEN_CLAUSES = frozenset({"advcl", "xcomp", "pcomp", "acl"})
_DOUBTS = frozenset({"might", "may", "could", "would", "should", "can", "ought", "shall", "will", "'ll"})
_FINITE = frozenset({"VBZ", "VBP", "VBD"})
_CONDITIONS = frozenset({"if", "unless", "whether", "lest"})
_DENIALS = frozenset(
    {
        "not",
        "n't",
        "never",
        "without",
        "except",
        "excluding",
        "no",
        "nor",
        "neither",
        "hardly",
        "barely",
        "scarcely",
        "rarely",
        "seldom",
        "unlike",
        "instead",
        "rather",
    }
)
_HEARSAY = frozenset(
    {
        "reportedly",
        "allegedly",
        "supposedly",
        "perhaps",
        "maybe",
        "possibly",
        "probably",
        "rumored",
        "rumoured",
        "almost",
        "nearly",
    }
)
_SOURCES = frozenset({"according", "due", "including", "compared", "regarding"})
_UNREAL = vocabulary.wordset(
    "want hope wish plan try attempt fail refuse consider think believe doubt deny expect intend like love imagine suppose guess decline "
    "ask wonder seek need prevent stop keep avoid rumor rumour allege claim suggest propose pretend promise threaten offer agree prefer seem appear "
    "say tell report hear speculate predict forecast estimate aim hop"  # the lemmatiser takes "hopes" for hopping
)
_CREDITS = vocabulary.wordset(
    "direct write produce star feature compose edit distribute illustrate publish record release perform narrate photograph animate create"
)
_CIRCUMSTANCES = vocabulary.wordset("bear find found establish locate situate base headquarter")
_DOUBTFUL = vocabulary.wordset(
    "false untrue wrong incorrect inaccurate unlikely likely possible unclear uncertain doubtful unconfirmed rumored rumoured myth lie "
    "hoax fiction misconception rumor rumour report claim allegation speculation suggestion theory notion idea belief hope fear plan"
)
"""Adjectives and nouns before a "that" which the sentence does not vouch for."""


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
            noun = noun.head.head.head if noun.dep_ == "pobj" else noun.head
        return noun is None or noun.dep_ in _OBJECTS


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
        return self.verb.lemma_.lower()


def clauses(sentence: Span) -> Iterator[Clause]:
    """Yield the clauses of a sentence, left to right."""
    pairs = any(token.lower_ == "respectively" for token in sentence)
    asks = "?" in sentence.text[-4:]
    cited = quoted(sentence.doc)
    for token in sentence:
        if _is_verb(token):
            doubt = "a question asserts nothing" if asks else _doubt(token)
            if token.i in cited:
                doubt = "somebody is quoted with it"
            if pairs:
                doubt = "it pairs its lists, each with its own"
            complements = tuple(one for one in _complements(token) if not _is_none(one.token))
            yield from _split(Clause(token, tuple(_subjects(token)), complements, _is_passive(token), doubt))


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
    if name.dep_ != "conj" or not name.tag_.startswith("NNP") or name.i + 1 >= name.sent.end or not clause.subjects:
        return False
    taken = {one.lower_ for one in clause.verb.children if one.dep_ in {"prep", "agent"} and one.i < name.i}
    if name.nbor(1).lower_ not in taken or name.nbor(1).dep_ not in {"prep", "agent"}:
        return False
    bare = any(not one.preposition and one.token != name for one in clause.complements)
    return (name.head == clause.verb and not bare) or (
        complement.preposition != "" and name.text == PERSON != name.head.text
    )


def _is_none(noun: Token) -> bool:
    """Tell whether a noun stands for nothing: "no support"."""
    return any(child.lower_ in {"no", "neither"} for child in noun.children)


def _is_verb(token: Token) -> bool:
    """Tell whether a token heads a clause; a root with subject and object does, even where the tagger takes "use" for a noun."""
    if token.pos_ in {"VERB", "AUX"}:
        return token.dep_ not in {"aux", "auxpass", "amod", "compound", "punct"}
    return token.dep_ == "ROOT" and {"nsubj", "dobj"} <= {child.dep_ for child in token.children}


def conjuncts(token: Token) -> list[Token]:
    """Return the token and the nouns listed with it, those that are negated left out ("A, B but not C")."""
    found = [token]
    for child in token.children:
        if (child.dep_ == "conj" and child.pos_ not in {"AUX"}) or (child.dep_ == "appos" and _is_listed(child)):
            if child.pos_ == "VERB" and any(one.dep_ in _SUBJECTS | _OBJECTS for one in child.children):
                continue
            found += conjuncts(child)
    return [one for one in found if one == token or not is_denied(one)]


def _is_listed(token: Token) -> bool:
    """Tell whether what the parser calls an apposition is one more item of a list of names."""
    before = token.doc[token.left_edge.i - 1] if token.left_edge.i else None
    return (
        token.tag_.startswith("NNP")
        and token.lower_ not in vocabulary.TITLES
        and before is not None
        and before.text in {",", "and", "or", "&"}
        and not any(child.dep_ == "det" for child in token.children)
    )


def is_denied(token: Token) -> bool:
    """Tell whether a listed noun is taken back: "but not", "except"."""
    edge = token.left_edge.i
    window = token.doc[max(edge - 2, token.sent.start) : token.i]
    return any(word.lower_ in _DENIALS for word in window)


def _subjects(verb: Token) -> list[Token]:
    own = [child for child in verb.children if child.dep_ in _SUBJECTS]
    if own:
        return [one for child in own for one in _antecedent(verb, child)]
    if verb.dep_ == "conj" or verb.dep_ in _OPEN_CLAUSES:
        head = verb.head
        if verb.dep_ == "advcl" and (named := _named_before(verb)) is not None:
            return [named]
        if head.pos_ in {"NOUN", "PROPN", "PRON", "NUM"}:
            if verb.dep_ == "acl":
                return _subjects_of_participle(verb)
            return []
        if head != verb and (head.pos_ in {"VERB", "AUX"} or head.dep_ in {"prep", "acomp"}):
            ruler = head.head if head.dep_ == "prep" else head
            controller = next((child for child in ruler.children if child.dep_ == "dobj"), None)
            if verb.dep_ in {"xcomp", "pcomp"} and controller is not None and controller.i < verb.i:
                return conjuncts(controller)
            return (
                _subjects(head) if head.pos_ in {"VERB", "AUX"} else _subjects(head.head) if head.head != head else []
            )
    return []


def _named_before(verb: Token) -> Token | None:
    """Return the name that a passive participle with its agent follows: "star in The Batman, directed by Matt Reeves"."""
    edge = verb.left_edge.i
    by = verb.tag_ == "VBN" and any(child.dep_ == "agent" or child.lower_ == "by" for child in verb.children)
    if not by or edge < 2 or verb.doc[edge - 1].text != ",":
        return None
    before = verb.doc[edge - 2]
    return before if before.tag_.startswith("NNP") else None


def _subjects_of_participle(verb: Token) -> list[Token]:
    """Return what a participle after a noun is about: after a comma the main clause's subject, else that noun."""
    head = verb.head
    if (maker := _maker(verb)) is not None:
        return _subjects(maker)
    loose = verb.left_edge.i > 0 and verb.doc[verb.left_edge.i - 1].text == ","
    by = any(child.dep_ == "agent" or child.lower_ == "by" for child in verb.children)
    if verb.tag_ == "VBN" and head.tag_.startswith("NNP") and verb.lemma_ in _CIRCUMSTANCES:
        return [head]
    if loose and not by and head.dep_ in {"pobj", "conj", "dobj"}:
        main = next((one for one in head.ancestors if one.pos_ in {"VERB", "AUX"}), None)
        return _subjects(main) if main is not None else []
    return _described_by(head)


def _maker(verb: Token) -> Token | None:
    """Return the participle whose agent this one follows in a film's credits: "directed by A, written by B, and starring C"."""
    agent = verb.head
    while agent.dep_ == "conj" and agent.head.pos_ == "PROPN":
        agent = agent.head
    maker = agent.head.head if agent.dep_ == "pobj" and agent.head.lower_ == "by" else None
    credits = maker is not None and maker.tag_ == "VBN" and maker.lemma_ in _CREDITS
    return maker if credits and verb.lemma_ in _CREDITS and maker != verb else None


def _described_by(noun: Token) -> list[Token]:
    """Return what a noun says something of: in "X is a film directed by Y" X is directed; elsewhere the noun stands for itself."""
    if noun.tag_.startswith("NNP"):
        return [noun]
    while noun.dep_ == "conj" and noun.head.pos_ in {"NOUN", "PROPN"}:
        noun = noun.head
    if noun.dep_ == "attr" and noun.head.lemma_ == "be":
        return _subjects(noun.head)
    return [noun.head] if noun.dep_ == "appos" and noun.pos_ == "NOUN" else conjuncts(noun)


def _antecedent(verb: Token, subject: Token) -> list[Token]:
    """Return what a relative pronoun stands for, else the subject and those listed with it."""
    if subject.tag_ in {"WDT", "WP"} and verb.dep_ == "relcl":
        return _described_by(verb.head)
    several = any(child.dep_ in {"cc", "conj"} for child in subject.children)
    return conjuncts(subject) if several else [subject]


def _is_passive(verb: Token) -> bool:
    if any(child.dep_ in {"auxpass", "nsubjpass"} for child in verb.children):
        return True
    if verb.tag_ != "VBN" or any(child.dep_ == "aux" and child.lemma_ == "have" for child in verb.children):
        return False
    if verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"}:
        return _is_passive(verb.head) and not any(child.dep_ in _SUBJECTS for child in verb.children)
    return verb.dep_ in {"acl", "advcl"} or (
        verb.dep_ == "ROOT" and not any(child.dep_ == "aux" for child in verb.children)
    )


def _complements(verb: Token) -> Iterator[Complement]:
    for child in verb.children:
        if child.dep_ == "dobj" and child.tag_ in {"WDT", "WP"} and verb.dep_ == "relcl":
            yield from (Complement(noun) for noun in _described_by(verb.head))
        elif child.dep_ in _OBJECTS and child.tag_ not in {"WDT", "WP", "WRB"}:
            for noun in conjuncts(child):
                yield Complement(noun)
                if noun == child or noun.pos_ == "NOUN":
                    yield from _prepositions(noun, noun=noun)
        elif child.dep_ in {"acomp", "oprd"} and child.pos_ in {"ADJ", "VERB"}:
            yield from _prepositions(child, adjective=child)
        elif child.dep_ == "acomp":
            yield Complement(child)
        elif child.dep_ == "conj" and child.pos_ in {"NOUN", "PROPN"}:  # the last item of a list that the parser lost
            yield from (Complement(noun) for noun in conjuncts(child) if not is_denied(noun))
        elif child.dep_ in {"prep", "agent", "dative"}:
            yield from _prepositional(child)


def _prepositions(head: Token, noun: Token | None = None, adjective: Token | None = None) -> Iterator[Complement]:
    for child in head.children:
        if child.dep_ in {"prep", "agent"}:
            yield from _prepositional(child, noun, adjective)


def _prepositional(
    preposition: Token, noun: Token | None = None, adjective: Token | None = None
) -> Iterator[Complement]:
    """Yield the nouns after a preposition, and after the prepositions that hang on them or stand beside it."""
    words = preposition.lower_
    if words in _DENIALS or words in _SOURCES or any(child.dep_ == "neg" for child in preposition.children):
        return
    for child in preposition.children:
        if child.dep_ in {"pobj", "pcomp"} and child.pos_ != "VERB":
            for one in conjuncts(child):
                yield Complement(one, words, noun, adjective)
                if not one.tag_.startswith("NNP") and one.tag_ != "CD":
                    yield from _prepositions(one, noun=one)
                elif one != child or noun is None:
                    yield from _prepositions(one, noun=noun, adjective=adjective)
        elif child.dep_ == "prep":
            yield from _prepositional(child, noun, adjective)
    for child in preposition.children:
        if child.dep_ == "conj" and child.pos_ == "ADP":
            yield from _prepositional(child, noun, adjective)


def _doubt(verb: Token) -> str:
    """Return why a verb asserts nothing, looking at it and at the clauses that it hangs on."""
    for child in verb.children:
        if child.dep_ == "neg" or (child.dep_ in {"advmod", "preconj", "det"} and child.lower_ in _DENIALS):
            return "the sentence denies it"
        if child.lower_ == "longer" and any(one.lower_ == "no" for one in child.children):
            return "it is said to have ended"
        if child.dep_ == "aux" and (child.lower_ in _DOUBTS or child.lower_ in {"'d"}):
            return "the sentence does not assert it"
        if child.dep_ == "mark" and child.lower_ in _CONDITIONS:
            return "it is a condition"
        if child.dep_ == "advmod" and child.lower_ in _HEARSAY:
            return "it is hearsay"
        if child.dep_ in _SUBJECTS and any(one.lower_ in {"no", "neither", "none"} for one in (child, *child.children)):
            return "the sentence denies it"
        if child.dep_ == "advcl" and any(one.dep_ == "mark" and one.lower_ in _CONDITIONS for one in child.children):
            return "it depends on a condition"
    return _doubt_above(verb)


def _doubt_above(verb: Token) -> str:
    head = verb.head
    if _is_doubtful(verb):
        return "the sentence does not vouch for it"
    if head == verb or verb.dep_ not in {"conj", "xcomp", "ccomp", "advcl", "pcomp", "acl", "relcl"}:
        return ""
    if verb.dep_ == "xcomp" and _is_not_yet_or_no_more(head):
        return "it is no more, or not yet"
    if verb.dep_ in {"acl", "relcl"} or (head.pos_ in {"NOUN", "PROPN", "ADP"} and verb.dep_ != "pcomp"):
        to_come = any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)
        return "it is only an intention" if to_come and verb.dep_ == "acl" else ""
    if head.lemma_ in _UNREAL and verb.dep_ in {"xcomp", "ccomp"}:
        return "it is thought or wished, not stated"
    if verb.dep_ == "conj" and any(child.dep_ in _SUBJECTS for child in verb.children):
        return _doubt_above(head) if head.dep_ == "ccomp" else ""
    if verb.dep_ == "conj" and verb.tag_ in _FINITE and head.tag_ == "VB":  # "used to own A and uses B"
        return _doubt_above(head.head) if head.dep_ == "xcomp" else _doubt_above(head)
    if verb.dep_ == "pcomp" and head.head.lemma_ in _UNREAL:
        return "it is thought or wished, not stated"
    if verb.dep_ == "pcomp" and head.lower_ in _DENIALS:
        return "the sentence denies it"
    if verb.dep_ == "advcl" and any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children):
        return "it is only an intention"
    above = head.head if head.pos_ == "ADP" else head
    return _doubt(above) if above.pos_ in {"VERB", "AUX"} and above != verb else ""


def _is_doubtful(verb: Token) -> bool:
    """Tell whether the clause is the content of a rumour, a myth or a claim: "a myth that ...", "the rumour is that ..."."""
    that = next((child for child in verb.children if child.dep_ == "mark" and child.lower_ == "that"), None)
    if that is not None and that.i > 0:
        before = that.nbor(-1)
        if before.lemma_.lower() in _DOUBTFUL or (before.lower_ == "it" and verb.head.lemma_ == "have"):
            return True
        if any(child.lower_ in _DENIALS for child in before.children):  # "hardly true that"
            return True
    if verb.dep_ in {"acl", "relcl"} and verb.head.lemma_.lower() in _DOUBTFUL:
        return any(child.dep_ in _SUBJECTS and child.tag_ not in {"WDT", "WP"} for child in verb.children)
    if verb.dep_ in {"ccomp", "csubj"} and verb.head.lemma_ == "be":
        beside = [child for child in verb.head.children if child.dep_ in {"nsubj", "attr", "acomp"}]
        return any(child.lemma_.lower() in _DOUBTFUL for child in beside)
    sources = [child for child in verb.children if child.lower_ == "according"]
    return any(noun.lemma_ in {"rumour", "rumor", "report"} for one in sources for noun in one.subtree)


def _is_not_yet_or_no_more(head: Token) -> bool:
    """Tell whether what follows is past or still to come: "used to", "is going to", "is about to", "has yet to"."""
    yet = any(child.lower_ == "yet" for child in head.children)
    used = head.lower_ == "used" and not _is_passive(head)
    return used or yet or head.lower_ in {"going", "about", "due", "set", "ready", "likely", "unlikely", "scheduled"}
