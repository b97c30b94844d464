"""Reach: how far from its verb a name may stand for the parser's guess to be relied on.

Near their verb, nine in ten of the names that the parser gives it are its own; behind more than a handful of words, or behind a clause
of its own, most belong to something in between.
"""

from __future__ import annotations

from spacy.tokens import Token

from server.services.extraction.clauses import Clause, Complement
from server.services.extraction.kinds import Trust
from server.services.extraction.reading import Reading
from server.services.extraction.sentence import Scene
from server.services.extraction.syntax import FINITE

_ONE = frozenset({"a", "an", "another", "every", "each"})
_AWARDED = frozenset({"win", "receive", "earn", "award", "honor", "honour", "nominate"})
"""Verbs of prizes, of which one may well have several: "won two Golden Globes"."""
_FARTHEST = 8
"""How many words may stand between a verb and a preposition that is said to be its own."""


def is_place_by_pronoun(scene: Scene) -> bool:
    """Tell whether only a pronoun or a plain noun says that a place does something: "it" is as often somebody not named."""
    subject = scene.subject
    if subject.type != "place" or subject.trust < Trust.CUE or scene.clause.passive or scene.clause.lemma == "be":
        return False
    return not any(scene.reading.member(token) is subject for token in scene.clause.subjects)


def is_one_of_many(reading: Reading, token: Token) -> bool:
    """Tell whether what looks like a name is one of a kind: "a Liberian-American", "three Palestinians"."""
    member = reading.member(token)
    if member is None or member.trust > Trust.SHAPE:
        return False
    before = [child for child in token.children if child.i < token.i]
    counted = any(child.lower_ in _ONE or (child.dep_ == "nummod" and child.is_alpha) for child in before)
    return counted and token.head.lemma_ not in _AWARDED and token.head.head.lemma_ not in _AWARDED


def is_out_of_reach(clause: Clause, complement: Complement) -> bool:
    """Tell whether too much stands between a verb and what it is said to take: "reiterated, as he did last week in a talk with Acme"."""
    verb, end = clause.verb, _start_of(complement)
    between = verb.doc[verb.i + 1 : end]
    if clause.lemma == "be" or end <= verb.i:
        return False
    if any(_begins_clause(token, verb) for token in between):
        return True
    return complement.preposition != "" and sum(token.is_alpha for token in between) > _FARTHEST


def _begins_clause(token: Token, verb: Token) -> bool:
    """Tell whether what stands between is said of something else; a second verb beside the first shares what it takes."""
    if token.text in {":", ";"}:
        return True
    return (
        token.tag_ in FINITE
        and token.dep_ not in {"aux", "auxpass"}
        and not (token.dep_ == "conj" and verb.is_ancestor(token))
    )


def _start_of(complement: Complement) -> int:
    """Return where a complement begins: at the preposition, or the name, that comes first in its list."""
    name = complement.token
    while name.dep_ in {"conj", "appos"} and name.i > name.head.i and name.head.pos_ in {"NOUN", "PROPN", "NUM"}:
        if name.dep_ == "appos" and not complement.preposition:
            break
        name = name.head
    return name.head.i if name.dep_ == "pobj" else name.i
