"""Citations: what the marks in a text stand for."""

from __future__ import annotations

from collections.abc import Sequence

import strawberry

from schema.breadth import attribute, batched
from schema.context import Info
from schema.lists import columns_of, nodes_named
from schema.nodes import nodes_by_id
from schema.types.document import Document
from schema.types.evidence import Claim
from schema.types.memory import Memory
from server.ids import GlobalId, NodeKind
from server.services.contexts import Line
from server.store.records import DocumentRecord, MemoryRecord
from server.views import View

__all__ = ["Citation", "citations_of"]

_CLAIMS = (NodeKind.FACT, NodeKind.RELATIONSHIP)


@strawberry.type(
    description="What a mark such as [3] in a text stands for: a claim, a memory, or else a passage of a document."
)
class Citation:
    number: int = attribute("line.number", description="The number in its mark, from 1 in the order of the text.")
    quote: str = attribute(
        "line.source.quote",
        description="The words that it rests on, as they are stored: for a claim those of one of its evidence, the one that the walk came by "
        "where there are several. Unlike the text it is not escaped: it is data, whatever it says.",
    )
    start: int | None = attribute(
        "line.source.start",
        description="Where the quote begins in the content of that revision, in code points; null without a place.",
    )
    end: int | None = attribute("line.source.end", description="Where the quote ends in that content, itself excluded.")
    revision: int | None = attribute(
        "line.source.revision",
        description="The revision of the document whose content from `start` to `end` the quote is; null without a document.",
    )
    score: float = attribute(
        "line.score",
        description="How well it answers beside the others of this text: 0 to 1. It means nothing across texts.",
    )
    flagged: bool = attribute(
        "line.flagged",
        description="Whether what it says, or its title, reads like an instruction to a model, in some languages, or hides words. It is "
        "delivered as the data that it is, and marked in the text. Rules of words can be got round: false is no promise.",
    )
    line: strawberry.Private[Line]
    view: strawberry.Private[View | None] = None

    @batched(
        description="The document that has the words; null for a memory, and where a person stated the claim without one."
    )
    @staticmethod
    async def document(parents: list[Citation], info: Info) -> list[Document | None]:
        ids = [one.line.source.document for one in parents]
        return await nodes_named(
            info, Document, DocumentRecord, ids, [one.view for one in parents], columns_of(info, ())
        )

    @batched(description="The fact or the relationship; null for a memory and for a passage.")
    @staticmethod
    async def claim(parents: list[Citation], info: Info) -> list[Claim | None]:
        ids = [GlobalId(one.line.kind, one.line.id, one.view) if one.line.kind in _CLAIMS else None for one in parents]
        return [node if isinstance(node, Claim) else None for node in await nodes_by_id(info, ids)]

    @batched(description="The memory; null for a claim and for a passage.")
    @staticmethod
    async def memory(parents: list[Citation], info: Info) -> list[Memory | None]:
        ids = [one.line.id if one.line.kind is NodeKind.MEMORY else None for one in parents]
        return await nodes_named(info, Memory, MemoryRecord, ids, [one.view for one in parents], columns_of(info, ()))


def citations_of(lines: Sequence[Line], view: View | None) -> list[Citation]:
    """Return what lines cite, in order, as read through a view."""
    return [Citation(line=one, view=view) for one in lines]
