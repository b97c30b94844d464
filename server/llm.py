"""Claude by the anthropic SDK: a call, or a Message Batch of many; typed answers, the tokens that they took, and failures.

The SDK is loaded by the first call; a process that asks nothing does without. Its own retries are off: an attempt that
failed says whether another makes sense, and the queue of jobs makes it. What an answer means is left to the caller.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from itertools import dropwhile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import AwareDatetime, BaseModel, ValidationError

from server.config import Settings
from server.errors import Misconfigured, UpstreamUnavailable
from server.retry_after import parse_retry_after
from server.terms import NO_USAGE, Usage

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic

__all__ = [
    "BatchGone",
    "BatchRequest",
    "Claude",
    "Filled",
    "ListedBatch",
    "ModelBusy",
    "ModelDeclined",
    "ModelFailure",
    "ModelRefused",
    "ModelUnreachable",
    "Prompt",
    "UnusableAnswer",
    "open_claude",
]

T = TypeVar("T", bound=BaseModel)
_CONNECT = 10.0
_BUSY = (429, 529)
_BATCHES = "/v1/messages/batches"
_PAGE, _MOST_PAGES = 100, 100
_BATCH_ID = re.compile(r"[\w-]{1,200}", re.ASCII)
_FINAL = frozenset(
    {"invalid_request_error", "authentication_error", "permission_error", "not_found_error", "billing_error"}
)
_STRANGE = "What answered in place of Claude is no message: check LOREGRAPH_ANTHROPIC_URL."


class ModelFailure(UpstreamUnavailable):
    """A call that gave nothing to go on with. `raw` is the answer where there was one, `usage` what that took.

    Its message is what happened, `told`, with the `advice` for ingestions behind it; other callers have their own.
    """

    def __init__(self, told: str, raw: str | None = None, usage: Usage = NO_USAGE, *, advice: str = "") -> None:
        super().__init__(f"{told} {advice}" if advice else told)
        self.told = told
        self.raw = raw
        self.usage = usage


class ModelBusy(ModelFailure):
    """The model asks to wait (429, 529), for `wait` seconds where it says so. No fault of what was asked."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class ModelUnreachable(ModelFailure):
    """The model failed, hung up or did not answer in time: another attempt may succeed."""


class ModelRefused(ModelFailure):
    """The model will not do it, however often it is asked: the key, the request or its content is refused."""


class ModelDeclined(ModelRefused):
    """The model will not answer this; it would answer something else."""


class UnusableAnswer(ModelFailure):
    """What answered cannot be made anything of; `raw` is the answer as it came, kept with the job if it is given up."""


class BatchGone(ModelFailure):
    """There is no such batch, or its results are not kept any more."""


class Prompt(NamedTuple):
    """What is asked. `fixed` comes first, is the same for many calls, and is cached by the model; `text` is this call's own.

    `turns` of a conversation come before the text, each with its role, user or assistant; what an assistant says before any user is
    left out, for the model takes no such beginning.
    """

    fixed: tuple[str, ...]
    text: str
    turns: tuple[tuple[str, str], ...] = ()

    @property
    def messages(self) -> list[dict[str, str]]:
        """The turns and the text as messages."""
        begun = dropwhile(lambda turn: turn[0] != "user", self.turns)
        return [
            {"role": role, "content": text.encode("utf-8", "replace").decode()}
            for role, text in (*begun, ("user", self.text))
        ]


@dataclass(frozen=True, slots=True)
class Filled(Generic[T]):
    """What came back: `raw` is meant to be the JSON of `result`. `truncated`: the limit of tokens cut it off."""

    raw: str
    result: type[T]
    usage: Usage
    truncated: bool = False

    def typed(self) -> T:
        """Return the answer as its type.

        Raises:
            UnusableAnswer: it is not of it.
        """
        try:
            return self.result.model_validate_json(self.raw)
        except ValidationError as error:
            told = "was cut off" if self.truncated else "is not what was asked for"
            raise UnusableAnswer(f"The answer of Claude {told}.", self.raw, self.usage) from error


class BatchRequest(NamedTuple):
    """One request of a batch. `size` is in bytes of JSON, about."""

    body: dict[str, Any]
    size: int


