"""What it will take to ingest files: calls of the model and tokens, told before anything is spent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import typer

from server.commands.sources import Source
from server.config import Settings
from server.errors import ServerError
from server.services.extraction.estimating import NOTHING, Estimate, estimate
from server.services.formats import Converter

__all__ = ["Estimated", "as_json", "complaints", "estimate_all", "summary"]


@dataclass(frozen=True, slots=True)
class Estimated:
    """What one file will take, or why it cannot be read."""

    path: str
    estimate: Estimate = NOTHING
    error: str | None = None


async def estimate_all(
    settings: Settings, sources: Sequence[Source], done: Callable[[Estimated], None]
) -> list[Estimated]:
    """Return what each file will take, in order. Files are converted and cut, nothing is stored and no model is asked.

    `done` is called with each as it comes.
    """
    converter = Converter(settings)
    found = []
    try:
        for source in sources:
            found.append(await _one(settings, converter, source))
            done(found[-1])
    finally:
        await converter.aclose()
    return found


async def _one(settings: Settings, converter: Converter, source: Source) -> Estimated:
    try:
        file = await asyncio.to_thread(source.content, settings.max_upload)
        read = await converter.convert(file, claimed=source.claimed)
    except ServerError as error:
        return Estimated(source.path, error=error.message)
    except OSError as error:  # the file went, or its disk, after it was found
        return Estimated(source.path, error=f"It cannot be read: {error.strerror}.")
    if not settings.uses_claude:
        return Estimated(source.path)
    looks_twice = settings.claude_second_look
    took = await estimate(
        source.title, read.text, read.mime_type, chunk_size=settings.chunk_size, looks_twice=looks_twice
    )
    return Estimated(source.path, took)


def as_json(one: Estimated) -> str:
    """Return a line of JSON for one file."""
    calls, sent, answered = one.estimate
    return json.dumps(
        {"path": one.path, "calls": calls, "inputTokens": sent, "outputTokens": answered, "error": one.error}
    )


def summary(settings: Settings, found: Sequence[Estimated]) -> str:
    """Return in words what all files will take."""
    readable = [one.estimate for one in found if one.error is None]
    documents = _counted(len(readable), "document")
    if not settings.uses_claude:
        return f"{documents}: read offline, without a model."
    total = NOTHING
    for one in readable:
        total = total.plus(one)
    return (
        f"{documents}: {_counted(total.calls, 'call')} of {settings.claude_model}, about {total.input_tokens:,} tokens sent and "
        f"{total.output_tokens:,} answered."
    )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def complaints(found: Sequence[Estimated]) -> None:
    """Say which files cannot be read."""
    for one in found:
        if one.error is not None:
            typer.echo(f"{one.path}: {one.error}", err=True)
