"""Doubts: why a clause asserts nothing: it is denied, asked, supposed, wished, planned, past or only reported."""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction import vocabulary
from server.services.extraction.syntax import DENIALS, FINITE, SUBJECTS, is_name, is_passive

_DOUBTS = frozenset({"might", "may", "could", "would", "should", "can", "ought", "must", "shall", "will", "'ll"})
_NOT_DONE = vocabulary.wordset(
    "slated poised tipped destined "
    "going about due set ready likely unlikely scheduled unable able reluctant unwilling willing keen eager hesitant free supposed obliged "
    "required allowed permitted entitled invited"
)
_CONDITIONS = frozenset({"if", "unless", "whether", "lest"})
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
_UNREAL = vocabulary.wordset(
    "ought want hope wish plan try attempt fail refuse consider think believe doubt deny expect intend like love imagine suppose guess decline "
    "ask wonder seek need prevent stop keep avoid rumor rumour allege claim suggest propose pretend promise threaten offer agree prefer seem appear "
    "decide vow pledge undertake resolve opt choose volunteer struggle "
    "say tell report hear speculate predict forecast estimate aim hop"  # the lemmatiser takes "hopes" for hopping
)
_REAL = vocabulary.wordset(
    "help manage continue begin start go proceed combine force compel get come grow live return happen serve team unite join remain rush hurry "
    "race step dare bother remember prove appoint elect hire select name inspire lead persuade convince prompt cause enable use know find see "
    "reveal show cease be act last dispatch send call induce drive push move bring make have resume stay"
)
"""Verbs behind which an infinitive tells what was done, or came about: "managed to", "went on to", "was forced to"."""
_ACCUSING = vocabulary.wordset(
    "accuse suspect charge acquit clear blame investigate sue indict arraign criticize criticise"
)
_DOUBTFUL = vocabulary.wordset(
    "false untrue wrong incorrect inaccurate unlikely likely possible unclear uncertain doubtful unconfirmed rumored rumoured myth lie "
    "hoax fiction misconception rumor rumour report claim allegation speculation suggestion theory notion idea belief hope fear plan"
)
"""Adjectives and nouns before a "that" which the sentence does not vouch for."""


def doubt_of(verb: Token) -> str:
    """Return why a verb asserts nothing, looking at it and at the clauses that it hangs on."""
    for child in verb.children:
        if child.dep_ == "neg" or (child.dep_ in {"advmod", "preconj", "det"} and child.lower_ in DENIALS):
            return "the sentence denies it"
        if child.lower_ == "longer" and any(one.lower_ == "no" for one in child.children):
            return "it is said to have ended"
        if child.dep_ == "aux" and (child.lower_ in _DOUBTS or child.lower_ in {"'d"}):
            return "the sentence does not assert it"
        if child.dep_ == "mark" and child.lower_ in _CONDITIONS:
            return "it is a condition"
        if child.dep_ == "mark" and child.lower_ == "for":
            return "it is only an intention"  # "a gamble for Ada to replace Bo"
        if child.dep_ == "advmod" and child.lower_ in _HEARSAY:
            return "it is hearsay"
        if child.dep_ in SUBJECTS and any(one.lower_ in {"no", "neither", "none"} for one in (child, *child.children)):
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
    if verb.dep_ == "xcomp" and head.lemma_ == "have":
        return "it is only required"
    if verb.dep_ == "xcomp" and head.lemma_ == "be" and _has_to(verb):
        return "it is only planned"  # "is to meet Ada"
    if verb.dep_ == "xcomp" and head.pos_ == "VERB" and head.lemma_.lower() not in _REAL and _has_to(verb):
        return "the sentence does not say that it came about"
    if verb.dep_ == "xcomp" and _is_purpose(verb):
        return "it is only an intention"
    if verb.dep_ in {"acl", "relcl"} or (head.pos_ in {"NOUN", "PROPN", "ADP"} and verb.dep_ != "pcomp"):
        to_come = any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)
        if to_come and verb.dep_ == "acl":
            return "it is only an intention"
        above = next((one for one in verb.ancestors if one.pos_ in {"VERB", "AUX"}), None)
        return doubt_of(above) if to_come and above is not None else ""  # "was close to becoming the first to win"
    if head.lemma_.lower() in _UNREAL and verb.dep_ in {"xcomp", "ccomp"}:
        return "it is thought or wished, not stated"
    if verb.dep_ == "conj" and any(child.dep_ in SUBJECTS for child in verb.children):
        return _doubt_above(head) if head.dep_ == "ccomp" else ""
    if verb.dep_ == "conj" and verb.tag_ in FINITE and any(child.lower_ == "but" for child in head.children):
        return _doubt_above(head)  # "no longer supports A but supports B"
    if verb.dep_ == "conj" and verb.tag_ in FINITE and head.tag_ == "VB":  # "used to own A and uses B"
        return _doubt_above(head.head) if head.dep_ == "xcomp" else _doubt_above(head)
    nearing = head.lower_ in {"on", "to"} and head.head.lemma_ == "close"  # "closed in on becoming"
    if verb.dep_ == "pcomp" and (nearing or head.head.lemma_ in _UNREAL):
        return "it is thought or wished, not stated"
    if verb.dep_ == "pcomp" and head.lower_ in {"of", "with", "for"} and head.head.lemma_ in _ACCUSING:
        return "it is only alleged"
    if verb.dep_ == "pcomp" and head.lower_ in DENIALS:
        return "the sentence denies it"
    if verb.dep_ == "advcl" and any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children):
        return "it is only an intention"
    if verb.dep_ == "advcl" and _describes_name(verb):
        return ""
    above = head.head if head.pos_ == "ADP" else head
    return doubt_of(above) if above.pos_ in {"VERB", "AUX"} and above != verb else ""


