"""The body of a form with one file (multipart/form-data, RFC 7578), as it arrives: piece by piece, none of it kept.

Clients begin with the boundary and send one part; whatever is more, or other, is refused as soon as it is seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from server.errors import BadUserInput

__all__ = ["FileForm", "boundary_of"]

HEAD_LIMIT = 8_192
_BOUNDARY = re.compile(r';\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)', re.I)
_FILE_NAME = re.compile(r""";\s*filename(?:=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s";]+))|\*=utf-8'[^']*'([^\s";]+))""", re.I)
_ENDS = b"\r\n"


def boundary_of(content_type: str) -> bytes:
    """Return the boundary that a Content-Type header names.

    Raises:
        BadUserInput: it names none.
    """
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise BadUserInput("The form's Content-Type names no boundary.")
    return (found[1] or found[2]).encode()


class FileForm:
    """Takes the pieces of a form's body and gives those of its file. `name` and `claimed` are known with the first of them."""

    def __init__(self, boundary: bytes) -> None:
        self.name: str | None = None
        self.claimed: str | None = None
        self._mark = _ENDS + b"--" + boundary
        self._rest = bytearray(_ENDS)  # as if a line had ended before the first boundary
        self._step: Callable[[], bytes | None] = self._opening

    def feed(self, piece: bytes) -> bytes:
        """Return the bytes of the file that a piece of the body completes.

        Raises:
            BadUserInput: the body is no form with one file.
        """
        self._rest += piece
        given = b""
        while (found := self._step()) is not None:
            given += found
        return given

    def end(self) -> None:
        """Say that the body has ended.

        Raises:
            BadUserInput: the form has not.
        """
        if self._step != self._closed:
            raise BadUserInput("The form ends before its last boundary.")

    # Each step takes what it can from `_rest`: None where it needs more, else the bytes of the file that it found.

    def _opening(self) -> bytes | None:
        if len(self._rest) < len(self._mark):
            return None
        if not self._rest.startswith(self._mark):
            raise BadUserInput("The form does not begin with its boundary.")
        del self._rest[: len(self._mark)]
        self._step = self._head
        return b""

    def _head(self) -> bytes | None:
        end = self._rest.find(_ENDS * 2, 0, HEAD_LIMIT)
        if end < 0:
            if len(self._rest) >= HEAD_LIMIT:
                raise BadUserInput(f"The head of the form's part is over {HEAD_LIMIT:,} bytes.")
            if self._rest.startswith(b"--"):
                raise BadUserInput("The form has no file.")
            return None
        self._read_head(self._rest[: end + len(_ENDS)].decode("utf-8", "replace"))
        del self._rest[: end + 2 * len(_ENDS)]
        self._step = self._content
        return b""

    def _read_head(self, head: str) -> None:
        if not head.startswith("\r\n"):
            raise BadUserInput("The form's boundary does not stand on a line of its own.")
        fields = dict(_field(line) for line in head.split("\r\n")[1:])
        disposition = fields.get("content-disposition", "")
        named = _FILE_NAME.search(disposition)
        if not disposition.lower().startswith("form-data") or named is None:
            raise BadUserInput(
                "The form has a field that is no file. Send one file; volume and name go into the address."
            )
        if fields.get("content-transfer-encoding", "binary").lower() not in ("binary", "7bit", "8bit"):
            raise BadUserInput("The form's file is encoded. Send its bytes as they are.")
        self.name = (
            re.sub(r'\\(["\\])', r"\1", named[1] or "").replace("%22", '"') or named[2] or unquote(named[3] or "")
        )
        self.claimed = fields.get("content-type")

    def _content(self) -> bytes | None:
        end = self._rest.find(self._mark)
        if end >= 0:
            self._step = self._after
            return self._take(end, drop=len(self._mark))
        sure = len(self._rest) - len(self._mark) + 1
        return self._take(sure) if sure > 0 else None

    def _take(self, count: int, drop: int = 0) -> bytes:
        taken = bytes(self._rest[:count])
        del self._rest[: count + drop]
        return taken

    def _after(self) -> bytes | None:
        if len(self._rest) < 2:
            return None
        if not self._rest.startswith(b"--"):
            raise BadUserInput("The form has more than one part. Send one file; volume and name go into the address.")
        self._step = self._closed
        return b""

    def _closed(self) -> bytes | None:
        self._rest.clear()  # what follows the last boundary means nothing
        return None


def _field(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()
