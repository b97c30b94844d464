"""Choosing: which statements answer a question, by what it names, its words and what kind of thing it asks for; none where none does.

A statement must touch a name of the question, where that has any, and say at least half of its other words, by form or meaning; without
names, or asked whether something is so, it must say two thirds. What looks like a name in the question and is none that is known must
stand in the statement. Then it must be of the kind that is asked for: with a person for "who", a time for "when", an amount for
"how much", an end that is a plan for "which plans". These levels were set on the sample's questions and on questions that it does not
answer (tests/unit/test_answer_choosing.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from uuid import UUID

from server.services.answering.naming import Thing
from server.services.answering.questions import Asked, Kind
from server.services.answering.statements import Statement
from server.services.answering.wording import alike, stem, words_of

__all__ = ["chosen", "gives_cause"]

MOST = 6
MOST_LISTED = 24
_NAMED_LEVEL, _UNNAMED_LEVEL = 0.5, 0.66
_QUOTED, _EXACT, _BEHIND = 0.75, 0.3, 0.25
_PLACES = frozenset({"place", "location", "city", "country", "region"})
_SOMEBODY = frozenset({"person", "organization", "group", "team", "company"})
_SITES = frozenset({"organization", "institution", "company"})
_PLACING = re.compile(r"(?:^|_)(?:IN|AT|LOCATED|BASED|HEADQUARTERED|LIVES|RESIDES)(?:_|$)")
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion)\b",
    re.I,
)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_CAUSE = re.compile(
    r"\b(?:because|so that|therefore|due to|in order to|thus|hence|as a result|purpose|reason|to avoid|to prevent)\b",
    re.I,
)
_CAUSING = frozenset(
    stem(word) for word in "prevents enables allows causes requires avoids protects ensures reduces".split()
)
_NUMBERED = frozenset({Kind.WHEN, Kind.PRICE, Kind.COUNT})
_MOST_TOLD = 3
_KINDS_OF = frozenset({"IS_A", "HAS_ROLE", "INSTANCE_OF", "TYPE_OF"})


def chosen(asked: Asked, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements that answer a question, the most telling first; none where none does. Linear in the statements."""
    there = [one for one in statements if all(_says(one, word) for word in asked.strange)]
    there = [one for one in there if not any(one.is_not_of(word) for word in asked.words)]
    claims = [one for one in there if one.is_claim]
    if not asked.past and not _only_over(asked, claims):
        claims = [one for one in claims if not one.over]
    return tuple(_once(_WAYS[asked.kind](asked, claims)) or _told(asked, [one for one in there if not one.is_claim]))


def _told(asked: Asked, sentences: Sequence[Statement]) -> list[Statement]:
    """Choose sentences of memories and documents: they must touch all names, and say two thirds of the words, two of all at least."""
    if asked.kind is Kind.DIFFERENCE or len(asked.words) + len(asked.head) + len(_groups(asked)) < 2:
        return []
    words = (*asked.head, *asked.words)
    found = [
        (one, _coverage(words, one))
        for one in sentences
        if _touched(asked, one) == len(_groups(asked)) and (asked.kind not in _NUMBERED or _NUMBER.search(one.content))
    ]
    best = max((said for _, said in found), default=0.0)
    kept = [one for one, said in found if said >= max(_UNNAMED_LEVEL, best - _BEHIND)]
    return sorted(kept, key=lambda one: one.place)[:_MOST_TOLD]


