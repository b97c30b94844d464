"""Wording: the short statement that stands for a clause, in the text's own words: "Requires a minimum 12-month commitment"."""

from __future__ import annotations

from collections.abc import Callable

from spacy.tokens import Token

from server.services.extraction import predicates
from server.services.extraction.clauses import Complement
from server.services.extraction.sentence import Scene
from server.services.extraction.syntax import is_denied, main_verb

_SHORT = {"'s": "is", "’s": "is", "'re": "are", "’re": "are"}


def is_free(scene: Scene, token: Token) -> bool:
    """Tell whether a token belongs to nothing that a rule has said already."""
    while token != scene.clause.verb:
        if (
            token.i in scene.used
            or (token.dep_ in {"prep", "agent"} and _is_used_up(scene, token))
            or _is_denied_item(token)
        ):
            return False
        token = token.head
    return True


def _is_denied_item(token: Token) -> bool:
    """Tell whether the token heads an item that its list takes back."""
    return token.dep_ in {"conj", "appos"} and is_denied(token)


def _is_used_up(scene: Scene, preposition: Token) -> bool:
    objects = [child for child in preposition.children if child.dep_ == "pobj"]
    return bool(objects) and all(child.i in scene.used for child in objects)


def item(scene: Scene, complement: Complement) -> str:
    """Return the statement about one item of a list."""
    tokens = [one for one in complement.token.subtree if _in_item(one, complement.token) and one.i not in scene.used]
    return " ".join([_verb(scene), scene.reading.text(tokens)])


def _in_item(token: Token, head: Token) -> bool:
    while token != head:
        if token.head == head and token.dep_ in {"conj", "cc", "appos", "punct"}:
            return False
        token = token.head
    return True


def predicate_text(scene: Scene, keep: Callable[[Token], bool]) -> str:
    """Return the clause's predicate in the text's words, its verb first."""
    verb = scene.clause.verb
    after = [token for token in scene.own() if token.i > verb.i and keep(token)]
    while after and after[0].dep_ in {"punct"}:
        after.pop(0)
    while after and after[-1].dep_ in {"punct", "cc"}:
        after.pop()
    return " ".join([_verb(scene), scene.reading.text(after)])


def _verb(scene: Scene) -> str:
    """Return the finite form that stands for the clause's verb: a participle takes its main verb's tense."""
    verb = scene.clause.verb
    if scene.clause.passive:
        return verb.lower_
    if verb.tag_ == "VBG":
        return (
            predicates.past(verb.lemma_)
            if main_verb(verb).tag_ in {"VBD", "VBN"}
            else predicates.third_person(verb.lemma_)
        )
    helpers = [child for child in verb.children if child.dep_ == "aux" and child.i < verb.i]
    words = scene.reading.text([*helpers, verb])
    return _SHORT.get(words, words)
