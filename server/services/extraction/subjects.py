"""Subjects: whom a verb is said of, near or far: its own subject, that of the verb it hangs on, or the noun that it describes."""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction import vocabulary
from server.services.extraction.syntax import (
    FINITE,
    PERSON,
    PLACE,
    SUBJECTS,
    conjuncts,
    is_name,
    is_passive,
    lost_subject,
)

_OPEN_CLAUSES = frozenset({"advcl", "xcomp", "pcomp", "acl"})
_CREDITS = vocabulary.wordset(
    "direct write produce mix master engineer arrange star feature "
    "compose edit distribute illustrate publish record release perform narrate photograph animate create"
)
_BY_THE_SUBJECT = frozenset({"by", "without", "after", "before", "since", "when", "while"})
"""Prepositions behind which the subject acts, not the object: "reached the final by beating", but "thanked Ada for building"."""
_OF_WHO_ACTS = frozenset({"base", "headquarter", "bear"})
"""What is said of persons and companies, not of the town before it: "a painter from Oslo, based in Bergen"."""
_CAUSING = vocabulary.wordset(
    "prompt cause lead force make mean spark trigger raise leave allow enable help drive push bring"
)
"""What a whole event does, rather than the place or the people that it has to do with."""
_CIRCUMSTANCES = vocabulary.wordset("bear find found establish locate situate base headquarter")


def subjects(verb: Token) -> list[Token]:
    """Return the words that the verb is said of, none where nothing tells."""
    own = [child for child in verb.children if child.dep_ in SUBJECTS and not is_late(verb, child)]
    if own:
        return _own_subjects(verb, own)
    if (lost := lost_subject(verb)) is not None:
        return [lost]
    if verb.dep_ == "conj" and verb.tag_ in FINITE and verb.i and _is_unclear(verb.nbor(-1), verb):
        return [verb.nbor(-1)]
    if verb.dep_ == "parataxis" and (named := _named_before(verb)) is not None:
        return [named]
    if verb.tag_ == "VBN" and verb.i > 1 and verb.nbor(-1).text == "(" and not is_name(verb.nbor(-2)):
        return []  # "Going (acquired by Acme)" is no deed of whom the sentence is about
    then = verb.dep_ == "dep" and verb.tag_ == verb.head.tag_ and any(child.lower_ == "then" for child in verb.children)
    goes_on = verb.dep_ == "conj" or then
    if _is_of_something_else(verb):
        return []
    return _inherited(verb) if goes_on or verb.dep_ in _OPEN_CLAUSES else []


def _own_subjects(verb: Token, own: list[Token]) -> list[Token]:
    """Return whom a verb with subjects of its own is said of."""
    if (last := _last_of_two(verb, own[0])) is not None:
        return [last]
    if _is_reduced(verb):
        return []
    if _is_credited(verb):
        return subjects(verb.head.head)
    return [one for child in own for one in _antecedent(verb, child)]


def _is_of_something_else(verb: Token) -> bool:
    """Tell whether a verb without a subject is about something in between, not about whom the clause before it is."""
    participle = verb.dep_ == "advcl" and verb.tag_ == "VBN"
    if participle and verb.i and verb.left_edge == verb and verb.nbor(-1).pos_ in {"NOUN", "PROPN"}:
        return True  # "attacked targets in Syria linked to Iran"
    if participle and any(child.lower_ == "as" and child.i < verb.i for child in verb.children):
        return True  # "did it as agreed in the treaty"
    if verb.dep_ != "conj":
        return False
    if verb.tag_ == "VBN" and verb.head.tag_ in {"VB", "VBG"}:
        return True  # "to forget those killed": no list of deeds
    between = verb.doc[verb.head.i + 1 : verb.i]  # "directed the film, which won a prize, and was shown at"
    return is_passive(verb) and any(one.dep_ == "relcl" for one in between)


def _inherited(verb: Token) -> list[Token]:
    """Return whom a verb without a subject is said of by what it hangs on."""
    head = verb.head
    bracketed = verb.dep_ == "acl" and verb.left_edge.i > 0 and verb.doc[verb.left_edge.i - 1].text == "("
    if bracketed and (named := _named_before(verb)) is not None:
        return [named]
    if verb.dep_ == "advcl" and (named := _named_before(verb)) is not None:
        first = named.head.head if named.dep_ == "pobj" and named.head.lower_ == "by" else verb
        return subjects(first) if first != verb and {first.lemma_, verb.lemma_} <= _CREDITS else [named]
    if head.pos_ in {"NOUN", "PROPN", "PRON", "NUM"}:
        return _subjects_of_participle(verb) if verb.dep_ == "acl" else []
    if head != verb and (head.pos_ in {"VERB", "AUX"} or head.dep_ in {"prep", "acomp"}):
        ruler = head.head if head.dep_ == "prep" else head
        controller = next((child for child in ruler.children if child.dep_ == "dobj"), None)
        own_deed = verb.dep_ == "pcomp" and head.lower_ in _BY_THE_SUBJECT and not _acts_before(ruler, head)
        if verb.dep_ in {"xcomp", "pcomp"} and controller is not None and controller.i < verb.i and not own_deed:
            return conjuncts(controller)
        return subjects(head) if head.pos_ in {"VERB", "AUX"} else subjects(head.head) if head.head != head else []
    return []


