"""MiniLM in this process: all-MiniLM-L6-v2 in 8 bits, offline, the default embedder.

Owns the one thread that runs the model, the order in which callers are served and a small memory of recent short texts.
The forward pass itself is left to inference.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from server.embeddings.sizes import DIMENSION, default_threads
from server.embeddings.tokens import QueryTokens
from server.errors import Misconfigured, UpstreamUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from server.embeddings.inference import Inference

__all__ = ["MiniLM"]

Answer = TypeVar("Answer")

_GROUP = 64
_GROUP_CHARACTERS = 4_096
_LONG_TEXT = 1_024  # characters; about where MAX_TOKENS cuts prose, so longer texts cost no more
_REMEMBERED_LENGTH = 512  # characters: a query or a name; what is longer is rarely asked twice


@dataclass(slots=True)
class _Wanted:
    """Texts that are encoded together, and the promise of their vectors."""

    texts: Sequence[str]
    vectors: Future[NDArray[np.float32]] = field(default_factory=Future)


class MiniLM:
    """Embeds with all-MiniLM-L6-v2: 384 dimensions, English above all, the first 256 tokens of a text.

    The model loads at the first text, in its own thread. Calls that wait at the same moment are encoded together as far as
    one group holds, those of a single text first and between any two groups, so that a search does not wait for a bulk
    load. May be used from several event loops.
    """

    name = "minilm-l6-v2-int8@2"
    dimension = DIMENSION

    def __init__(self, *, threads: int | None = None, remembered: int = 2_048) -> None:
        """`threads` used by one pass, unless told one, or two on four cores and more.

        Vectors of the last `remembered` short single texts are kept (4 MB).

        Raises:
            Misconfigured: `threads` is below 1.
        """
        if threads is not None and threads < 1:
            raise Misconfigured(f"MiniLM cannot run on {threads} threads: give it 1 or more.")
        self._threads = threads or default_threads()
        self._remembered = remembered
        self._memory: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._inference: Inference | None = None
        self._lock = threading.Lock()  # guards what follows, and _memory
        self._singles: deque[_Wanted] = deque()
        self._calls: deque[deque[_Wanted]] = deque()
        self._closed = False
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="minilm")

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, in order: shape (len(texts), 384), every row of length 1.

        A text's vector is the same in any company, up to 1e-5 a component. Costs about one CPU-second for 8,000 tokens.

        Raises:
            UpstreamUnavailable: the model's package is missing or damaged, or the embedder is closed.
        """
        if len(texts) == 1:
            return await self._embed_single(texts[0])
        groups = list(_group_by_length(texts))
        answers = await self._ask([_Wanted([texts[position] for position in group]) for group in groups])
        import numpy as np  # here, because the model's thread has loaded it by now

        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for group, answer in zip(groups, answers, strict=True):
            vectors[group] = answer
        return vectors

    async def query_tokens(self, text: str) -> QueryTokens:
        """Return the vectors of a query's tokens, each with its weight: the 32 that weigh the most. Costs what embedding it costs.

        Raises:
            UpstreamUnavailable: as `embed`.
        """
        return await self._in_thread(lambda model: model.query_tokens(text))

    async def token_signs(self, texts: Sequence[str]) -> list[bytes]:
        """Return the signs of each text's token vectors: 48 bytes a token, one bit a number. Costs what embedding them costs.

        Raises:
            UpstreamUnavailable: as `embed`.
        """
        found = [b""] * len(texts)
        for group in _group_by_length(texts):  # one after the other, so that single texts come between
            own = [texts[position] for position in group]
            for position, signs in zip(group, await self._in_thread(_signing(own)), strict=True):
                found[position] = signs
        return found

    async def _in_thread(self, work: Callable[[Inference], Answer]) -> Answer:
        with self._lock:
            if self._closed:
                raise _closing()
            future = self._executor.submit(lambda: work(self._model()))
        return await asyncio.wrap_future(future)

    def _model(self) -> Inference:
        self._inference = self._inference or _loaded(self._threads)
        return self._inference

    async def aclose(self) -> None:
        """End the thread after the pass that it is in; whoever still waits gets UpstreamUnavailable."""
        with self._lock:
            self._closed = True
            waiting = [*self._singles, *(wanted for call in self._calls for wanted in call)]
            self._singles.clear()
            self._calls.clear()
        for wanted in waiting:
            if wanted.vectors.set_running_or_notify_cancel():
                wanted.vectors.set_exception(_closing())
        await asyncio.to_thread(self._executor.shutdown)

    async def _embed_single(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            known = self._memory.get(text)
            if known is not None:
                self._memory.move_to_end(text)
                return known.copy()
        (vectors,) = await self._ask([_Wanted([text])])
        if len(text) <= _REMEMBERED_LENGTH:
            with self._lock:
                self._memory[text] = vectors.copy()
                if len(self._memory) > self._remembered:
                    self._memory.popitem(last=False)
        return vectors

    async def _ask(self, wanted: Sequence[_Wanted]) -> list[NDArray[np.float32]]:
        """Queue `wanted` and wait for all of it; what is still queued when the caller gives up is not encoded."""
        if not wanted:
            return []
        with self._lock:
            if self._closed:
                raise _closing()
            if len(wanted) == 1 and len(wanted[0].texts) == 1:
                self._singles.append(wanted[0])
            else:
                self._calls.append(deque(wanted))
            # As many turns as things wanted: each turn takes at least one of them, whoever's it is.
            for _ in wanted:
                self._executor.submit(self._take_turn)
        try:
            return await asyncio.gather(*(asyncio.wrap_future(one.vectors) for one in wanted))
        finally:
            for one in wanted:
                one.vectors.cancel()

    def _take_turn(self) -> None:
        """Encode the single texts that wait, then one group of each call whose turn it is. Runs in the thread."""
        with self._lock:
            singles = [self._singles.popleft() for _ in range(min(_GROUP, len(self._singles)))]
            groups = list(self._next_groups())
        self._answer(singles)
        self._answer(groups)

    def _next_groups(self) -> Iterator[_Wanted]:
        """Take one group of each call in turn for as long as all fit into one: small calls share passes, and their cost."""
        texts = characters = 0
        for _ in range(len(self._calls)):
            group = self._calls[0][0]
            texts += len(group.texts)
            characters += sum(min(len(text), _LONG_TEXT) for text in group.texts)
            if texts > len(group.texts) and (texts > _GROUP or characters > _GROUP_CHARACTERS):
                return
            call = self._calls.popleft()
            yield call.popleft()
            if call:
                self._calls.append(call)

    def _answer(self, wanted: Sequence[_Wanted]) -> None:
        """Keep the promises of `wanted` that somebody still waits for, in one pass."""
        wanted = [one for one in wanted if one.vectors.set_running_or_notify_cancel()]
        if not wanted:
            return
        try:
            vectors = self._model().encode([text for one in wanted for text in one.texts])
        except BaseException as error:  # a promise that nobody keeps would be waited for forever
            for one in wanted:
                one.vectors.set_exception(error)
            raise
        start = 0
        for one in wanted:
            end = start + len(one.texts)
            one.vectors.set_result(vectors[start:end].copy())
            start = end


def _signing(texts: Sequence[str]) -> Callable[[Inference], list[bytes]]:
    return lambda model: model.token_signs(texts)


def _loaded(threads: int) -> Inference:
    from server.embeddings.inference import Inference

    return Inference(threads=threads)


def _group_by_length(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the positions of `texts` in groups of like length, each short enough not to hold up single texts for long."""
    group: list[int] = []
    characters = 0
    for position in sorted(range(len(texts)), key=lambda position: len(texts[position])):
        length = min(len(texts[position]), _LONG_TEXT)
        if group and (len(group) == _GROUP or characters + length > _GROUP_CHARACTERS):
            yield group
            group, characters = [], 0
        group.append(position)
        characters += length
    if group:
        yield group


def _closing() -> UpstreamUnavailable:
    return UpstreamUnavailable("The embedding model is shutting down with the server: ask again when it is back.")
