"""Contexts: what a volume knows that answers a question, as text for a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import strawberry

from schema.context import Info
from schema.types.citation import Citation, citations_of
from schema.types.omission import Omission
from server.errors import ServerError
from server.services import contexts as plain
from server.services.tokens import TOKENIZER
from server.views import View

if TYPE_CHECKING:
    from schema.types.volume import Volume

__all__ = ["Context", "context_from", "contexts_of"]


@strawberry.type(
    description="What a volume knows that answers a question, as text that can be given to a language model as data, each line cited."
)
class Context:
    text: str = strawberry.field(
        description='The text. A line "# Name (type; also another name)" begins what is known of an entity; "# Memories" and "# Passages" '
        'what is about none. The best group stands first, and in it the best line. Each other line is "- what it says [3] details": [3] is '
        'its mark, and the details are the document\'s title between quotation marks with the place of the quote, or "stated by hand", the '
        'confidence of a claim, when it holds ("ended:" and "to come:" where that is not now), and "DISPUTED by [4]". Words from outside '
        "cannot make lines, marks or markup: line breaks, brackets and unseen characters in them are written as HTML writes characters, such "
        'as "&lt;". A line that reads like an instruction says so at its end. Empty where nothing is known.'
    )
    citations: list[Citation] = strawberry.field(
        description="What the marks stand for, one for each line, in the order of the text."
    )
    tokens: int = strawberry.field(
        description=f"How many tokens the text has, by {TOKENIZER}: never more than the budget. A large model's own tokenizer takes about as "
        "many for prose in Latin script."
    )
    truncated: bool = strawberry.field(
        description="Whether there was more that answers than fits into the budget, or more of an entity than is looked at."
    )
    omitted: list[Omission] = strawberry.field(
        description="What was found and left out, by kind (FACT, RELATIONSHIP, MEMORY or PASSAGE) and reason. TOKEN_BUDGET: it did not fit. "
        "RELEVANCE: it is not a quarter as good as the best. "
        "MIN_CONFIDENCE: the claim is less sure. LIMIT: it is beyond the newest 40 of its kind of an entity. CLAIM_NOT_SHOWN: the sentence is "
        "quoted for a claim that was rejected, taken back or overtaken, waits for review or is less sure, which its words do not bring back."
    )


async def contexts_of(
    info: Info, volumes: Sequence[Volume], query: str, token_budget: int, min_confidence: float
) -> list[Context | Exception | None]:
    """Return the context of a question in each volume, in its view. One embedding.

    Raises:
        BadUserInput: an argument is out of its bounds, or the query is blank.
    """
    read, searcher = info.context.store.read, info.context.knowledge.searcher
    vector = await searcher.vector(query)
    found: list[Context | Exception | None] = []
    for volume in volumes:
        wanted = plain.Wanted(volume.row.id, query, token_budget, min_confidence, volume.view)
        try:
            found.append(context_from(await plain.context_of(read, searcher, wanted, vector), volume.view))
        except ServerError as error:
            found.append(error)
    info.context.spend(info, [len(one.citations) if isinstance(one, Context) else 0 for one in found])
    return found


def context_from(context: plain.Context, view: View | None) -> Context:
    """Return a context as clients see it."""
    return Context(
        text=context.text,
        citations=citations_of(context.lines, view),
        tokens=context.tokens,
        truncated=context.truncated,
        omitted=[Omission.of(one) for one in context.omitted],
    )
