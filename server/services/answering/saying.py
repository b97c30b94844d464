"""Saying: the chosen statements as sentences that a person reads, each with the marks of its lines.

Statements of one subject and predicate make one sentence. Words of documents are escaped, so that they can forge neither a mark nor structure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from server.services.answering.choosing import gives_cause
from server.services.answering.naming import Named
from server.services.answering.questions import Asked, Kind
from server.services.answering.statements import Statement
from server.services.answering.wording import stem
from server.services.escaping import on_one_line
from server.services.relationships import sentence

__all__ = ["nothing_known", "nothing_on", "said"]

_LONGEST_QUOTE = 240
_QUOTING = (Kind.WHY, Kind.RELATION)
_PASSIVE = re.compile(
    r"^(?:(?:first|originally|officially)\s+)?[a-z]+(?:ed|wn|lt|en|old|ught)\b(?=\s+(?:in|on|at|by|to|from|for|since|as)\b)",
    re.I,
)
_FROM = re.compile(r"from ([\d-]{4,10})")
_YEAR = re.compile(r"\d{4}")
_HAPPENED = ("ED_BY", "EN_BY")
_FIRST = re.compile(r"^[^\W\d_]+")
_ENDS_SENTENCE = re.compile(r"[.!?…。！？]$")


def said(asked: Asked, statements: Sequence[Statement]) -> str:
    """Return the answer that statements give, or nothing for none. For a difference each side has its sentences, then what both have."""
    if asked.kind is Kind.DIFFERENCE:
        return _by_sides(asked, statements)
    return " ".join(_sentence(asked, group) for group in _grouped(statements))


def nothing_on(asked: Sequence[Asked]) -> str:
    """Return the sentence that says that a part of a question has no answer."""
    parts = " and ".join(f'"{on_one_line(one.text)}"' for one in asked)
    return f"Nothing is known here on {parts}."


def _grouped(statements: Iterable[Statement]) -> list[list[Statement]]:
    """Return relationships of one subject and predicate together, and every other statement by itself, in order."""
    groups: dict[object, list[Statement]] = {}
    for one in statements:
        together = one.object is not None and one.subject is not None and not one.dates and not one.disputed
        groups.setdefault((one.subject, one.predicate) if together else (one.number, one.content), []).append(one)
    return list(groups.values())


def _sentence(asked: Asked, group: Sequence[Statement]) -> str:
    first = group[0]
    if len(group) == 1 and asked.kind in _QUOTING and gives_cause(first) and _stands_alone(first):
        return f"{on_one_line(first.quote).rstrip('.')}{_marks(group)}."
    return f"{_joined([_clause(first), *(_name(one) for one in group[1:])], group)}."


def _stands_alone(statement: Statement) -> bool:
    """Return whether the quote of a statement is a sentence that names its subject."""
    quote = statement.quote
    named = statement.subject is not None and statement.subject.name.casefold() in quote.casefold()
    return named and len(quote) <= _LONGEST_QUOTE and bool(_ENDS_SENTENCE.search(quote.rstrip())) and "\n" not in quote


def _joined(parts: Sequence[str], group: Sequence[Statement]) -> str:
    marked = [f"{part}{_marks([one])}" for part, one in zip(parts, group, strict=True)]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"


def _marks(group: Iterable[Statement]) -> str:
    return "".join(f" [{one.number}]" for one in group)


def _name(statement: Statement) -> str:
    return on_one_line(statement.object.name if statement.object is not None else statement.content)


def _clause(statement: Statement) -> str:
    """Return a statement as a clause: its relationship, or its fact with the subject before it, and when it holds."""
    notes = [note for note in (_when(statement), "disputed" if statement.disputed else "") if note]
    return f"{_plain(statement)} ({', '.join(notes)})" if notes else _plain(statement)


def _when(statement: Statement) -> str:
    """Return when a statement holds, where it does not say so itself; of what has happened, when that was."""
    year = _YEAR.search(statement.dates)
    if year is not None and statement.until is None and year[0] in statement.content:
        return ""
    start = _FROM.fullmatch(statement.dates)
    if start is not None and (statement.predicate.endswith(_HAPPENED) or _PASSIVE.match(statement.content)):
        return f"{'on' if len(start[1]) == 10 else 'in'} {start[1]}"
    return on_one_line(statement.dates)


def _plain(statement: Statement) -> str:
    subject = "" if statement.subject is None else on_one_line(statement.subject.name)
    if statement.object is not None:
        return sentence(subject, statement.predicate, _name(statement))
    content = on_one_line(statement.content).rstrip(".")
    if not subject or subject.casefold() in content.casefold():
        return content
    first = _FIRST.match(content)
    if first is None:
        return f"{subject}: {content}"
    small = (
        content
        if first[0].isupper() and len(first[0]) > 1 and not first[0].istitle()
        else f"{content[0].lower()}{content[1:]}"
    )
    if _PASSIVE.match(content):
        return f"{subject} {'is' if stem(first[0]) == 'price' else 'was'} {small}"
    verb = statement.predicate.split("_")[0]
    says = bool(verb) and (
        stem(first[0]) == stem(verb) or (statement.predicate == "IS_A" and first[0].casefold() in {"is", "was", "are"})
    )
    return f"{subject} {small}" if says else f"{subject}: {content}"


def _by_sides(asked: Asked, statements: Sequence[Statement]) -> str:
    """Say first what one statement says of several sides, then each side's own, then what is the same of all."""
    sides = [{thing.id for thing in name.things} for name in asked.names]
    alike: dict[tuple[object, ...], list[Statement]] = {}
    for one in statements:
        alike.setdefault((one.predicate, one.object, one.content.casefold() if one.object is None else ""), []).append(
            one
        )
    shared = [group for group in alike.values() if len(group) > 1]
    common = [one for group in shared for one in group]
    own = [one for one in statements if one not in common]
    first = [one for one in own if sum(_is_of(one, side) for side in sides) != 1]
    parts = [_sentence(asked, group) for group in _grouped(first)]
    for side in sides:
        mine = [one for one in own if one not in first and one.subject is not None and one.subject.id in side]
        parts += [_sentence(asked, group) for group in _grouped(mine)]
    return " ".join([*parts, *_of_all(shared)])


