"""Turns: a question within a conversation, made one that stands by itself.

A pronoun, "the plan" where the plan was named before, or a question that names nothing takes its names from the latest turn that has one
that fits: from what was asked before what was answered, but for "they" and for persons, which answers name. "What about X?" asks of X
what was asked before. By rules, so that the same conversation gives the same question; one that stands by itself is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from server.errors import BadUserInput
from server.services.answering.naming import Named, Thing
from server.services.answering.wording import ASKING, meanings, stem, words_of
from server.services.identity import clean_text

__all__ = ["LONGEST", "MOST_TURNS", "Spoken", "Turn", "TurnRole", "clean_turns", "understood"]

MOST_TURNS = 20
LONGEST = 4_000
_PRONOUN = re.compile(
    r"\b(?:(?P<it>its?|itself)|(?P<he>he|she|him|her|his|hers)|(?P<they>they|them|their|theirs|those|these)|(?P<there>there))\b",
    re.IGNORECASE,
)
_OWNERS = frozenset({"its", "his", "her", "their"})
_DUMMY = re.compile(
    r"\bis (?:it|there|that)\b(?=\s+(?:true|possible|any|a|an|known|correct|so)\b)|\bthere (?:is|are)\b|\b(?:is|are) there\b",
    re.I,
)
_DEFINITE = re.compile(r"\b(the|this|that|these|those)\s+([^\W\d_]+)\b(?!\s+of\b)", re.IGNORECASE)
_ABOUT = re.compile(
    r"^\s*(?:and\s+)?(?:what|how)\s+about\s+(?P<rest>.+?)\s*[?.!]*\s*$|^\s*and\s+(?P<more>.+?)\s*[?.!]*\s*$",
    re.I | re.S,
)
_CLAUSE = re.compile(r"\b(?:and|or|but|so)\s+(?=(?:who|what|which|when|where|why|how)\b)|[.?!;]\s", re.IGNORECASE)
_HEAD = re.compile(r"\b(?:which|what)\s+(?:of\s+(?:your|the|our|these|those)\s+)?([^\W\d_]+)", re.IGNORECASE)


class TurnRole(StrEnum):
    """Who said something in a conversation."""

    USER = "USER"
    ASSISTANT = "ASSISTANT"


class Turn(NamedTuple):
    """Something that was said before a question."""

    role: TurnRole
    text: str


class Spoken(NamedTuple):
    """A text with the names in it, and who said it."""

    role: TurnRole
    text: str
    names: Sequence[Named]


Fits = Callable[[Thing], bool]


def clean_turns(history: Sequence[Turn]) -> list[Turn]:
    """Return a conversation, the earliest turn first, where it can be taken along. Costs nothing.

    Raises:
        BadUserInput: it has more than 20 turns, or one is blank or longer than 4,000 characters.
    """
    if len(history) > MOST_TURNS:
        raise BadUserInput(
            f"history has {len(history)} turns; at most {MOST_TURNS} fit: give the latest.", argument="history"
        )
    return [Turn(turn.role, clean_text(turn.text, "history", LONGEST)) for turn in history]


def understood(question: Spoken, history: Sequence[Spoken]) -> str:
    """Return a question as it stands by itself, with names in place of what refers to the earlier turns, or to its own beginning."""
    again = _asked_of_another(question, history)
    if again is not None:
        return again
    said = _with_pronouns(question, history)
    if said == question.text:
        said = _with_definites(question, history)
    if said == question.text and not question.names and _refers(question.text):
        topic = _antecedents(history, lambda _: True)
        return f"{said} ({_listed(topic)})" if topic else said
    return said


def _refers(text: str) -> bool:
    """Return whether a question that names nothing goes on with what was said: "And the price?", "How much?", "Why?"."""
    telling = [word for word in words_of(text) if word not in ASKING]
    return len(telling) <= 2


def _asked_of_another(question: Spoken, history: Sequence[Spoken]) -> str | None:
    """Return the question before, asked of what this one names: "What about X?"."""
    found = _ABOUT.match(question.text)
    if found is None or not question.names:
        return None
    rest = _without(question, found.start("rest") if found["rest"] else found.start("more"), len(question.text))
    if any(word not in ASKING for word in words_of(rest)):
        return None
    before = next((turn for turn in reversed(history) if turn.role is TurnRole.USER and turn.names), None)
    if before is None:
        return None
    named = [name.things[0] for name in question.names]
    last = before.names[-1] if len(before.names) > 1 and len(named) == 1 else before.names[0]
    same = next((name for name in before.names if name.things[0].type == named[0].type), last)
    return f"{before.text[: same.start]}{_listed(named)}{before.text[same.end :]}"


def _without(question: Spoken, start: int, end: int) -> str:
    kept, at = [], start
    for name in question.names:
        kept.append(question.text[at : name.start])
        at = max(at, name.end)
    return " ".join([*kept, question.text[at:end]])


def _with_pronouns(question: Spoken, history: Sequence[Spoken]) -> str:
    text = question.text
    dummies = [one.span() for one in _DUMMY.finditer(text)]
    for one in reversed(list(_PRONOUN.finditer(question.text))):
        after = (words_of(question.text[one.end() : one.end() + 40]) or [""])[0]
        if any(start <= one.start() < end for start, end in dummies) or _points(one.group(), after):
            continue
        things = _meant(one, question, history)
        if things:
            said = _said(one.group(), things, owns=after not in ASKING)
            text = f"{text[: one.start()]}{said}{text[one.end() :]}"
    return text


def _points(word: str, after: str) -> bool:
    """Return whether "these" or "those" goes with what follows it: "those plans", "those who"."""
    return word.casefold() in {"these", "those"} and (after not in ASKING or after in {"who", "that", "which", "of"})


def _meant(pronoun: re.Match[str], question: Spoken, history: Sequence[Spoken]) -> list[Thing]:
    """Return what a pronoun stands for: what the question itself has named before it, else what the conversation has."""
    fits = _fitting(str(pronoun.lastgroup))
    clause = max((one.end() for one in _CLAUSE.finditer(question.text, 0, pronoun.start())), default=0)
    before = [name for name in question.names if name.end <= pronoun.start() and fits(name.things[0])]
    if any(name.start >= clause for name in before) and not clause:
        return []
    own = [name.things[0] for name in before if name.end <= clause]
    if pronoun.lastgroup == "they":
        return own if len(own) > 1 else _plural(history) or own
    return own[-1:] or _antecedents(history, fits, answers_first=pronoun.lastgroup in {"he", "there"})[:1]


def _fitting(group: str) -> Fits:
    if group == "he":
        return lambda thing: thing.type == "person"
    if group == "there":
        return lambda thing: thing.type in {"place", "organization", "event"}
    return lambda thing: thing.type != "person" or group == "they"


def _antecedents(history: Sequence[Spoken], fits: Fits, *, answers_first: bool = False) -> list[Thing]:
    """Return the things that fit of the latest exchange that names any: of what was asked, before what was answered."""
    for asked, answered in _exchanges(history):
        turns = (
            (answered, asked) if answers_first and asked is not None and not _any(asked, fits) else (asked, answered)
        )
        for turn in turns:
            found = [] if turn is None else _things(turn.names, fits)
            if found:
                return found
    return []


def _any(turn: Spoken, fits: Fits) -> bool:
    return bool(_things(turn.names, fits))


def _plural(history: Sequence[Spoken]) -> list[Thing]:
    """Return what "they" stands for: what an answer named of the kind that was asked for, else several things of one turn."""
    for asked, answered in _exchanges(history):
        kind = None if asked is None else _HEAD.search(asked.text)
        if answered is not None and kind is not None:
            found = _things(answered.names, _of_kind(kind[1]))
            if found:
                return found
        for turn in (asked, answered):
            found = [] if turn is None else _things(turn.names, lambda _: True)
            if len(found) > 1:
                return found
    return _antecedents(history, lambda _: True)[:1]


def _with_definites(question: Spoken, history: Sequence[Spoken]) -> str:
    """Put names in the place of "the plan" where nothing in the question is called so, and something before it is."""
    for one in _DEFINITE.finditer(question.text):
        if any(name.start <= one.end() + 1 and one.start() < name.end for name in question.names):
            continue
        found = _antecedents(history, _of_kind(one[2]), answers_first=one[1].casefold() in {"these", "those"})
        if found:
            several = found if one[2].endswith("s") else found[:1]
            return f"{question.text[: one.start()]}{_listed(several)}{question.text[one.end() :]}"
    return question.text


def _of_kind(noun: str) -> Fits:
    wanted = meanings(noun)
    return lambda thing: not wanted.isdisjoint(stem(word) for word in words_of(f"{thing.type} {thing.name}"))


def _exchanges(history: Sequence[Spoken]) -> Iterable[tuple[Spoken | None, Spoken | None]]:
    """Yield what was asked with what was answered, the latest first; either may be missing."""
    answered: Spoken | None = None
    for turn in reversed(history):
        if turn.role is TurnRole.USER:
            yield turn, answered
            answered = None
        elif answered is not None:
            yield None, answered
            answered = turn
        else:
            answered = turn
    if answered is not None:
        yield None, answered


def _things(names: Sequence[Named], fits: Fits) -> list[Thing]:
    return list(dict.fromkeys(name.things[0] for name in names if fits(name.things[0])))


def _said(pronoun: str, things: Sequence[Thing], *, owns: bool) -> str:
    word = pronoun.casefold()
    return f"{_listed(things)}'s" if word in _OWNERS and (word != "her" or owns) else _listed(things)


def _listed(things: Sequence[Thing]) -> str:
    names = [thing.name for thing in things]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
