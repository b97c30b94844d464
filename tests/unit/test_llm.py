"""Claude by the SDK, against a local server that speaks the Messages API: what is sent, what comes back, and each way to fail."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from messages import (
    BAD_KEY,
    BROKEN,
    HANGS_UP,
    OVERLOADED,
    STALLS,
    Messages,
    Reply,
    busy,
    fails,
    refuses,
    says,
    serving_messages,
)
from pydantic import BaseModel

from server.errors import Misconfigured
from server.llm import Claude, Filled, ModelBusy, ModelRefused, ModelUnreachable, Prompt, UnusableAnswer
from server.terms import Usage

PROMPT = Prompt(("Find the colour.", ""), "The sky is blue.")


class Colour(BaseModel):
    """What is asked for."""

    name: str
    shade: str | None


@pytest.fixture
async def messages(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Messages]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with serving_messages() as server:
        yield server


@pytest.fixture
async def claude(messages: Messages) -> AsyncIterator[Claude]:
    claude = Claude("sk-1", base_url=messages.url, max_tokens=500, timeout=0.5)
    yield claude
    await claude.aclose()


async def fill(claude: Claude, **more: Any) -> Filled[Colour]:
    return await claude.fill(PROMPT, Colour, model="claude-test", **more)


async def test_a_request_holds_model_and_schema_and_marks_what_stays_the_same_as_cached(
    messages: Messages, claude: Claude
) -> None:
    messages.script = [says({"name": "blue", "shade": None})]
    await fill(claude, effort="low")
    (request,) = messages.requests
    assert request.line == "POST /v1/messages HTTP/1.1"
    assert (request.headers["authorization"], request.headers["x-stainless-retry-count"]) == ("Bearer sk-1", "0")
    schema = {
        "type": "object",
        "title": "Colour",
        "description": "What is asked for.",
        "properties": {
            "name": {"type": "string", "title": "Name"},
            "shade": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "Shade"},
        },
        "required": ["name", "shade"],
        "additionalProperties": False,
    }
    assert request.body == {
        "model": "claude-test",
        "max_tokens": 500,
        "system": [{"type": "text", "text": "Find the colour.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "The sky is blue."}],
        "output_config": {"format": {"type": "json_schema", "schema": schema}, "effort": "low"},
    }


async def test_an_answer_is_typed_and_its_tokens_are_counted_with_those_of_the_cache(
    messages: Messages, claude: Claude
) -> None:
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 200, "output_tokens": 7}
    messages.script = [says({"name": "blue", "shade": "sky"}, usage=usage)]
    filled = await fill(claude)
    assert filled.typed() == Colour(name="blue", shade="sky")
    assert (filled.usage, filled.usage.total, filled.truncated) == (Usage(235, 7, 200, 30), 242, False)
    assert "effort" not in messages.requests[0].body["output_config"]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (says('{"name": "bl', "max_tokens"), "The answer of Claude was cut off."),
        (says({"name": None}), "The answer of Claude is not what was asked for."),
    ],
)
async def test_an_answer_that_is_not_of_its_type_keeps_what_it_said_and_took(
    messages: Messages, claude: Claude, reply: Reply, told: str
) -> None:
    messages.script = [reply]
    filled = await fill(claude)
    with pytest.raises(UnusableAnswer) as failure:
        filled.typed()
    assert (failure.value.message, failure.value.raw) == (told, filled.raw)
    assert failure.value.usage == Usage(100, 20)


@pytest.mark.parametrize(
    ("reply", "told", "wait"),
    [
        (busy("7"), "Claude is over the limits of the key (429: Number of requests has exceeded your limit.).", 7.0),
        (busy(), "Claude is over the limits of the key (429: Number of requests has exceeded your limit.).", None),
        (
            busy("soon"),
            "Claude is over the limits of the key (429: Number of requests has exceeded your limit.).",
            None,
        ),
        (OVERLOADED, "Claude is overloaded (529: Overloaded).", None),
    ],
)
async def test_a_model_that_asks_to_wait_says_for_how_long(
    messages: Messages, claude: Claude, reply: Reply, told: str, wait: float | None
) -> None:
    messages.script = [reply]
    with pytest.raises(ModelBusy) as failure:
        await fill(claude)
    assert (failure.value.message, failure.value.wait, failure.value.usage) == (told, wait, Usage())
    assert len(messages.requests) == 1


async def test_a_date_to_wait_for_is_understood_too(messages: Messages, claude: Claude) -> None:
    messages.script = [busy(format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True))]
    with pytest.raises(ModelBusy) as failure:
        await fill(claude)
    assert failure.value.wait == pytest.approx(90, abs=3)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (BROKEN, "Claude is failing (500: Internal server error)."),
        (Reply(503), "Claude is failing (503)."),
        (HANGS_UP, "Claude cannot be reached, or hung up: check the network."),
        (STALLS, "Claude did not answer within 0.5 seconds."),
    ],
)
async def test_a_model_that_fails_hangs_up_or_stalls_is_asked_once(
    messages: Messages, claude: Claude, reply: Reply, told: str
) -> None:
    messages.script = [reply]
    with pytest.raises(ModelUnreachable) as failure:
        await fill(claude)
    assert (failure.value.message, len(messages.requests)) == (told, 1)


async def test_nobody_at_the_address_is_unreachable() -> None:
    claude = Claude("sk-1", base_url="http://127.0.0.1:9", max_tokens=500, timeout=5)
    with pytest.raises(ModelUnreachable, match="Claude cannot be reached, or hung up"):
        await fill(claude)
    await claude.aclose()


@pytest.mark.parametrize(
    ("reply", "told", "raw"),
    [
        (
            BAD_KEY,
            "Claude refused the key (401: invalid x-api-key). Set LOREGRAPH_ANTHROPIC_KEY to a valid one, then retryIngestion.",
            None,
        ),
        (
            fails(404, "not_found_error", "model: claude-test"),
            "Claude has no model claude-test (404: model: claude-test). Check LOREGRAPH_CLAUDE_MODEL and LOREGRAPH_ANTHROPIC_URL.",
            None,
        ),
        (
            fails(400, "invalid_request_error", "Your credit balance is too low."),
            "Claude refused the request (400: Your credit balance is too low.).",
            None,
        ),
        (
            refuses("It may be misused."),
            "Claude refused to answer (It may be misused.). Another model may: set LOREGRAPH_CLAUDE_MODEL.",
            "I would rather not.",
        ),
        (
            refuses(),
            "Claude refused to answer (cyber). Another model may: set LOREGRAPH_CLAUDE_MODEL.",
            "I would rather not.",
        ),
    ],
)
async def test_a_refusal_is_final_and_says_what_to_do(
    messages: Messages, claude: Claude, reply: Reply, told: str, raw: str | None
) -> None:
    messages.script = [reply]
    with pytest.raises(ModelRefused) as failure:
        await fill(claude)
    assert (failure.value.message, failure.value.raw) == (told, raw)
    assert failure.value.usage == (Usage() if raw is None else Usage(100, 20))


NO_MESSAGE = "What answered in place of Claude is no message: check LOREGRAPH_ANTHROPIC_URL."


@pytest.mark.parametrize(
    ("reply", "told", "raw"),
    [
        (says(""), "Claude answered nothing.", ""),
        (says("", "max_tokens"), "Claude ran out of tokens before it answered: raise LOREGRAPH_CLAUDE_MAX_TOKENS.", ""),
        (Reply(body=b"<p>Hello</p>", headers={"Content-Type": "text/html"}), NO_MESSAGE, "<p>Hello</p>"),
        (Reply(body=b"{"), NO_MESSAGE, None),
        (Reply(body=b"[5]"), NO_MESSAGE, "[5]"),
    ],
)
async def test_what_is_no_answer_is_unusable(
    messages: Messages, claude: Claude, reply: Reply, told: str, raw: str | None
) -> None:
    messages.script = [reply]
    with pytest.raises(UnusableAnswer) as failure:
        await fill(claude)
    assert (failure.value.message, failure.value.raw) == (told, raw)


async def test_a_text_that_no_json_can_carry_is_sent_all_the_same(messages: Messages, claude: Claude) -> None:
    messages.script = [says({"name": "blue", "shade": None})]
    await claude.fill(Prompt(("x",), "a\ud800b"), Colour, model="claude-test")
    assert messages.requests[0].text == "a?b"


@pytest.mark.parametrize("key", ["sk-1\n", "schlüssel"])
def test_a_key_that_cannot_be_one_is_refused(key: str) -> None:
    with pytest.raises(Misconfigured, match="LOREGRAPH_ANTHROPIC_KEY has characters that no key has"):
        Claude(key, base_url="https://api.anthropic.com", max_tokens=1, timeout=1)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(Misconfigured, match="LOREGRAPH_ANTHROPIC_URL is not a URL"):
        Claude("sk-1", base_url="api.anthropic.com", max_tokens=1, timeout=1)