def _describes_name(verb: Token) -> bool:
    """Tell whether a participle only describes the name before it, whatever is planned of that: "are to see Ada, arrested by Acme"."""
    edge = verb.left_edge.i
    return verb.tag_ == "VBN" and edge > 1 and verb.doc[edge - 1].text == "," and is_name(verb.doc[edge - 2])


def _has_to(verb: Token) -> bool:
    return any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)


def _is_purpose(verb: Token) -> bool:
    """Tell whether "to" tells what something was done or is fit for: "left Google to join Yahoo", "too far to reach it"."""
    to = any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)
    if to and verb.head.pos_ == "ADJ":
        return True
    return to and any(child.dep_ == "dobj" and child.i < verb.i for child in verb.head.children)


def _is_doubtful(verb: Token) -> bool:
    """Tell whether the clause is the content of a rumour, a myth or a claim: "a myth that ...", "the rumour is that ..."."""
    that = next((child for child in verb.children if child.dep_ == "mark" and child.lower_ == "that"), None)
    if that is not None and that.i > 0:
        before = that.nbor(-1)
        if before.lemma_.lower() in _DOUBTFUL or (before.lower_ == "it" and verb.head.lemma_ == "have"):
            return True
        if any(child.lower_ in DENIALS for child in before.children):  # "hardly true that"
            return True
    if verb.dep_ in {"acl", "relcl"} and verb.head.lemma_.lower() in _DOUBTFUL:
        return any(child.dep_ in SUBJECTS and child.tag_ not in {"WDT", "WP"} for child in verb.children)
    if verb.dep_ in {"ccomp", "csubj"} and verb.head.lemma_ == "be":
        beside = [child for child in verb.head.children if child.dep_ in {"nsubj", "attr", "acomp"}]
        return any(child.lemma_.lower() in _DOUBTFUL for child in beside)
    sources = [child for child in verb.children if child.lower_ == "according"]
    return any(noun.lemma_ in {"rumour", "rumor", "report"} for one in sources for noun in one.subtree)


def _is_not_yet_or_no_more(head: Token) -> bool:
    """Tell whether what follows is past or still to come: "used to", "is going to", "is about to", "has yet to"."""
    yet = any(child.lower_ == "yet" for child in head.children)
    used = head.lower_ == "used" and not is_passive(head)
    return used or yet or head.lower_ in _NOT_DONE
