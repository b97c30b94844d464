"""Extraction off the event loop: worker processes that hold one extractor each."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process

from server.errors import UpstreamUnavailable
from server.services.extraction.protocol import ChunkText, Extraction, Extractor

__all__ = ["ExtractionPool"]

_extractor: Extractor | None = None


def _start(make: Callable[[], Extractor]) -> None:
    global _extractor
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches us too, but the parent decides when we end
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _extractor = make()


def _end_with_the_parent() -> None:
    """Without this a parent that is killed leaves us waiting for work for good."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _extract(text: ChunkText) -> Extraction:
    assert _extractor is not None
    return _extractor.extract(text)


class ExtractionPool:
    """Worker processes that hold one extractor each; they start with the first chunk and are replaced when they die."""

    def __init__(self, make: Callable[[], Extractor], workers: int) -> None:
        self._make = make
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    async def extract(self, text: ChunkText) -> Extraction:
        """Return what a chunk says.

        Raises:
            UpstreamUnavailable: the worker process died.
        """
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._workers, mp_context=get_context("spawn"), initializer=_start, initargs=(self._make,)
            )
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, _extract, text)
        except BrokenProcessPool as error:
            self._pool = None
            raise UpstreamUnavailable("The extraction process died. The document will be tried again.") from error

    def close(self) -> None:
        """End the processes; work that has not begun is dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
