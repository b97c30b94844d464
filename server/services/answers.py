"""Answers: a question to a volume, within a conversation, answered in sentences that cite the claims they rest on.

What is known is gathered as a context (contexts.py) for the question as it stands by itself (answering/turns.py). Claude, where it is set up,
answers from that and may cite nothing else. Without it the strongest claims that answer are said themselves (answering/choosing.py and
saying.py); so they are where Claude is busy, cannot be reached, declines or is cut off: what is known is there all the same, and a note says
what happened. A key, a model or an address that is refused is for an operator to mend, so it is told as an error. No transaction is
open while Claude thinks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from server.errors import UpstreamUnavailable
from server.llm import ModelBusy, ModelDeclined, ModelFailure, ModelRefused, ModelUnreachable
from server.services.answering.asking import Ask, SaidAnswer, marked, prompt_of
from server.services.answering.choosing import chosen
from server.services.answering.lines import statements_of
from server.services.answering.naming import Named, names_in
from server.services.answering.questions import Asked, asked_in
from server.services.answering.saying import nothing_known, nothing_on, said
from server.services.answering.statements import Statement
from server.services.answering.turns import LONGEST, Spoken, Turn, TurnRole, clean_turns, understood
from server.services.contexts import Context, Line, Wanted, context_of
from server.services.identity import clean_text
from server.services.retrieval.searching import Searcher
from server.store import Store
from server.terms import NO_USAGE, Usage
from server.views import View

__all__ = ["NO_MODEL", "Answer", "Answers", "Questioned"]

NO_MODEL = "none"
_RECENT = 8
"""How many of the latest turns a question may take its names from."""
_log = logging.getLogger("loregraph.answers")
_MEND = (
    "Set LOREGRAPH_ANTHROPIC_KEY, LOREGRAPH_ANTHROPIC_URL and LOREGRAPH_CLAUDE_STRONG_MODEL right, or LOREGRAPH_ANSWERS=offline to answer "
    "without Claude."
)


@dataclass(frozen=True, slots=True)
class Questioned:
    """A question to a volume, what was said before it, the earliest first, the tokens that its context may have, and the view."""

    volume: UUID
    question: str
    history: Sequence[Turn] = ()
    token_budget: int = 4_000
    view: View | None = None


class Answer(NamedTuple):
    """An answer: its text, and the lines of its context that it cites, in their order. It is `grounded` where it cites any.

    `question` is the question as it was understood, `model` what has answered, `notes` what a reader should know of how, `usage` the
    tokens that Claude took.
    """

    text: str
    cited: tuple[Line, ...]
    context: Context
    question: str
    model: str = NO_MODEL
    notes: tuple[str, ...] = ()
    usage: Usage = NO_USAGE

    @property
    def grounded(self) -> bool:
        """Whether it rests on anything that is known."""
        return bool(self.cited)


class Answers:
    """Answers questions about the volumes of one store, at most `at_once` of them by Claude at a time in this process.

    `ask` is Claude, `model` the one that is asked; without it answers are made of the claims themselves.
    """

    def __init__(
        self, store: Store, searcher: Searcher, ask: Ask | None = None, model: str = NO_MODEL, at_once: int = 4
    ) -> None:
        self._store = store
        self._searcher = searcher
        self._ask = ask
        self._model = model
        self._turnstile = asyncio.Semaphore(at_once)

    async def answer(self, asked: Questioned) -> Answer:
        """Return the answer to a question. A constant number of statements, one embedding, and with Claude one call where anything is known.

        Raises:
            BadUserInput: the question or a turn is blank or too long, there are too many turns, or the budget is out of its bounds.
            UpstreamUnavailable: the embedding model or the vector index does not answer, or Claude's key, model or address is refused.
        """
        question = clean_text(asked.question, "question", LONGEST)
        history = clean_turns(asked.history)
        whole, names = await self._understood(asked.volume, question, history)
        wanted = Wanted(asked.volume, whole, asked.token_budget, view=asked.view)
        context = await context_of(self._store.read, self._searcher, wanted)
        if self._ask is None or not context.lines:
            return _offline(context, whole, names, asked.view)
        return await self._by_claude(self._ask, asked, Turned(question, history, whole, names), context)

    async def _understood(self, volume: UUID, question: str, history: Sequence[Turn]) -> tuple[str, list[Named]]:
        """Return a question as it stands by itself, after the latest turns, and its names. Two statements as a rule, four where it does not
        stand by itself; more where many words may be names.
        """
        history = history[-_RECENT:]
        texts = [*(turn.text for turn in history), question]
        names = await names_in(self._store.read, volume, texts)
        turns = [Spoken(turn.role, turn.text, own) for turn, own in zip(history, names[:-1], strict=True)]
        whole = understood(Spoken(TurnRole.USER, question, names[-1]), turns)
        if whole == question or len(whole) > LONGEST:
            return question, names[-1]
        return whole, (await names_in(self._store.read, volume, [whole]))[0]

    async def _by_claude(self, ask: Ask, asked: Questioned, turned: Turned, context: Context) -> Answer:
        prompt = prompt_of(turned.question, turned.history, context.text)
        usage = NO_USAGE
        try:
            async with self._turnstile:
                filled = await ask(prompt, SaidAnswer)
            usage = filled.usage
            answer = marked(filled, {line.number for line in context.lines})
        except ModelFailure as failure:
            if isinstance(failure, ModelRefused) and not isinstance(failure, ModelDeclined):
                raise UpstreamUnavailable(f"{failure.told} {_MEND}") from failure
            _log.warning("Answered without Claude. %s", failure.told)
            offline = _offline(context, turned.whole, turned.names, asked.view)
            took = usage if failure.usage == NO_USAGE else failure.usage
            return offline._replace(notes=(f"Answered without Claude. {_why(failure)}",), usage=took)
        cited = tuple(line for line in context.lines if line.number in answer.cited)
        return Answer(answer.text, cited, context, turned.whole, self._model, _dropped(answer.dropped), usage)


class Turned(NamedTuple):
    """A question, what was said before it, the question as it stands by itself, and the names in that."""

    question: str
    history: Sequence[Turn]
    whole: str
    names: Sequence[Named]


def _offline(context: Context, question: str, names: Sequence[Named], view: View | None) -> Answer:
    """Return the answer that the claims give themselves."""
    statements = statements_of(context, view)
    parts: list[str] = []
    missing: list[Asked] = []
    told: list[Statement] = []
    for asked in asked_in(question, names):
        found = chosen(asked, statements)
        fresh = [one for one in found if one not in told]
        told += fresh
        parts += [said(asked, fresh)] if fresh else []
        missing += [] if found else [asked]
    if not told:
        return Answer(nothing_known(names), (), context, question)
    numbers = {one.number for one in told}
    text = " ".join([*parts, *([nothing_on(missing)] if missing else [])])
    return Answer(text, tuple(line for line in context.lines if line.number in numbers), context, question)


def _why(failure: ModelFailure) -> str:
    """Return what became of a call, and what to do about it."""
    if isinstance(failure, ModelBusy):
        wait = "later" if failure.wait is None else f"in {failure.wait:.0f} seconds"
        return f"{failure.told} Ask again {wait}."
    if isinstance(failure, ModelUnreachable):
        return f"{failure.told} Ask again."
    if isinstance(failure, ModelDeclined):
        return f"{failure.told} Another model may: set LOREGRAPH_CLAUDE_STRONG_MODEL."
    return f"{failure.told} If that happens again, raise LOREGRAPH_CLAUDE_MAX_TOKENS."


def _dropped(numbers: Sequence[int]) -> tuple[str, ...]:
    if not numbers:
        return ()
    marks = " ".join(f"[{number}]" for number in numbers)
    return (f"Claude cited {marks}, which it was not given: taken out.",)