class ListedBatch(NamedTuple):
    """A batch of the key, whoever submitted it: its id, when that was by the API's clock, of how many requests, and its state."""

    name: str
    created_at: datetime
    requests: int
    ended: bool


class _Batch(BaseModel):
    """What is needed of a batch in a list."""

    id: str
    created_at: AwareDatetime
    request_counts: dict[str, int]
    processing_status: str


class _Page(BaseModel):
    """A list of batches, the newest first."""

    data: list[_Batch]
    has_more: bool = False


class Claude:
    """Claude behind one key. Bound to the event loop of its first call."""

    def __init__(self, key: str, *, base_url: str, max_tokens: int, timeout: float) -> None:
        """`timeout` is in seconds, for a whole call; `max_tokens` bounds each answer, its thinking included.

        Raises:
            Misconfigured: `key` cannot stand in a header, or `base_url` is no http(s) URL.
        """
        if not (key.isascii() and key.isprintable()):
            raise Misconfigured(
                "LOREGRAPH_ANTHROPIC_KEY has characters that no key has: copy it again, without line ends."
            )
        if not base_url.startswith(("http://", "https://")):
            raise Misconfigured("LOREGRAPH_ANTHROPIC_URL is not a URL: set one such as https://api.anthropic.com.")
        self._key = key
        self._base_url = base_url
        self._max_tokens = max_tokens
        self._timeout = timeout
        self._opened: AsyncAnthropic | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            await self._opened.close()

    async def fill(self, prompt: Prompt, result: type[T], *, model: str, effort: str | None = None) -> Filled[T]:
        """Ask `model` to fill `result`, in one request that is not repeated.

        Structured output holds the model to the JSON schema of `result`, whose fields have no defaults.

        Raises:
            ModelBusy: it asks to wait.
            ModelUnreachable: it fails, or does not answer in time.
            ModelRefused: it refuses the key, the request, or to answer.
            UnusableAnswer: what answered is no message, or one without text.
        """
        sdk = await _sdk()
        asked = self._asked(sdk, prompt, result, model, effort)
        async with self._telling(sdk, model):
            message = await self._client(sdk).messages.create(**asked)
        return _filled(message, result)

    async def request(self, prompt: Prompt, result: type[T], *, model: str, effort: str | None = None) -> BatchRequest:
        """Return what `fill` asks, as a request of a batch. Sends nothing."""
        body = self._asked(await _sdk(), prompt, result, model, effort)
        return BatchRequest(body, len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")) + 100)

    async def submit(self, requests: Mapping[str, BatchRequest], *, model: str) -> str:
        """Have these requests answered as one Message Batch, within a day and at half the price; return its id.

        Their names are 1 to 64 of A-Z, a-z, 0-9, - and _. Where no answer comes, the batch may have been taken all the same.

        Raises:
            ModelBusy, ModelUnreachable, ModelRefused, UnusableAnswer: as `fill`.
        """
        sdk = await _sdk()
        asked: list[Any] = [{"custom_id": name, "params": one.body} for name, one in requests.items()]
        async with self._telling(sdk, model):
            batch = await self._client(sdk).messages.batches.create(requests=asked)
        name = getattr(batch, "id", None)
        if not isinstance(name, str) or not _BATCH_ID.fullmatch(name):
            raise UnusableAnswer(_STRANGE, _shown(batch))
        return name

    async def has_ended(self, batch: str) -> bool:
        """Tell whether all requests of a batch have been answered, or will not be.

        Raises:
            BatchGone: there is none of this id.
            ModelBusy, ModelUnreachable, ModelRefused, UnusableAnswer: as `fill`.
        """
        sdk = await _sdk()
        async with self._telling(sdk):
            found = await self._client(sdk).messages.batches.retrieve(batch)
        state = getattr(found, "processing_status", None)
        if state not in ("in_progress", "canceling", "ended"):
            raise UnusableAnswer(_STRANGE, _shown(found))
        return bool(state == "ended")

    async def results(self, batch: str, types: Mapping[str, type[T]]) -> dict[str, Filled[T] | ModelFailure]:
        """Return what a batch that has ended answered to the requests of these names; left out is what it says nothing of.

        Costs nothing: results can be read again for weeks.

        Raises:
            BatchGone: they are not kept any more.
            ModelBusy, ModelUnreachable, ModelRefused, UnusableAnswer: as `fill`.
        """
        lines = _lines(await self._text(f"/{batch}/results"))
        return {name: _settled(result, types[name]) for name, result in lines if name in types}

    async def names(self, batch: str) -> set[str]:
        """Return the names of the requests of a batch that has ended. Costs nothing.

        Raises:
            BatchGone: its results are not kept any more.
            ModelBusy, ModelUnreachable, ModelRefused, UnusableAnswer: as `fill`.
        """
        return {name for name, _ in _lines(await self._text(f"/{batch}/results"))}

    async def batches(self, since: datetime) -> list[ListedBatch]:
        """Return the batches of the key that were submitted since an instant, the newest first. Costs nothing.

        Raises:
            BatchGone: what answers in place of Claude does not list them.
            ModelBusy, ModelUnreachable, ModelRefused, UnusableAnswer: as `fill`.
        """
        found: list[_Batch] = []
        for _ in range(_MOST_PAGES):
            after = {"after_id": found[-1].id} if found else {}
            page = _page(await self._text("", limit=_PAGE, **after))
            found.extend(page.data)
            if not page.has_more or not page.data or page.data[-1].created_at < since:
                break
        return [
            ListedBatch(one.id, one.created_at, sum(one.request_counts.values()), one.processing_status == "ended")
            for one in found
            if one.created_at >= since and _BATCH_ID.fullmatch(one.id)
        ]

    async def cancel(self, batch: str) -> None:
        """Have the requests of a batch that are not being answered left.

        Raises:
            BatchGone: there is none of this id.
            ModelBusy, ModelUnreachable, ModelRefused, UnusableAnswer: as `fill`.
        """
        sdk = await _sdk()
        async with self._telling(sdk):
            await self._client(sdk).messages.batches.cancel(batch)

    async def _text(self, path: str, **params: object) -> Any:
        """Return what is told of batches, by the address that is set, never one that an answer names: the key goes along."""
        sdk = await _sdk()
        async with self._telling(sdk):
            return await self._client(sdk).get(f"{_BATCHES}{path}", cast_to=str, options={"params": params})

    def _asked(self, sdk: Any, prompt: Prompt, result: type[T], model: str, effort: str | None) -> dict[str, Any]:
        format = {"type": "json_schema", "schema": sdk.transform_schema(result.model_json_schema())}
        return {
            "model": model,
            "max_tokens": self._max_tokens,
            "system": [
                {"type": "text", "text": part, "cache_control": {"type": "ephemeral"}} for part in prompt.fixed if part
            ],
            "messages": prompt.messages,
            "output_config": {"format": format} if effort is None else {"format": format, "effort": effort},
        }

    @asynccontextmanager
    async def _telling(self, sdk: Any, model: str | None = None) -> AsyncIterator[None]:
        """Bound the time of a call, and say what its failure means; without a `model` it is about a batch."""
        try:
            async with asyncio.timeout(self._timeout):
                yield
        except (TimeoutError, sdk.APITimeoutError) as error:
            raise ModelUnreachable(f"Claude did not answer within {self._timeout:g} seconds.") from error
        except sdk.APIStatusError as error:
            raise _failure(error, model) from error
        except sdk.APIConnectionError as error:
            raise ModelUnreachable("Claude cannot be reached, or hung up: check the network.") from error
        except (sdk.AnthropicError, ValueError) as error:  # a body that is no JSON is a ValueError
            raise UnusableAnswer(_STRANGE) from error

    def _client(self, sdk: Any) -> AsyncAnthropic:
        if self._opened is None:
            self._opened = sdk.AsyncAnthropic(
                api_key=self._key,
                base_url=self._base_url,
                max_retries=0,
                timeout=sdk.Timeout(self._timeout, connect=min(self._timeout, _CONNECT)),
            )
        return self._opened


def open_claude(settings: Settings) -> Claude | None:
    """Return Claude behind the key that is set; None without one.

    Raises:
        Misconfigured: the key or the address cannot be used.
    """
    if settings.anthropic_key is None:
        return None
    key, most = settings.anthropic_key.get_secret_value(), settings.claude_max_tokens
    return Claude(key, base_url=settings.anthropic_url, max_tokens=most, timeout=settings.claude_timeout)


async def _sdk() -> Any:
    return await asyncio.to_thread(import_module, "anthropic")


def _page(text: Any) -> _Page:
    try:
        return _Page.model_validate_json(text)
    except ValidationError as error:
        raise UnusableAnswer(_STRANGE, _shown(text)) from error


def _lines(text: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name and result of each line that is one; the others are requests without a result."""
    for line in text.split("\n") if isinstance(text, str) else ():
        with suppress(ValueError, RecursionError, AttributeError, TypeError):
            found = json.loads(line, object_hook=lambda given: SimpleNamespace(**given))
            if isinstance(found.custom_id, str):
                yield found.custom_id, found.result


def _settled(result: Any, type_: type[T]) -> Filled[T] | ModelFailure:
    """Return what became of one request of a batch."""
    kind = getattr(result, "type", None)
    if kind == "succeeded":
        try:
            return _filled(getattr(result, "message", None), type_)
        except ModelFailure as failure:
            return failure
    if kind == "errored":
        error = getattr(getattr(result, "error", None), "error", None)
        named, said = getattr(error, "type", None), getattr(error, "message", None)
        why = f"{named}{f': {said}' if said else ''}"
        if named in _FINAL:
            return ModelRefused(f"Claude refused the request ({why}).")
        return ModelUnreachable(f"Claude is failing ({why}).")
    told = {"canceled": "was canceled before Claude had read it", "expired": "expired before Claude had read it"}
    return ModelUnreachable(f"The batch {told.get(str(kind), 'has no answer for it')}.")


def _filled(message: Any, result: type[T]) -> Filled[T]:
    """Distrust what came: behind the base URL may be anything, and the SDK checks nothing."""
    blocks = getattr(message, "content", None)
    if not isinstance(blocks, list):
        raise UnusableAnswer(_STRANGE, _shown(message))
    text = "".join(b.text for b in blocks if getattr(b, "type", None) == "text" and isinstance(b.text, str))
    usage, reason = _usage(getattr(message, "usage", None)), getattr(message, "stop_reason", None)
    if reason == "refusal":
        details = getattr(message, "stop_details", None)
        why = getattr(details, "explanation", None) or getattr(details, "category", None)
        told = f"Claude refused to answer{f' ({why})' if why else ''}."
        raise ModelDeclined(told, text or None, usage, advice="Another model may: set LOREGRAPH_CLAUDE_MODEL.")
    truncated = reason in ("max_tokens", "model_context_window_exceeded")
    if not text.strip():
        told = (
            "ran out of tokens before it answered: raise LOREGRAPH_CLAUDE_MAX_TOKENS"
            if truncated
            else "answered nothing"
        )
        raise UnusableAnswer(f"Claude {told}.", text, usage)
    return Filled(text, result, usage, truncated)


def _usage(given: Any) -> Usage:
    fresh, written, read, output = (
        value if isinstance(value := getattr(given, name, None), int) else 0
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    )
    return Usage(fresh + written + read, output, read, written)


def _shown(message: Any) -> str:
    return message if isinstance(message, str) else repr(message)


def _failure(error: APIStatusError, model: str | None) -> ModelFailure:
    """Return what a refused request means, with what to do about it; without a `model` it is about a batch."""
    status, said = error.status_code, (error.api_message or "").strip()
    why = f"{status}{f': {said}' if said else ''}"
    if status in _BUSY:
        wait = parse_retry_after(error.response.headers.get("Retry-After", ""))
        busy = "is over the limits of the key" if status == 429 else "is overloaded"
        return ModelBusy(f"Claude {busy} ({why}).", wait)
    if status in (401, 403):
        advice = "Set LOREGRAPH_ANTHROPIC_KEY to a valid one, then retryIngestion."
        return ModelRefused(f"Claude refused the key ({why}).", advice=advice)
    if status == 404 and model is None:
        return BatchGone(f"Claude has no such batch any more ({why}).")
    if status == 404:
        advice = "Check LOREGRAPH_CLAUDE_MODEL and LOREGRAPH_ANTHROPIC_URL."
        return ModelRefused(f"Claude has no model {model} ({why}).", advice=advice)
    if status in (408, 409) or status >= 500:
        return ModelUnreachable(f"Claude is failing ({why}).")
    return ModelRefused(f"Claude refused the request ({why}).")