def _is_unclear(name: Token, verb: Token) -> bool:
    """Tell whether the name right before a second verb is its subject, which the parser has made an adverb: "and the Browns beat"."""
    return is_name(name) and name.head == verb and name.dep_ in {"npadvmod", "nmod", "dep"}


def _is_reduced(verb: Token) -> bool:
    """Tell whether a participle without a helper has been read as a clause's verb: "is sure that the man arrested in Oslo is her friend"."""
    helped = any(child.dep_ in {"aux", "auxpass"} for child in verb.children)
    return verb.tag_ == "VBN" and verb.dep_ in {"ccomp", "advcl"} and not helped


def _is_credited(verb: Token) -> bool:
    """Tell whether a credit follows another's agent, which is no subject of it: "directed by Ada Roe starring Bo Lind"."""
    by = verb.head
    return (
        verb.dep_ == "pcomp"
        and by.lower_ == "by"
        and by.head.tag_ == "VBN"
        and {verb.lemma_, by.head.lemma_} <= _CREDITS
    )


def _last_of_two(verb: Token, subject: Token) -> Token | None:
    """Return the second subject of a second verb where the first is the object before it: "set to beat Acme and Ada has left".

    So too where the parser has made the second verb the first one's object: "tanks struck Oslo and bombers hit Bergen".
    """
    listed = [child for child in subject.children if child.dep_ == "conj"]
    joined = any(child.dep_ == "cc" and child.i < verb.i for child in verb.head.children)
    another = bool(listed) and not is_name(listed[0]) and all(child.lower_ != "other" for child in listed[0].children)
    within = verb.dep_ == "ccomp" and verb.head.i == subject.i - 1 and another
    if not (verb.dep_ == "conj" or within) or joined or len(listed) != 1 or not is_name(subject) or subject.i == 0:
        return None
    return listed[0] if subject.nbor(-1).pos_ == "VERB" else None


def _acts_before(ruler: Token, preposition: Token) -> bool:
    """Tell whether another deed stands between: "accused Acme of evading taxes by moving" is about Acme's moving."""
    before = (child for child in ruler.children if child.dep_ == "prep" and child.i < preposition.i)
    return any(one.dep_ == "pcomp" for child in before for one in child.children)


def is_late(verb: Token, child: Token) -> bool:
    """Tell whether a second verb's subject is really its object, for it follows it: "costs $5 and adds SSO"."""
    return child.dep_ == "nsubj" and child.i > verb.i and verb.dep_ == "conj" and verb.tag_ in FINITE


def _named_before(verb: Token) -> Token | None:
    """Return the name that a passive participle with its agent follows: "star in The Batman, directed by Matt Reeves"."""
    edge = verb.left_edge.i
    by = verb.tag_ == "VBN" and any(child.dep_ == "agent" or child.lower_ == "by" for child in verb.children)
    if verb.doc[edge].text in {",", "("}:
        edge += 1
    if not by or edge < 2 or verb.doc[edge - 1].text not in {",", "("}:
        return None
    last = edge - 2
    while last > 0 and (verb.doc[last].is_quote or verb.doc[last].text in {"''", "``"}):
        last -= 1
    return verb.doc[last] if is_name(verb.doc[last]) else None


def _subjects_of_participle(verb: Token) -> list[Token]:
    """Return what a participle after a noun is about: after a comma the main clause's subject, else that noun."""
    head = verb.head
    if (maker := _maker(verb)) is not None:
        return subjects(maker)
    loose = verb.left_edge.i > 0 and verb.doc[verb.left_edge.i - 1].text == ","
    by = any(child.dep_ == "agent" or child.lower_ == "by" for child in verb.children)
    movable = head.text == PLACE and verb.lemma_ in _OF_WHO_ACTS
    if verb.tag_ == "VBN" and is_name(head) and verb.lemma_ in _CIRCUMSTANCES and not movable:
        return [head]
    if by and head.text == PERSON and verb.lemma_ in _CREDITS and (shown := _shown_work(head)) is not None:
        return subjects(shown)  # "is a film about Ada Roe directed by"
    if verb.lemma_ == "represent" and head.dep_ == "pobj":
        loose = True  # "competed at the 1988 Games representing Norway"
    if loose and verb.lemma_ == "star" and (film := _film_before(verb)) is not None:
        return [film]
    if loose and not by and head.dep_ in {"pobj", "conj", "dobj"}:
        main = next((one for one in head.ancestors if one.pos_ in {"VERB", "AUX"}), None)
        return subjects(main) if main is not None else []
    return described_by(head)