def _of_all(shared: Sequence[Sequence[Statement]]) -> list[str]:
    """Return what several subjects have in common, those of one predicate as one sentence."""
    together: dict[object, list[Sequence[Statement]]] = {}
    for group in shared:
        kind = group[0].predicate if group[0].object is not None else group[0].number
        together.setdefault((kind, tuple(one.subject for one in group)), []).append(group)
    return [_in_common(groups) for groups in together.values()]


def _in_common(groups: Sequence[Sequence[Statement]]) -> str:
    heads = [group[0] for group in groups]
    first = _joined([_clause(heads[0]), *(_name(one) for one in heads[1:])], heads)
    others = zip(*(group[1:] for group in groups), strict=True)
    rest = [f"{on_one_line(ones[0].subject.name)}{_marks(ones)}" for ones in others if ones[0].subject is not None]
    return f"{first}; the same is said of {' and '.join(rest)}."


def _is_of(statement: Statement, side: Iterable[object]) -> bool:
    ids = set(side)
    return any(end.id in ids for end in statement.ends)


def nothing_known(names: Sequence[Named]) -> str:
    """Return the sentence that says that a question has no answer, and what of it is known by name."""
    known = list(dict.fromkeys(on_one_line(name.things[0].name) for name in names))
    if not known:
        return "Nothing is known here that answers this."
    listed = known[0] if len(known) == 1 else f"{', '.join(known[:-1])} and {known[-1]}"
    return f"{listed} {'is' if len(known) == 1 else 'are'} known here, but nothing that answers this."
