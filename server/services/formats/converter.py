"""Reading files off the event loop: a few processes, started when first needed and ended when idle, each with one file at a time.

Text in UTF-8 needs no process. Every refusal names the argument that the caller gave.
"""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server.errors import BadUserInput, LimitExceeded, ServerError, UpstreamUnavailable
from server.services.formats.conversion import checked
from server.services.formats.decoding import as_text, decode_unicode
from server.services.formats.limits import MIB, Limits
from server.services.formats.reader import OUT_OF_MEMORY, Reader
from server.services.formats.regular import read_regular
from server.services.formats.sniffing import HEAD, sniff
from server.services.formats.types import MARKDOWN, PLAIN, Converted

if TYPE_CHECKING:  # the process that reads imports this package, and does without
    from server.config import Settings

__all__ = ["Converter"]

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_AT_ONCE = 2
_WATCH = 0.1
_IDLE = 60.0
_FILES_A_PROCESS = 100


class Converter:
    """Turns files into text. `aclose` ends its processes."""

    def __init__(self, settings: Settings) -> None:
        self._limits = Limits.of(settings)
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="conversion")
        self._idle: dict[Reader, asyncio.TimerHandle] = {}
        self._busy: set[Reader] = set()

    async def convert(
        self, file: bytes | Path, *, claimed: str | None = None, argument: str | None = None
    ) -> Converted:
        """Return what a file says. `claimed` is the media type its sender gives, with or without charset.

        The caller bounds the size of the file. Cancelling ends the process that reads it.

        Raises:
            BadUserInput: it is of a type that is not read, encrypted, broken or without text.
            LimitExceeded: it has too many pages or too much text, unpacks to too much, or took too long or too much memory.
        """
        try:
            return await self._convert(file, claimed)
        except (BadUserInput, LimitExceeded) as refusal:
            refusal.argument = refusal.argument or argument
            raise

    async def aclose(self) -> None:
        """End the processes; files that are being read are refused."""
        for reader in self._busy:
            reader.kill()
        for reader in list(self._idle):
            self._end(reader)
        await asyncio.to_thread(self._threads.shutdown)

    async def _convert(self, file: bytes | Path, claimed: str | None) -> Converted:
        head = file[:HEAD] if isinstance(file, bytes) else await asyncio.to_thread(read_regular, file, HEAD)
        mime_type = sniff(head, claimed)
        if mime_type in (PLAIN, MARKDOWN):
            found = await asyncio.to_thread(_unicode, file, mime_type, self._limits.characters)
            if found is not None:
                return found
        async with self._turns:
            reader = self._reader()
            self._busy.add(reader)
            try:
                answer = await self._ask(reader, file, mime_type, claimed)
            finally:
                self._busy.discard(reader)
                self._release(reader)
        return _converted(answer, mime_type)

    def _reader(self) -> Reader:
        while self._idle:
            reader, timer = self._idle.popitem()
            timer.cancel()
            if reader.alive:
                return reader
            reader.close()
        return Reader(self._limits)

    async def _ask(self, reader: Reader, file: bytes | Path, mime_type: str, claimed: str | None) -> dict[str, Any]:
        answer = asyncio.get_running_loop().run_in_executor(self._threads, reader.ask, file, mime_type, claimed)
        try:
            async with asyncio.timeout(self._limits.seconds):
                found = await self._watched(reader, answer)
        except TimeoutError as error:
            reader.kill()
            await answer
            raise LimitExceeded(
                f"The file took more than {self._limits.seconds:g} s to read. Send it in parts, or as text."
            ) from error
        except asyncio.CancelledError:
            reader.kill()
            await answer
            raise
        return self._dead(reader) if found is None else found

    async def _watched(self, reader: Reader, answer: asyncio.Future[dict[str, Any] | None]) -> dict[str, Any] | None:
        """Wait for an answer, and end the process if its memory outgrows its own bound.

        It watches itself, but an interpreter without memory can run in circles where no thread of it gets a turn.
        """
        most = reader.resident() + self._limits.memory + self._limits.memory // 4
        while not (await asyncio.wait([answer], timeout=_WATCH))[0]:
            if reader.resident() > most:
                reader.kill()
                await answer
                raise self._too_large()
        return answer.result()

    def _too_large(self) -> LimitExceeded:
        memory = f"{self._limits.memory // MIB:,} MiB of memory"
        return LimitExceeded(f"The file needs more than {memory} to be read. Send it in parts, or as text.")

    def _dead(self, reader: Reader) -> dict[str, Any]:
        if reader.exit_code == OUT_OF_MEMORY:
            raise self._too_large()
        memory = f"{self._limits.memory // MIB:,} MiB of memory"
        raise BadUserInput(
            f"The file could not be read: it is broken, or needs more than {memory}. Open it and save it anew, or send it as text."
        )

    def _release(self, reader: Reader) -> None:
        if reader.alive and reader.asked < _FILES_A_PROCESS:
            self._idle[reader] = asyncio.get_running_loop().call_later(_IDLE, self._end, reader)
        else:
            reader.close()

    def _end(self, reader: Reader) -> None:
        timer = self._idle.pop(reader, None)
        if timer is not None:
            timer.cancel()
        reader.close()


def _unicode(file: bytes | Path, mime_type: str, characters: int) -> Converted | None:
    text = decode_unicode(file if isinstance(file, bytes) else read_regular(file))
    return None if text is None else checked(as_text(text, mime_type), characters)


def _converted(answer: dict[str, Any], mime_type: str) -> Converted:
    """The answer of a process, which is data from outside: what is not of the right form is a defect of the file."""
    match answer:
        case {"text": str(text), "title": str() | None as title} if not _UNSTORABLE.search(text + (title or "")):
            return Converted(text, mime_type, title)
        case {"refused": LimitExceeded.code, "message": str(message)}:
            raise LimitExceeded(message)
        case {"refused": BadUserInput.code, "message": str(message)}:
            raise BadUserInput(message)
        case {"refused": ServerError.code, "message": str(message)}:
            raise UpstreamUnavailable(f"The file could not be opened: {message}")
    raise BadUserInput("The file could not be read: it is broken. Open it and save it anew, or send it as text.")
