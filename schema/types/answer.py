"""Answers: a question answered in sentences, each with what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import strawberry

from schema.context import Info
from schema.inputs.turns import TurnInput
from schema.types.citation import Citation, citations_of
from schema.types.evidence_context import Context, context_from
from schema.types.scalars import describe
from server.errors import ServerError
from server.services import answers as plain
from server.views import View

if TYPE_CHECKING:
    from schema.types.volume import Volume

__all__ = ["Answer", "AnswerMode", "answers_of"]


class AnswerMode(StrEnum):
    """What an answer is made of."""

    LOCAL = "LOCAL"


describe(
    AnswerMode,
    "What an answer is made of.",
    {"LOCAL": "What stands around the things that the question names and that search finds."},
)


@strawberry.type(
    description="An answer that rests on what a volume knows: it cites, or says that nothing is known that answers."
)
class Answer:
    text: str = strawberry.field(
        description="The answer in sentences. [3] behind a statement is the mark of what it rests on: the citation with this number. Where "
        "nothing that is known answers, a sentence that says so. Without a language model it is in English, made of the claims themselves."
    )
    citations: list[Citation] = strawberry.field(
        description="What the marks in the text stand for, by number; a number is that of the line in `context`. Never anything that the "
        "context does not hold."
    )
    grounded: bool = strawberry.field(
        description="Whether it rests on anything that is known: false where it cites nothing."
    )
    model: str = strawberry.field(
        description='The language model that has answered; "none" where none has: then the claims themselves answer.'
    )
    context: Context = strawberry.field(description="What was known to answer from: the lines that a model was given.")
    question: str = strawberry.field(
        description="The question as it was understood by itself, with the names that it takes from the history put in."
    )
    notes: list[str] = strawberry.field(
        description="What to know of how it was answered: marks that the model made up and that were taken out, or that it did not answer, "
        "why, and what to do. Empty as a rule."
    )
    input_tokens: int = strawberry.field(
        description="Tokens that the model was sent, those of an answer that could not be used included; 0 without a model."
    )
    output_tokens: int = strawberry.field(description="Tokens that the model has answered, likewise.")


async def answers_of(
    info: Info, volumes: Sequence[Volume], question: str, history: Sequence[TurnInput] | None, token_budget: int
) -> list[Answer | Exception | None]:
    """Return the answer to a question from each volume, in its view."""
    turns = [turn.plain() for turn in history or ()]
    found: list[Answer | Exception | None] = []
    for volume in volumes:
        asked = plain.Questioned(volume.row.id, question, turns, token_budget, volume.view)
        try:
            found.append(_answer(await info.context.knowledge.answers.answer(asked), volume.view))
        except ServerError as error:
            found.append(error)
    lengths = [len(one.citations) + len(one.context.citations) if isinstance(one, Answer) else 0 for one in found]
    info.context.spend(info, lengths)
    return found


def _answer(answer: plain.Answer, view: View | None) -> Answer:
    return Answer(
        text=answer.text,
        citations=citations_of(answer.cited, view),
        grounded=answer.grounded,
        model=answer.model,
        context=context_from(answer.context, view),
        question=answer.question,
        notes=list(answer.notes),
        input_tokens=answer.usage.input,
        output_tokens=answer.usage.output,
    )
