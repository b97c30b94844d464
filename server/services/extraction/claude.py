"""Extraction by Claude: one call for a chunk, a second for a résumé where that is switched on, and the distrust of what comes back.

Each item is held to the rules on its own: the sound ones are kept and the others are listed with the reason. An answer of
which nothing is sound is a failure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from server.llm import BatchRequest, Claude, Filled, ListedBatch, ModelFailure, Prompt, UnusableAnswer
from server.services.extraction.asking import WhatItSays, prompt_of
from server.services.extraction.checking import Checking
from server.services.extraction.preferences import unknown_names
from server.services.extraction.protocol import ChunkText, Extraction, RejectedItem
from server.services.extraction.salvage import salvage
from server.services.extraction.second_look import MoreFacts, is_resume, prompt_of_more

__all__ = ["ClaudeExtractor", "read_answer", "read_more"]

_KINDS = {"entities": "entity", "facts": "fact", "relationships": "relationship"}
_PIECE = 2_000
_CUT_OFF = "The answer was cut off: raise LOREGRAPH_CLAUDE_MAX_TOKENS."


class ClaudeExtractor:
    """Reads chunks by Claude. Async, and bound to the network: any number of chunks may be read at once.

    With `looks_twice`, it says of what stands in a résumé that it is not done, and is to be handed what it has found.
    """

    def __init__(self, claude: Claude, effort: str | None, *, looks_twice: bool = False) -> None:
        self._claude = claude
        self._effort = effort
        self._looks_twice = looks_twice

    async def extract(self, chunk: ChunkText, model: str) -> Extraction:
        """Return what a chunk says, as `model` reads it, with the tokens that it took. One call.

        Raises:
            ModelFailure: it failed, and how.
            UnusableAnswer: nothing of what it answered is sound.
        """
        prompt, result = _asked(chunk)
        return self._read(chunk, await self._claude.fill(prompt, result, model=model, effort=self._effort))

    async def request(self, chunk: ChunkText, model: str) -> BatchRequest:
        """Return what `extract` asks, as a request of a batch."""
        prompt, result = _asked(chunk)
        return await self._claude.request(prompt, result, model=model, effort=self._effort)

    async def submit(self, requests: Mapping[str, BatchRequest], model: str) -> str:
        """Have requests answered as one batch; return its id. Raises as `Claude.submit`."""
        return await self._claude.submit(requests, model=model)

    async def has_ended(self, batch: str) -> bool:
        """Tell whether a batch has ended. Raises as `Claude.has_ended`."""
        return await self._claude.has_ended(batch)

    async def results(self, batch: str, chunks: Mapping[str, ChunkText]) -> dict[str, Extraction | ModelFailure]:
        """Return what a batch says of these chunks, by the names of their requests, each as `extract` returns or raises it.

        Left out are chunks that the batch says nothing of. Raises as `Claude.results`.
        """
        types = {name: _asked(chunk)[1] for name, chunk in chunks.items()}
        answers = await self._claude.results(batch, types)
        return {name: self._result(chunks[name], answer) for name, answer in answers.items()}

    async def names(self, batch: str) -> set[str]:
        """Return the names of the requests of a batch that has ended. Raises as `Claude.names`."""
        return await self._claude.names(batch)

    async def batches(self, since: datetime) -> list[ListedBatch]:
        """Return the batches of the key since an instant. Raises as `Claude.batches`."""
        return await self._claude.batches(since)

    async def cancel(self, batch: str) -> None:
        """Cancel a batch. Raises as `Claude.cancel`."""
        await self._claude.cancel(batch)

    def _result(self, chunk: ChunkText, answer: Filled[Any] | ModelFailure) -> Extraction | ModelFailure:
        if isinstance(answer, ModelFailure):
            return answer
        try:
            return self._read(chunk, answer)
        except ModelFailure as failure:
            return failure

    def _read(self, chunk: ChunkText, answer: Filled[Any]) -> Extraction:
        if chunk.found is not None:
            return read_more(chunk, chunk.found, answer)
        found = read_answer(chunk, answer)
        return replace(found, unfinished=self._looks_twice and bool(found.entities) and is_resume(chunk))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._claude.aclose()


def _asked(chunk: ChunkText) -> tuple[Prompt, type[Any]]:
    """Return what is asked of a chunk, and the type that the answer fills."""
    if chunk.found is not None:
        return prompt_of_more(chunk, chunk.found), MoreFacts
    return prompt_of(chunk), WhatItSays


def read_answer(chunk: ChunkText, filled: Filled[WhatItSays]) -> Extraction:
    """Return the sound items of an answer, and the others under `rejected`.

    Raises:
        UnusableAnswer: none is sound, though there were some; or it holds no items at all, and no empty lists either.
    """
    said = _checked(Checking(chunk), filled, tuple(_KINDS))
    said.rejected.extend(unknown_names(said, chunk.vocabulary))
    return replace(said, usage=filled.usage)


def read_more(chunk: ChunkText, first: Extraction, filled: Filled[MoreFacts]) -> Extraction:
    """Return what a first look has found, together with the facts that a second one adds to it.

    A second answer that cannot be used takes nothing from the first: it is listed under `rejected`.
    """
    checking, usage = Checking(chunk), first.usage.plus(filled.usage)
    for entity in first.entities:
        checking.meet(entity.key, (entity.name, *entity.aliases))
    try:
        said = _checked(checking, filled, ("facts",))
    except UnusableAnswer as error:
        refused = RejectedItem("answer", {"text": filled.raw[:_PIECE]}, error.message)
        return replace(first, rejected=[*first.rejected, refused], usage=usage, unfinished=False)
    there = {(one.subject, " ".join(one.content.casefold().split())) for one in first.facts}
    more = [one for one in said.facts if (one.subject, " ".join(one.content.casefold().split())) not in there]
    noted = unknown_names(Extraction(facts=more), chunk.vocabulary)
    rejected = [*first.rejected, *said.rejected, *(note for note in noted if note not in first.rejected)]
    return replace(first, facts=[*first.facts, *more], rejected=rejected, usage=usage, unfinished=False)


def _checked(checking: Checking, filled: Filled[WhatItSays] | Filled[MoreFacts], lists: Sequence[str]) -> Extraction:
    found = salvage(filled.raw, lists)
    if not found.found:
        raise UnusableAnswer("The answer of Claude is no JSON of what was asked for.", filled.raw, filled.usage)
    for name in lists:
        for item in found.items[name]:
            checking.take(_KINDS[name], item)
    said = checking.said
    broken = _CUT_OFF if filled.truncated else "It is no JSON."
    said.rejected.extend(RejectedItem(_KINDS[name], {"text": piece[:_PIECE]}, broken) for name, piece in found.broken)
    if said.rejected and not (said.entities or said.facts or said.relationships):
        told = f"Nothing of the {len(said.rejected)} items that Claude answered is sound: {said.rejected[0].reason}"
        raise UnusableAnswer(told, filled.raw, filled.usage)
    if filled.truncated and not found.broken:
        said.rejected.append(RejectedItem("answer", {}, _CUT_OFF))
    return said
