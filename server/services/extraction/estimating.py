"""What it will cost to have a document read by Claude, before anything is spent.

Calls are counted exactly, but for those that are tried again. Tokens are worked out from lengths: three bytes of text are
about one token in any script, and an answer takes about twice the tokens of the text that it is about.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from pydantic import BaseModel

from server.llm import Prompt
from server.services.extraction.asking import WhatItSays, prompt_of
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.extraction.second_look import MoreFacts, is_resume, prompt_of_more
from server.services.reading import cut

__all__ = ["NOTHING", "Estimate", "estimate"]

_BYTES_OF_TOKEN = 3
_ANSWER = 2
_LEAST = 100
"""Tokens that an answer takes however little the text says: the empty lists, and some thinking."""


class Estimate(NamedTuple):
    """Calls of the model, and about how many tokens it will be sent and will answer."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def plus(self, other: Estimate) -> Estimate:
        """Return what both will take together."""
        return Estimate(*(mine + its for mine, its in zip(self, other, strict=True)))


NOTHING = Estimate()


async def estimate(title: str, content: str, mime_type: str, *, chunk_size: int, looks_twice: bool) -> Estimate:
    """Return what reading a document will take, its known names left out: those of a chunk are what the ones before name."""
    gathering = await cut(title=title, content=content, mime_type=mime_type, chunk_size=chunk_size)
    total = NOTHING
    for number in range(len(gathering.reading.chunks)):
        chunk = gathering.text(number)
        total = total.plus(_call(prompt_of(chunk), WhatItSays, chunk))
        if looks_twice and is_resume(chunk):
            total = total.plus(_call(prompt_of_more(chunk, Extraction()), MoreFacts, chunk))
    return total


def _call(prompt: Prompt, result: type[BaseModel], chunk: ChunkText) -> Estimate:
    sent = (*prompt.fixed, prompt.text, json.dumps(result.model_json_schema()))
    return Estimate(1, sum(map(_tokens, sent)), _LEAST + _ANSWER * _tokens(chunk.text))


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_OF_TOKEN)