def _film_before(verb: Token) -> Token | None:
    """Return the name right before ", starring", past a bracket or quotation mark, unless it is a person's."""
    index = verb.left_edge.i - 2
    while index > 0 and verb.doc[index].text in {")", "(", '"', "”", "''"} | {"2020"}:
        index -= 1
    name = verb.doc[index] if index >= 0 else None
    return name if name is not None and is_name(name) and name.text != PERSON else None


def _shown_work(person: Token) -> Token | None:
    """Return the "is" of "is a film about Ada Roe": a person is not directed."""
    above = next((one for one in person.ancestors if one.dep_ == "attr"), None)
    return above.head if above is not None and above.head.lemma_ == "be" and not is_name(above) else None


def _maker(verb: Token) -> Token | None:
    """Return the participle whose agent this one follows in a film's credits: "directed by A, written by B, and starring C"."""
    agent = verb.head
    while agent.dep_ == "conj" and agent.head.pos_ == "PROPN":
        agent = agent.head
    maker = agent.head.head if agent.dep_ == "pobj" and agent.head.lower_ == "by" else None
    credits = maker is not None and maker.tag_ == "VBN" and maker.lemma_ in _CREDITS
    return maker if credits and verb.lemma_ in _CREDITS and maker != verb else None


def described_by(noun: Token) -> list[Token]:
    """Return what a noun says something of: in "X is a film directed by Y" X is directed; elsewhere the noun stands for itself."""
    if is_name(noun):
        return [noun]
    while noun.dep_ == "conj" and noun.head.pos_ in {"NOUN", "PROPN"}:
        noun = noun.head
    if noun.dep_ == "attr" and noun.head.lemma_ == "be":
        return subjects(noun.head)
    beside = noun.dep_ == "appos" and noun.pos_ == "NOUN" and not _begins_sentence(noun)
    return [noun.head] if beside else conjuncts(noun)


def _begins_sentence(noun: Token) -> bool:
    """Tell whether a noun behind an opening phrase is the subject that its sentence lacks: "In a talk with Acme, the group said"."""
    verb = next((one for one in noun.ancestors if one.pos_ in {"VERB", "AUX"}), None)
    opening = verb is not None and verb.i > noun.i and noun.head.dep_ == "pobj" and verb.tag_ in FINITE
    return opening and verb is not None and not any(child.dep_ in SUBJECTS for child in verb.children)


def _antecedent(verb: Token, subject: Token) -> list[Token]:
    """Return what a relative pronoun stands for, else the subject and those listed with it."""
    if subject.tag_ in {"WDT", "WP"} and verb.dep_ == "relcl":
        if is_name(verb.head) and _goes_on_unnamed(verb.head, subject):
            return []
        if verb.lemma_ in _CAUSING and _is_said_of_more(verb.head, subject):
            return []
        found = described_by(_somebody(verb.head) if subject.lower_ == "who" else verb.head)
        if subject.i > 1 and subject.nbor(-1).text == "(" and subject.nbor(-2).text == PERSON:
            found = [subject.nbor(-2)]  # "and her husband, Bo Lind (who founded Acme)"
        return [one for one in found if one.i < verb.i]  # "a list that includes Acme" is no name's
    several = any(child.dep_ in {"cc", "conj"} for child in subject.children)
    if any(child.lower_ == "or" for child in subject.children):
        several = False  # "Anna or Ann Roe was": another name, or one of the two
    return conjuncts(subject) if several else [subject]


def _goes_on_unnamed(name: Token, pronoun: Token) -> bool:
    """Tell whether an unnamed noun of a list stands nearer to "that" than a name of it: "the iPhone and other devices that"."""
    before = pronoun.nbor(-1) if pronoun.i else pronoun
    before = before.nbor(-1) if before.text == "," and before.i else before
    listed = before.dep_ == "conj" and before.pos_ == "NOUN" and not is_name(before)
    return listed and name.is_ancestor(before)


def _is_said_of_more(name: Token, which: Token) -> bool:
    """Tell whether ", which" takes up more than the name before it: "a build-up at the border of Ukraine, which prompted"."""
    within = is_name(name) and name.dep_ == "pobj" and name.head.head.pos_ == "NOUN"
    return within and which.lower_ == "which" and which.i > 0 and which.nbor(-1).text == ","


def _somebody(noun: Token) -> Token:
    """Return what "who" stands for: a person, or the noun that a name without one hangs on ("a collaborator during the war, who led")."""
    above = noun.head.head
    if is_name(noun) and noun.text != PERSON and noun.dep_ == "pobj" and above.tag_ in {"NN", "NNS"}:
        return above
    return noun
