"""A local server that speaks the Messages API, and that of Message Batches, as scripted: answers of all kinds, refusals, failures,
and silence; it keeps what it was asked.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

USAGE = {"input_tokens": 100, "output_tokens": 20}
NOTHING: dict[str, Any] = {"entities": [], "facts": [], "relationships": []}


@dataclass(frozen=True)
class Reply:
    """One scripted answer, after a `delay`. `cut` ends the connection after so many bytes of the body; `stall` never answers.

    In a batch, `result` says what becomes of the request.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    stall: bool = False
    delay: float = 0
    result: str = "succeeded"


@dataclass(frozen=True)
class Request:
    """What was asked: the request line, the headers in lower case, and the body."""

    line: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> list[str]:
        return [block["text"] for block in self.body["system"]]

    @property
    def text(self) -> str:
        """What the user's message says."""
        return str(self.body["messages"][0]["content"])

    @property
    def chunk(self) -> str:
        """The document's text between its bounds."""
        found = re.search(r"<(text-[0-9a-f]+)>\n(.*)\n</\1>", self.text, re.DOTALL)
        assert found is not None
        return found[2]


def says(answer: Any, stop: str = "end_turn", usage: dict[str, int] | None = None, **more: Any) -> Reply:
    """A message whose text is `answer`, as JSON unless it is a text already."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": USAGE if usage is None else usage,
        **more,
    }
    return Reply(body=json.dumps(message).encode())


def fenced(answer: Any) -> Reply:
    """A message that puts its JSON into a fence, among prose."""
    return says(
        f"Here is what the text says:\n\n```json\n{json.dumps(answer, indent=1)}\n```\n\nI hope that helps {{you}}!"
    )


def cut_off(answer: Any, before: str) -> Reply:
    """A message that the limit of tokens ends right before `before`."""
    return says(json.dumps(answer).partition(before)[0], "max_tokens")


def refuses(explanation: str | None = None) -> Reply:
    details = {"type": "refusal", "category": "cyber", "explanation": explanation}
    return says("I would rather not.", "refusal", stop_details=details)


def fails(status: int, kind: str, message: str, **headers: str) -> Reply:
    error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps(error).encode(), named)


def busy(retry_after: str | None = None) -> Reply:
    headers = {} if retry_after is None else {"Retry_After": retry_after}
    return fails(429, "rate_limit_error", "Number of requests has exceeded your limit.", **headers)


OVERLOADED = fails(529, "overloaded_error", "Overloaded")
BROKEN = fails(500, "api_error", "Internal server error")
BAD_KEY = fails(401, "authentication_error", "invalid x-api-key")
HANGS_UP = Reply(body=says(NOTHING).body, cut=40)
STALLS = Reply(stall=True)
EXPIRED = Reply(result="expired")
CANCELED = Reply(result="canceled")


@dataclass
class Batch:
    """A batch that was submitted: its requests and what becomes of each, by name; `looks` more find it in progress."""

    id: str
    requests: dict[str, Request]
    replies: dict[str, Reply]
    looks: int
    cancelled: bool = False
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def chunks(self) -> list[str]:
        """The chunks that are asked about, in order."""
        return [request.chunk for request in self.requests.values()]

    @property
    def message(self) -> dict[str, Any]:
        state = "ended" if self.looks <= 0 else "canceling" if self.cancelled else "in_progress"
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": state,
            "request_counts": counts | {"succeeded" if state == "ended" else "processing": len(self.requests)},
            "created_at": self.created_at.isoformat(),
            "expires_at": (self.created_at + timedelta(days=1)).isoformat(),
            "results_url": f"https://elsewhere.invalid/v1/messages/batches/{self.id}/results",
        }

    @property
    def results(self) -> bytes:
        """What it answered, last request first."""
        lines = [{"custom_id": name, "result": _result(reply)} for name, reply in self.replies.items()]
        return b"".join(json.dumps(line).encode() + b"\n" for line in reversed(lines))


def _result(reply: Reply) -> dict[str, Any]:
    if reply.result != "succeeded":
        return {"type": reply.result}
    if reply.status != 200:
        return {"type": "errored", "error": json.loads(reply.body)}
    return {"type": "succeeded", "message": json.loads(reply.body)}


class Messages:
    """The server. `answer` replies to a request for which neither `script`, in order, nor `about` has a reply.

    `about` holds, under words of a chunk, the replies to the requests that quote it, in order; the last one stays.
    `most` is how many were ever answered at once.
    """

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Request] = []
        self._under_way = self.most = 0
        self.script: list[Reply] = []
        self.about: dict[str, list[Reply]] = {}
        self.batches: dict[str, Batch] = {}
        self.about_batches: list[Reply | None] = []
        self.looks, self.lists = 1, True
        self.calls: list[str] = []
        self.answer: Callable[[Request], Reply] = lambda _request: says(NOTHING)

    def _reply(self, request: Request) -> Reply:
        if self.script:
            return self.script.pop(0)
        for words, replies in self.about.items():
            if words in request.chunk:
                return replies.pop(0) if len(replies) > 1 else replies[0]
        return self.answer(request)

    def _about_batches(self, request: Request) -> Reply:
        """Answer a request that is about a batch. One that is submitted is there also where the answer does not come."""
        verb, path, _ = request.line.split()
        path, _, query = path.partition("?")
        id, _, what = path.removeprefix("/v1/messages/batches").strip("/").partition("/")
        self.calls.append(what or ("submit" if verb == "POST" else "look" if id else "list"))
        scripted = self.about_batches.pop(0) if self.about_batches else None
        if not id and verb == "GET":
            missing = None if self.lists else fails(404, "not_found_error", "Not found")
            return scripted or missing or self._listed(parse_qs(query))
        if not id:
            if scripted is not None and scripted.status != 200:
                return scripted
            id = f"msgbatch_{len(self.batches) + 1}"
            asked = {one["custom_id"]: Request("", {}, one["params"]) for one in request.body["requests"]}
            self.batches[id] = Batch(id, asked, {name: self._reply(one) for name, one in asked.items()}, self.looks)
        batch = self.batches.get(id)
        if scripted is not None:
            return scripted
        if batch is None:
            return fails(404, "not_found_error", "No such batch.")
        if what == "cancel":
            batch.cancelled = True
        if what == "results":
            return Reply(body=batch.results)
        reply = Reply(body=json.dumps(batch.message).encode())
        batch.looks -= verb == "GET"
        return reply

    def _listed(self, asked: dict[str, list[str]]) -> Reply:
        """Answer with a page of the batches, the newest first; who lists them has looked at each."""
        batches = list(reversed(self.batches.values()))
        names = [batch.id for batch in batches]
        start = names.index(asked["after_id"][0]) + 1 if "after_id" in asked else 0
        end = start + int(asked["limit"][0])
        page = [batch.message for batch in batches[start:end]]
        for batch in batches[start:end]:
            batch.looks -= 1
        ids = {"first_id": page[0]["id"] if page else None, "last_id": page[-1]["id"] if page else None}
        return Reply(body=json.dumps({"data": page, "has_more": end < len(names), **ids}).encode())

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client hung up, or the test is over
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:-2])}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Request(head[0], headers, json.loads(content or b"{}"))
        if "/batches" in request.line:
            reply = self._about_batches(request)
        else:
            self.requests.append(request)
            reply = self._reply(request)
        if reply.stall:
            await reader.read()  # until the client gives up
            return False
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        await asyncio.sleep(reply.delay)
        self._under_way -= 1
        fields = {"Content-Type": "application/json", "Content-Length": str(len(reply.body)), **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} X", *(f"{name}: {value}" for name, value in fields.items())]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + reply.body[: reply.cut])
        await writer.drain()
        return reply.cut is None


@asynccontextmanager
async def serving_messages() -> AsyncIterator[Messages]:
    """Run the server on a free port."""
    messages = Messages()
    server = await asyncio.start_server(messages.serve, "127.0.0.1", 0)
    messages.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield messages
    server.close()
    await server.wait_closed()
