"""What passes between the server and a process that reads files: a JSON head, then bytes.

JSON and not pickle, because the process has read a hostile file and its answer is data from outside.
"""

from __future__ import annotations

import json
from typing import IO, Any

__all__ = ["receive", "send"]

_SIZE = 8


def send(stream: IO[bytes], head: dict[str, Any], body: bytes = b"") -> None:
    """Write one frame.

    Raises:
        OSError: nobody reads.
    """
    packed = json.dumps(head).encode()
    stream.write(len(packed).to_bytes(_SIZE, "big") + len(body).to_bytes(_SIZE, "big") + packed)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes], limit: int | None = None) -> tuple[dict[str, Any], bytes] | None:
    """Read one frame; None where the other side has ended, or sent what is no frame or longer than `limit` bytes."""
    sizes = stream.read(2 * _SIZE)
    if len(sizes) < 2 * _SIZE:
        return None
    head, body = int.from_bytes(sizes[:_SIZE], "big"), int.from_bytes(sizes[_SIZE:], "big")
    if limit is not None and head + body > limit:
        return None
    packed, data = stream.read(head), stream.read(body)
    if len(packed) < head or len(data) < body:
        return None
    try:
        found = json.loads(packed)
    except ValueError:
        return None
    return (found, data) if isinstance(found, dict) else None
