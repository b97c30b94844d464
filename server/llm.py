"""Claude by the anthropic SDK: a call, its typed answer, the tokens that it took, and why it failed.

The SDK is loaded by the first call; a process that asks nothing does without. Its own retries are off: an attempt that
failed says whether another makes sense, and the queue of jobs makes it. What an answer means is left to the caller.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from server.errors import Misconfigured, UpstreamUnavailable
from server.retry_after import parse_retry_after
from server.terms import NO_USAGE, Usage

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic

__all__ = [
    "Claude",
    "Filled",
    "ModelBusy",
    "ModelFailure",
    "ModelRefused",
    "ModelUnreachable",
    "Prompt",
    "UnusableAnswer",
]

T = TypeVar("T", bound=BaseModel)
_CONNECT = 10.0
_BUSY = (429, 529)


class ModelFailure(UpstreamUnavailable):
    """A call that gave nothing to go on with. `raw` is the answer where there was one, `usage` what that took."""

    def __init__(self, message: str, raw: str | None = None, usage: Usage = NO_USAGE) -> None:
        super().__init__(message)
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


class UnusableAnswer(ModelFailure):
    """What answered cannot be made anything of; `raw` is the answer as it came, kept with the job if it is given up."""


class Prompt(NamedTuple):
    """What is asked. `fixed` comes first, is the same for many calls, and is cached by the model; `text` is this call's own."""

    fixed: tuple[str, ...]
    text: str


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
        sdk = await asyncio.to_thread(import_module, "anthropic")
        client = self._client(sdk)
        format = {"type": "json_schema", "schema": sdk.transform_schema(result.model_json_schema())}
        asked: dict[str, Any] = {
            "model": model,
            "max_tokens": self._max_tokens,
            "system": [
                {"type": "text", "text": part, "cache_control": {"type": "ephemeral"}} for part in prompt.fixed if part
            ],
            "messages": [{"role": "user", "content": prompt.text.encode("utf-8", "replace").decode()}],
            "output_config": {"format": format} if effort is None else {"format": format, "effort": effort},
        }
        try:
            async with asyncio.timeout(self._timeout):
                message = await client.messages.create(**asked)
        except (TimeoutError, sdk.APITimeoutError) as error:
            raise ModelUnreachable(f"Claude did not answer within {self._timeout:g} seconds.") from error
        except sdk.APIStatusError as error:
            raise _failure(error, model) from error
        except sdk.APIConnectionError as error:
            raise ModelUnreachable("Claude cannot be reached, or hung up: check the network.") from error
        except (sdk.AnthropicError, ValueError) as error:  # a body that is no JSON is a ValueError
            raise UnusableAnswer(
                "What answered in place of Claude is no message: check LOREGRAPH_ANTHROPIC_URL."
            ) from error
        return _filled(message, result)

    def _client(self, sdk: Any) -> AsyncAnthropic:
        if self._opened is None:
            self._opened = sdk.AsyncAnthropic(
                api_key=self._key,
                base_url=self._base_url,
                max_retries=0,
                timeout=sdk.Timeout(self._timeout, connect=min(self._timeout, _CONNECT)),
            )
        return self._opened


def _filled(message: Any, result: type[T]) -> Filled[T]:
    """Distrust what came: behind the base URL may be anything, and the SDK checks nothing."""
    blocks = getattr(message, "content", None)
    if not isinstance(blocks, list):
        raise UnusableAnswer(
            "What answered in place of Claude is no message: check LOREGRAPH_ANTHROPIC_URL.", _shown(message)
        )
    text = "".join(b.text for b in blocks if getattr(b, "type", None) == "text" and isinstance(b.text, str))
    usage, reason = _usage(getattr(message, "usage", None)), getattr(message, "stop_reason", None)
    if reason == "refusal":
        details = getattr(message, "stop_details", None)
        why = getattr(details, "explanation", None) or getattr(details, "category", None)
        told = f"Claude refused to answer{f' ({why})' if why else ''}. Another model may: set LOREGRAPH_CLAUDE_MODEL."
        raise ModelRefused(told, text or None, usage)
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


def _failure(error: APIStatusError, model: str) -> ModelFailure:
    """Return what a refused request means, with what to do about it."""
    status, said = error.status_code, (error.api_message or "").strip()
    why = f"{status}{f': {said}' if said else ''}"
    if status in _BUSY:
        wait = parse_retry_after(error.response.headers.get("Retry-After", ""))
        busy = "is over the limits of the key" if status == 429 else "is overloaded"
        return ModelBusy(f"Claude {busy} ({why}).", wait)
    if status in (401, 403):
        return ModelRefused(
            f"Claude refused the key ({why}). Set LOREGRAPH_ANTHROPIC_KEY to a valid one, then retryIngestion."
        )
    if status == 404:
        return ModelRefused(
            f"Claude has no model {model} ({why}). Check LOREGRAPH_CLAUDE_MODEL and LOREGRAPH_ANTHROPIC_URL."
        )
    if status in (408, 409) or status >= 500:
        return ModelUnreachable(f"Claude is failing ({why}).")
    return ModelRefused(f"Claude refused the request ({why}).")