def _once(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements without those that another one says as well: of the same subject and predicate, and more."""
    return [one for one in statements if not any(_is_said_by(one, other) for other in statements if other is not one)]


def _is_said_by(one: Statement, other: Statement) -> bool:
    if one.subject != other.subject or not one.own & other.own or other.object is not None:
        return False
    if one.object is not None:
        return stem(one.predicate.split("_")[0]) in other.own and _mentions(other.content, one.object.name)
    return one.predicate == other.predicate and one.own < other.own and one.own != other.own


def _only_over(asked: Asked, statements: Sequence[Statement]) -> bool:
    """Return whether all that touches a name is over, so that this is what there is to say."""
    near = [one for one in statements if _touched(asked, one)]
    return bool(near) and all(one.over for one in near)


def _says(statement: Statement, word: str) -> bool:
    return word.casefold() in statement.plain or any(
        alike(part, statement.stems | statement.quoted) for part in words_of(word)
    )


def _touched(asked: Asked, statement: Statement) -> int:
    """Return how many of the question's names a statement touches, as an end or in its words."""
    return sum(_touches(statement, name) for name in _groups(asked))


def _groups(asked: Asked) -> list[tuple[Thing, ...]]:
    return list(dict.fromkeys(name.things for name in asked.names))


def _touches(statement: Statement, things: Iterable[Thing]) -> bool:
    return any(thing.id == end.id for thing in things for end in (*statement.ends, *statement.about)) or any(
        _mentions(statement.content, thing.name) for thing in things
    )


def _mentions(text: str, name: str) -> bool:
    return bool(text) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _open_ends(asked: Asked, statement: Statement) -> list[Thing]:
    """Return the ends of a statement that the question does not name."""
    named = {thing.id for name in asked.names for thing in name.things}
    return [end for end in statement.ends if end.id not in named]


def _coverage(words: Sequence[str], statement: Statement) -> float:
    """Return how much of the words a statement says itself; what only its quote says counts three quarters."""
    if not words:
        return 1.0
    said = [
        1.0 if alike(word, statement.stems) or statement.is_of(word) else _QUOTED * alike(word, statement.quoted)
        for word in words
    ]
    return sum(said) / len(words)


def _exactly(words: Sequence[str], statement: Statement) -> float:
    """Return how much of the words a statement says in a form of the very word."""
    return sum(stem(word) in statement.stems for word in words) / len(words) if words else 1.0


def _level(asked: Asked) -> float:
    return _NAMED_LEVEL if asked.names else _UNNAMED_LEVEL


def _near(asked: Asked, statements: Sequence[Statement], words: Sequence[str] | None = None) -> list[Statement]:
    """Return the statements that touch a name and say enough of the words, the best first."""
    wanted = asked.words if words is None else words
    if not asked.names and not wanted:
        return []
    there = [(_touched(asked, one), one) for one in statements]
    kept = [
        (_coverage(wanted, one) + _EXACT * _exactly(wanted, one), touched, one)
        for touched, one in there
        if (touched or not asked.names) and _coverage(wanted, one) >= _level(asked)
    ]
    best = max((said for said, _, _ in kept), default=0.0)
    kept = [one for one in kept if one[0] >= best - _BEHIND]
    return [one for _, _, one in sorted(kept, key=lambda one: (-one[0] - one[1], one[2].place))]


def _plainly(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    """Choose what touches most names and says the words."""
    near = _near(asked, statements)
    most = max((_touched(asked, one) for one in near), default=0)
    near = [one for one in near if _touched(asked, one) == most]
    if most < len(_groups(asked)):  # not of all that is named: then the words must be its own
        near = [one for one in near if _verbally(asked, one)]
    return near[:MOST] if asked.words else [one for one in near if most > 1][:MOST] or _about(asked, near)


def _with(kind: Callable[[Asked, Statement], bool]) -> Callable[[Asked, Sequence[Statement]], list[Statement]]:
    def choose(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
        return _near(asked, [one for one in statements if kind(asked, one)])[:MOST]

    return choose


def _somebody(asked: Asked, statement: Statement) -> bool:
    return any(end.type in _SOMEBODY or (end.type in {"concept", "entity"}) for end in _open_ends(asked, statement))


def _dated(asked: Asked, statement: Statement) -> bool:
    return statement.dated or statement.value_type == "DATE" or bool(_YEAR.search(statement.content))


def _placed(asked: Asked, statement: Statement) -> bool:
    ends = _open_ends(asked, statement)
    return any(end.type in _PLACES for end in ends) or (
        bool(_PLACING.search(statement.predicate))
        and (any(end.type in _SITES for end in ends) or statement.object is None)
    )


def _priced(asked: Asked, statement: Statement) -> bool:
    return statement.value_type == "MONEY" or (alike("cost", statement.own) and bool(_NUMBER.search(statement.content)))


def _price(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    return _with(_priced)(asked._replace(head=()), statements)[:MOST]


def _count(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    """Choose a number of what is counted ("four junior developers"); where none is stated, what can be counted."""
    if not asked.head:
        return _near(asked, [one for one in statements if _NUMBER.search(one.content)])[:MOST] if asked.words else []
    counted = [one for one in statements if _counts(one.content, asked.head[-1])]
    return _near(asked, counted, (*asked.head, *asked.words))[:MOST] or _which(asked, statements)


def _counts(content: str, noun: str) -> bool:
    """Return whether a number stands at most three words before a noun."""
    words = words_of(content)
    return any(
        alike(noun, [stem(word)]) and _NUMBER.search(" ".join(words[max(0, at - 3) : at]))
        for at, word in enumerate(words)
    )


def _fits(head: str, ends: Iterable[Thing], kinds: Kinds) -> bool:
    """Return whether one of the ends is what the head of a question asks for: by its name, its type, or what it is said to be."""
    return any(alike(head, _stems_of(end)) or stem(head) in kinds.get(end.id, frozenset()) for end in ends)


def _stems_of(end: Thing) -> list[str]:
    return [stem(word) for word in words_of(f"{end.name} {end.type}")]


def _kinds(statements: Iterable[Statement]) -> Kinds:
    """Return what things are said to be."""
    return {one.subject.id: one.own for one in statements if one.subject is not None and one.predicate in _KINDS_OF}


def _which(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    """Choose what has an end of the kind that is asked for; where nothing has, the facts that say the words.

    Then what ties the question's names to it: SSO, which a plan includes, is compatible with Okta.
    """
    all_names = asked._replace(names=(*asked.names, *asked.background))
    head, kinds = asked.head[-1], _kinds(statements)
    best = _near(all_names, [one for one in statements if _fits(head, _open_ends(all_names, one), kinds)])
    best += _bridged(all_names, statements, {one.number for one in best}, kinds)
    if best:
        best.sort(key=lambda one: -_touched(asked, one))
        return list(dict.fromkeys([*best, *_ties(all_names, statements, best)]))[:MOST_LISTED]
    named = _near(asked, [one for one in statements if alike(head, one.own)], (*asked.head[:-1], *asked.words))
    return (named or [one for one in _near(asked, statements) if one.object is None and _verbally(asked, one)])[:MOST]


def _verbally(asked: Asked, statement: Statement) -> bool:
    """Return whether a statement says all words of a question, in their very forms."""
    return bool(asked.words) and _exactly(asked.words, statement) == 1.0


def _bridged(asked: Asked, statements: Sequence[Statement], known: set[int], kinds: Kinds) -> list[Statement]:
    """Choose two steps to what is asked for: it includes what is compatible with what is named."""
    if not asked.names:
        return []
    found: list[Statement] = []
    for first in statements:
        if not _touched(asked, first) or first.object is None or _fits(asked.head[-1], _open_ends(asked, first), kinds):
            continue
        if asked.words and _coverage(asked.words, first) < _NAMED_LEVEL:
            continue
        for middle in _open_ends(asked, first):
            seconds = [
                one
                for one in statements
                if one.object is not None
                and one.object.id == middle.id
                and one.number not in known
                and _fits(asked.head[-1], one.ends[:1], kinds)
                and alike("include", one.own)
            ]
            found += [*seconds, first] if seconds else []
    return list(dict.fromkeys(found))


def _ties(asked: Asked, statements: Sequence[Statement], best: Sequence[Statement]) -> list[Statement]:
    """Return the statements between two names of the question, one of which the best speak of."""
    spoken = {end.id for one in best for end in one.ends}
    return [
        one
        for one in statements
        if one.object is not None and _touched(asked, one) > 1 and any(end.id in spoken for end in one.ends)
    ]


def _about(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    """Choose what says what things are, then what else is said of them; for each name as many."""
    found: list[Statement] = []
    groups, most = _groups(asked), 2 * MOST
    for things in groups:
        ids = {thing.id for thing in things}
        own = [one for one in statements if one.subject is not None and one.subject.id in ids]
        own += [one for one in statements if one not in own and _touches(one, things)]
        own.sort(
            key=lambda one: (
                one.subject is None or one.subject.id not in ids,
                one.predicate not in _KINDS_OF,
                one.place,
            )
        )
        found += own[: max(3, most // len(groups))]
    return list(dict.fromkeys(found))


def _why(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    """Choose what gives a cause or a purpose, then what says what it is about; the last name of a question is what it asks about."""
    near = _near(asked, statements)
    if not near or not asked.names:
        return near[:3]
    last = _groups(asked)[-1]
    ids = {thing.id for thing in last}

    def rank(one: Statement) -> tuple[bool, bool, int, int]:
        own = one.subject is not None and one.subject.id in ids
        return not gives_cause(one), not own, -_touched(asked, one), one.place

    return sorted((one for one in near if _touches(one, last) or _touched(asked, one) > 1), key=rank)[:4]


def gives_cause(statement: Statement) -> bool:
    """Return whether a statement says why, or what for."""
    verb = stem(statement.predicate.split("_")[0])
    return verb in _CAUSING or bool(_CAUSE.search(statement.quote))


def _relation(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    """Choose what is said of several of the names at once; else a shortest chain from one to another."""
    direct = [one for one in statements if _touched(asked, one) > 1 and _coverage(asked.words, one) >= _NAMED_LEVEL]
    if direct or len(_groups(asked)) < 2:
        return direct[:MOST] or (_near(asked, statements)[:MOST] if asked.words else _about(asked, statements)[:3])
    return _chain(asked, statements, 3, onward=False)


def _chain(asked: Asked, statements: Sequence[Statement], longest: int, *, onward: bool) -> list[Statement]:
    """Return a shortest chain of relationships from the first name to the second, of so many at most; `onward`: from subjects to objects."""
    start, goal, *_ = [{thing.id for thing in things} for things in _groups(asked)]
    edges = [one for one in statements if one.subject is not None and one.object is not None]
    ways: dict[UUID, tuple[Statement, ...]] = dict.fromkeys(start, ())
    reached = set(start)
    for _ in range(longest):
        fresh: dict[UUID, tuple[Statement, ...]] = {}
        for one in edges:
            for at, other in _steps(one, onward=onward):
                if at in reached and other not in ways:
                    fresh.setdefault(other, (*ways[at], one))
        ways |= fresh
        reached = set(fresh)
        met = [ways[id] for id in goal if id in ways]
        if met:
            return list(min(met, key=lambda way: [one.place for one in way]))
    return []


def _steps(edge: Statement, *, onward: bool) -> list[tuple[UUID, UUID]]:
    own, other = (end.id for end in edge.ends)
    return [(own, other)] if onward else [(own, other), (other, own)]


def _whether(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    """Choose what is said of all of the names at once, in two thirds of the words; else a chain from one to the other."""
    groups = _groups(asked)
    near = [one for one in _near(asked, statements) if _coverage(asked.words, one) >= _UNNAMED_LEVEL]
    found = [one for one in near if _touched(asked, one) == len(groups)]
    if found or len(groups) != 2:
        return found[:MOST]
    turned = asked._replace(names=tuple(reversed(asked.names)))
    chain = _chain(asked, statements, 2, onward=True) or _chain(turned, statements, 2, onward=True)
    said = any(_coverage(asked.words, one) >= _UNNAMED_LEVEL for one in chain)
    return chain if said else []


def _difference(asked: Asked, statements: Sequence[Statement]) -> list[Statement]:
    """Choose what says how they differ, then what each side's claims of the same predicate say.

    Of those only the predicates that the question's words speak of, where they speak of any: "architectural" of what is used, where
    that is said to be an architecture.
    """
    groups = _groups(asked)
    if len(groups) < 2:
        return _near(asked, statements)[:MOST]
    direct = [one for one in statements if _touched(asked, one) > 1]
    sides = [
        [one for one in statements if one.subject and one.subject.id in {t.id for t in things}] for things in groups
    ]
    shared = set.intersection(*({one.predicate for one in side} for side in sides))
    spoken = _spoken_of(asked, statements, [one for side in sides for one in side])
    pairs = [
        one for side in sides for one in side if one.predicate in ((shared & spoken) or shared) and one not in direct
    ]
    telling = [one for side in sides for one in side if one.predicate in spoken - shared]
    rest = [one for side in sides for one in side[:3]] if all(sides) and not (direct or shared) else []
    return list(dict.fromkeys([*direct, *telling, *pairs, *rest]))[:MOST_LISTED]


def _spoken_of(asked: Asked, statements: Sequence[Statement], about: Sequence[Statement]) -> set[str]:
    """Return the predicates that the words of a question speak of, themselves or by what kind of thing they lead to."""
    kinds = _kinds(statements)
    return {
        one.predicate
        for one in about
        for word in asked.words
        if alike(word, one.own) or (one.object is not None and alike(word, kinds.get(one.object.id, frozenset())))
    }


Kinds = Mapping[UUID, frozenset[str]]
_WAYS: dict[Kind, Callable[[Asked, Sequence[Statement]], list[Statement]]] = {
    Kind.WHO: _with(_somebody),
    Kind.WHEN: _with(_dated),
    Kind.WHERE: _with(_placed),
    Kind.PRICE: _price,
    Kind.COUNT: _count,
    Kind.WHICH: _which,
    Kind.ABOUT: _about,
    Kind.WHY: _why,
    Kind.RELATION: _relation,
    Kind.DIFFERENCE: _difference,
    Kind.WHETHER: _whether,
    Kind.OTHER: _plainly,
}
