"""An embedding model behind HTTP: any server that speaks OpenAI's POST /embeddings.

Owns the requests, their retries, and the distrust of what comes back. Whether an endpoint is used at all is decided by
`open_embedder`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Self

import httpx
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from server.errors import Misconfigured, UpstreamUnavailable
from server.retry_after import parse_retry_after

__all__ = ["MAX_CHARACTERS", "EndpointEmbedder"]

MAX_CHARACTERS = 8_000
"""How much of a text is sent: what current models take of ordinary prose. They refuse what is too long instead of cutting."""

_BATCH = 128
_TRIES = 3
_BACK_OFF = 0.5
_LONGEST_WAIT = 30.0

Sleep = Callable[[float], Awaitable[None]]


class _Vector(BaseModel):
    embedding: list[float]
    index: int | None = None


class _Answer(BaseModel):
    data: list[_Vector]


class EndpointEmbedder:
    """Embeds by POST {base_url}/embeddings, up to 128 texts a request, one request after the other.

    Requests that are refused with 429 or 5xx, or cannot be delivered, are tried three times in all. Retry-After is obeyed up
    to 30 seconds; a longer one ends the call at once. A request that times out is not repeated. Bound to the event loop
    of its first call.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        dimension: int,
        key: str | None = None,
        timeout: float = 60.0,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`timeout` is in seconds, for each read of a request; `sleep` waits between tries.

        Raises:
            Misconfigured: `base_url` is not an http(s) URL, or `key` cannot stand in a header.
        """
        self.dimension = dimension
        self._model = model
        self._sleep = sleep
        self._url = _parse_url(base_url)
        self.name = f"{model}@{self._url.host}"
        self._client = httpx.AsyncClient(
            headers=_authorize(key), timeout=httpx.Timeout(timeout, connect=min(timeout, 5.0))
        )

    @classmethod
    async def open(
        cls,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        dimension: int | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109 -- a property of the embedder, not of this call
        sleep: Sleep = asyncio.sleep,
    ) -> Self:
        """Return an embedder; where `dimension` is None, the model is asked for one vector to learn it.

        Raises:
            Misconfigured: as the constructor.
            UpstreamUnavailable: the endpoint does not answer the question.
        """
        embedder = cls(base_url, model, dimension=dimension or 0, key=key, timeout=timeout, sleep=sleep)
        if dimension is None:
            try:
                embedder.dimension = len((await embedder._request(["dimension"]))[0])
            except UpstreamUnavailable:
                await embedder.aclose()
                raise
        return embedder

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, in order: shape (len(texts), dimension), every row of length 1.

        Of each text the first MAX_CHARACTERS are sent; an empty one goes as a space, which servers accept.

        Raises:
            UpstreamUnavailable: the endpoint fails, is not authorized, or answers something else than such vectors.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [_clean(text) for text in texts[start : start + _BATCH]]
            rows = await self._request(batch)
            if rows.shape[1] != self.dimension:
                raise UpstreamUnavailable(
                    f"{self.name} answered vectors of {rows.shape[1]} numbers instead of {self.dimension}: "
                    "set LOREGRAPH_EMBEDDINGS_DIMENSION to what the model gives, then run loregraph reindex."
                )
            vectors[start : start + len(batch)] = rows
        return vectors

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _request(self, batch: Sequence[str]) -> NDArray[np.float32]:
        """Return the unit vectors of one batch, whatever their dimension."""
        for attempt in range(1, _TRIES + 1):
            try:
                response = await self._client.post(self._url, json={"model": self._model, "input": batch})
            except httpx.TimeoutException as error:
                raise UpstreamUnavailable(
                    f"{self.name} did not answer in time: try again, or check the server at LOREGRAPH_EMBEDDINGS_URL."
                ) from error
            except httpx.RequestError as error:
                if attempt == _TRIES:
                    raise UpstreamUnavailable(
                        f"{self.name} cannot be reached: check LOREGRAPH_EMBEDDINGS_URL and that its server runs."
                    ) from error
                await self._sleep(_back_off(attempt))
                continue
            if response.is_success:
                # Off the loop: 128 vectors of 3,072 numbers are some 8 MB of JSON.
                return await asyncio.to_thread(self._read, response.content, len(batch))
            wait = _wait_before_retry(response, attempt)
            if wait is None or wait > _LONGEST_WAIT or attempt == _TRIES:
                raise UpstreamUnavailable(self._explain(response.status_code, wait))
            await self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _read(self, content: bytes, count: int) -> NDArray[np.float32]:
        try:
            data = _Answer.model_validate_json(content).data
        except ValidationError as error:
            raise self._distrust("something else than an OpenAI-style list of embeddings") from error
        if len(data) != count:
            raise self._distrust(f"{len(data)} vectors to {count} texts")
        places = [position if vector.index is None else vector.index for position, vector in enumerate(data)]
        if sorted(places) != list(range(count)):
            raise self._distrust("vectors whose indices are not those of the texts")
        if len({len(vector.embedding) for vector in data}) != 1 or not data[0].embedding:
            raise self._distrust("vectors of different lengths, or empty ones")
        rows = np.empty((count, len(data[0].embedding)), dtype=np.float64)
        rows[places] = [vector.embedding for vector in data]
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise self._distrust("vectors without direction (zeros, or numbers out of range)")
        vectors: NDArray[np.float32] = (rows / lengths).astype(np.float32)
        return vectors

    def _distrust(self, what: str) -> UpstreamUnavailable:
        return UpstreamUnavailable(
            f"{self.name} answered {what}: check that LOREGRAPH_EMBEDDINGS_URL is an OpenAI-compatible embeddings API."
        )

    def _explain(self, status: int, wait: float | None) -> str:
        if status in (401, 403):
            return f"{self.name} refused the key ({status}): set LOREGRAPH_EMBEDDINGS_KEY to a valid one."
        if status == 429:
            return f"{self.name} is over its rate limit (429): try again in {math.ceil(wait or 1)} seconds or later."
        if status >= 500:
            return (
                f"{self.name} is failing ({status}): try again later, or check the server at LOREGRAPH_EMBEDDINGS_URL."
            )
        return (
            f"{self.name} refused the request ({status}): check LOREGRAPH_EMBEDDINGS_URL (it usually ends in /v1) "
            "and LOREGRAPH_EMBEDDINGS_MODEL."
        )


def _parse_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.rstrip("/") + "/embeddings")
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise Misconfigured("LOREGRAPH_EMBEDDINGS_URL is not a URL: set one such as http://localhost:11434/v1.")
    return url


def _authorize(key: str | None) -> dict[str, str]:
    if not key:
        return {}
    if not (key.isascii() and key.isprintable()):
        raise Misconfigured(
            "LOREGRAPH_EMBEDDINGS_KEY has characters that no key has: copy it again, without line ends."
        )
    return {"Authorization": f"Bearer {key}"}


def _clean(text: str) -> str:
    """Return what is sent of `text`: never empty, and without lone surrogates, which JSON cannot carry in UTF-8."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode() or " "


def _back_off(attempt: int) -> float:
    return _BACK_OFF * float(2 ** (attempt - 1))


def _wait_before_retry(response: httpx.Response, attempt: int) -> float | None:
    """Return the seconds to wait before the next try, or None where trying again is of no use."""
    if response.status_code != 429 and response.status_code < 500:
        return None
    asked = parse_retry_after(response.headers.get("Retry-After", ""))
    return _back_off(attempt) if asked is None else asked
