"""Certainty: how sure an edge of prose is by its shape alone, whatever it says; what is likelier wrong waits for review.

Confidence goes by marks of doubt. Of 796 edges judged by hand, 725 of 643 sentences written for it and 71 of the open half, these were
right: without a mark 480 of 530 (0.91), with one 160 of 196 (0.82), with two 21 of 34 (0.62), with three or more 15 of 26 (0.58).
A subject that another parse does not give to the verb (right in 9 of 18) counts as three. Edges of tables, fields and titles have none.
"""

from __future__ import annotations

from collections.abc import Iterable

from spacy.tokens import Doc, Span, Token

from server.services.extraction import language
from server.services.extraction.cast import Member
from server.services.extraction.clauses import Complement
from server.services.extraction.kinds import Trust
from server.services.extraction.names import Name
from server.services.extraction.sentence import Scene
from server.services.extraction.syntax import SUBJECTS

UNDOUBTED = 0.80
_CONFIDENCE = (UNDOUBTED, UNDOUBTED, 0.62)
"""By the number of marks, while they are few; a class that is right more often than an extracted claim's 0.80 says no more than that."""
_DOUBTFUL = 0.58
_FOREIGN = 3
"""The marks of a subject that another parse does not give to the verb: enough to wait."""
_LOOSE = frozenset({"acl", "advcl", "pcomp"})
_PAIRING = frozenset({"", "between"})
"""What a list follows that is as sure as its first name: a verb itself, and what takes two."""
_NO_NAMES = frozenset({"NORP", "CARDINAL", "ORDINAL", "DATE", "TIME"})
"""What the recogniser calls peoples, numbers and times."""
_KINDS = {
    "person": frozenset({"PERSON"}),
    "organization": frozenset({"ORG", "GPE", "FAC"}),
    "place": frozenset({"GPE", "LOC", "FAC"}),
}
_RELATIVE = frozenset({"WDT", "WP", "WP$"})
_BESIDE = frozenset({"conj", "appos", "compound", "nmod"})
_DEPENDENT = frozenset({"conj", "advcl", "xcomp", "ccomp", "pcomp", "prep", "aux", "dep"})
_NEAREST = 6


def confidence(marks: int) -> float:
    """Return how sure an edge with so many marks of doubt is; below 0.7 it waits for review."""
    return _CONFIDENCE[marks] if marks < len(_CONFIDENCE) else _DOUBTFUL


class Witness:
    """What the model says of a passage before any name is folded: a second opinion on what the rules make of it."""

    def __init__(self, doc: Doc, named: Iterable[tuple[Name, Member]]) -> None:
        self._doc = doc
        self._names: dict[Member, list[Name]] = {}
        self._parse: Doc | None = None
        for name, member in named:
            self._names.setdefault(member, []).append(name)

    def marks(self, source: Member, target: Member) -> int:
        """Return the marks of an edge's ends: a name that is part of a longer one to the recogniser, another kind of thing, or no name."""
        ends = [(member, seen) for member in (source, target) if (seen := self._opinion(member)) is not None]
        part = any(label and not same for _, (same, label) in ends)
        other = any(label and label not in _KINDS.get(member.type, {label}) for member, (_, label) in ends)
        nothing = any(label in _NO_NAMES for _, (_, label) in ends)
        return part + other + nothing

    def _opinion(self, member: Member) -> tuple[bool, str] | None:
        """Return whether the recogniser sees a name where the rules do, at the mention where it agrees best, and what covers it there.

        None where nothing is named, only meant, and where a list knows the name.
        """
        found = None
        for name in self._names.get(member, ()):
            if name.trust >= Trust.LIST:
                return None
            over = next((one for one in self._doc.ents if _start(one) < name.end and name.start < _end(one)), None)
            end = name.end - (self._doc.text[name.end - 1] == ".")
            same = over is not None and (_start(over), _end(over)) == (name.start, end)
            covers = over is not None and _start(over) <= name.start and end <= _end(over)
            if found is None or same:
                found = same, over.label_ if over is not None and covers else ""
            if same:
                break
        return found

    def disagrees(self, scene: Scene, subject: Token) -> bool:
        """Tell whether the sentence as it stands, parsed once more, gives the clause's verb another subject; a millisecond a passage."""
        self._parse = self._parse or language.parse_tagged(self._doc)
        verb = _root(self._parse, *_place(scene, scene.clause.verb))
        meant = _root(self._parse, *_place(scene, subject))
        if verb is None or meant is None:
            return False
        beside = _listed(meant)
        return not any(one.i in beside for one in _subjects(verb))


def marks_of(witness: Witness, scene: Scene, complement: Complement) -> int:
    """Return the marks of an edge that a verb makes: a subject that another parse does not give it, a loose clause, a list of names."""
    clause = scene.clause
    subject = next((one for one in clause.subjects if scene.resolved.get(one.i) is scene.subject), clause.subjects[0])
    borrowed = subject.head != clause.verb
    foreign = borrowed and witness.disagrees(scene, subject)
    first, last = sorted((complement.token.i, clause.verb.i))
    between = sum(scene.reading.member(one) is not None for one in clause.verb.doc[first + 1 : last])
    listed = complement.preposition not in _PAIRING and (complement.token.dep_ == "conj" or between > 1)
    loose = clause.verb.dep_ in _LOOSE or clause.verb.tag_ == "VBG"
    return _FOREIGN * foreign + listed + loose


def _start(entity: Span) -> int:
    return entity.start_char + (4 if entity.text[:4].lower() == "the " else 0)


def _end(entity: Span) -> int:
    return entity.start_char + len(entity.text.removesuffix("'s").removesuffix("’s").removesuffix("."))


def _place(scene: Scene, token: Token) -> tuple[int, int]:
    piece = scene.reading.pieces[token.i]
    return piece.start, piece.end


def _root(doc: Doc, start: int, end: int) -> Token | None:
    span = doc.char_span(start, end, alignment_mode="expand") if start < end else None
    return span.root if span is not None else None


def _subjects(verb: Token, steps: int = 0) -> list[Token]:
    """Return the subjects of a verb, those that it shares with the verb above it, or the noun that its clause is about."""
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    if own and own[0].tag_ not in _RELATIVE and own[0].lower_ != "that":
        return own
    above = verb.head
    if verb.dep_ in {"relcl", "acl"}:  # "Ada was a painter who lived in Oslo"
        return [above, *(_subjects(above.head, steps + 1) if above.dep_ == "attr" and steps <= _NEAREST else ())]
    if above == verb or steps > _NEAREST:
        return own
    if verb.dep_ in _DEPENDENT or above.tag_.startswith(("VB", "MD")):
        return _subjects(above, steps + 1)
    return [above] if above.tag_.startswith("NN") else own


def _listed(token: Token) -> set[int]:
    """Return the places of a noun and of those that are listed with it or stand beside it."""
    found, waiting = {token.i}, [token]
    while waiting:
        one = waiting.pop()
        near = [child for child in one.children if child.dep_ in _BESIDE]
        near += [one.head] if one.dep_ in _BESIDE else []
        waiting += [other for other in near if other.i not in found]
        found |= {other.i for other in near}
    return found
