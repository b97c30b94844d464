"""Sources: the files that the command line is pointed at.

A document's title is its path within the folder that was named, or the name of the file. Its uri is that of the file, by
which a changed file is known again; with --uri-prefix it is the prefix and that path, and does not say where the file lies.
In folders, names choose what is read; what a file is, its content tells. A file of JSON that is named itself holds many
documents, each an object with title, text and, if need be, uri and mimeType. Only regular files are read.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from server.errors import BadUserInput, LimitExceeded
from server.services.formats import open_regular, read_regular

__all__ = ["KNOWN", "Found", "Source", "find"]

CLAIMS = {
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
KNOWN = ", ".join(CLAIMS)
LISTS = (".json", ".jsonl")
STDIN = "-"
_URI_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class Source:
    """A file that is there to be read. `path` is as the caller wrote it, `claimed` what its name says of its type."""

    path: str
    title: str
    claimed: str | None
    uri: str | None
    file: Path | None
    """None stands for standard input, or for `text`."""
    text: str | None = None

    def content(self, limit: int | None = None) -> Path | bytes:
        """Return where the file lies; its bytes where they come in a stream.

        Raises:
            BadUserInput: it cannot be read.
            LimitExceeded: it has more than `limit` bytes.
        """
        try:
            if self.text is not None:
                content: Path | bytes = self.text.encode("utf-8", "surrogatepass")
            elif self.file is None:
                content = sys.stdin.buffer.read(-1 if limit is None else limit + 1)
            else:
                with open_regular(self.file):
                    content = self.file
            size = len(content) if isinstance(content, bytes) else content.stat().st_size
        except OSError as error:
            raise BadUserInput(f"It cannot be read: {error.strerror}.") from error
        if limit is not None and size > limit:
            raise LimitExceeded(f"It is too large: at most {limit:,} bytes are read (LOREGRAPH_MAX_UPLOAD).")
        return content


@dataclass(frozen=True, slots=True)
class Found:
    """The sources that paths lead to, and how many files of folders were passed over."""

    sources: list[Source]
    skipped: int


def find(paths: Sequence[str], uri_prefix: str | None = None, host: str = "") -> Found:
    """Return the files at some paths: those named, folders with all that they hold, and "-" for standard input.

    `host` names this machine in the uris of files, for a server that takes those of several. In folders, files of other
    suffixes and hidden ones are passed over, and links to folders are not followed. A file that is named itself is taken
    whatever its suffix; of .json and .jsonl each document that it lists.

    Raises:
        BadUserInput: a path leads nowhere or to no regular file, or a list of documents is wrong.
    """
    sources: list[Source] = []
    skipped = 0
    for given in dict.fromkeys(paths):
        path = Path(given)
        if given == STDIN:
            sources.append(Source(given, "standard input", None, None, None))
        elif path.is_dir():
            for file in _walk(path):
                if file.suffix.lower() in CLAIMS:
                    sources.append(_source(file, file.relative_to(path).as_posix(), uri_prefix, host))
                else:
                    skipped += 1
        elif not path.exists():
            raise BadUserInput(f"{given}: there is no such file or folder.")
        elif not path.is_file():
            raise BadUserInput(
                f"{given}: it is no regular file. What a pipe has to say is read from standard input: -."
            )
        elif path.suffix.lower() in LISTS:
            sources += _listed(path)
        else:
            sources.append(_source(path, path.name, uri_prefix, host))
    return Found(sources, skipped)


def _listed(path: Path) -> Iterator[Source]:
    """Yield the documents of a file of JSON: an array of objects, or one object a line."""
    try:
        content = read_regular(path).removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise BadUserInput(f"{path}: it cannot be read: {error.strerror}.") from error
    array = path.suffix.lower() == ".json"
    for number, row in enumerate(_array(path, content) if array else _lines(path, content), start=1):
        yield _from_row(path, number, row, "document" if array else "line")


def _array(path: Path, content: bytes) -> Iterator[Any]:
    try:
        yield from json.loads(content.decode())
    except (ValueError, TypeError, RecursionError) as error:
        raise BadUserInput(f"{path}: it is no JSON array of documents, nor one JSON object a line: {error}.") from error


def _lines(path: Path, content: bytes) -> Iterator[Any]:
    for number, line in enumerate(content.splitlines(), start=1):  # of bytes, for a string may hold U+2028
        try:
            yield json.loads(line.decode())
        except json.JSONDecodeError as error:
            told = f"{error.msg.removesuffix(' at')} at column {error.colno}"
            raise BadUserInput(f"{path}: line {number} is no JSON object: {told}.") from error
        except (ValueError, RecursionError) as error:
            raise BadUserInput(f"{path}: line {number} is no JSON object: {error}.") from error


def _from_row(path: Path, number: int, row: Any, kind: str) -> Source:
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in ("title", "text")):
        raise BadUserInput(f"{path}: {kind} {number} has no title and text: give each an object with these two.")
    uri, claimed = row.get("uri"), row.get("mimeType", "text/plain")
    if not isinstance(uri, str | None) or not isinstance(claimed, str):
        raise BadUserInput(f"{path}: {kind} {number}: uri and mimeType have to be strings, where they are given.")
    return Source(f"{path}:{number}", row["title"], claimed, uri, None, row["text"])


def _source(file: Path, title: str, uri_prefix: str | None, host: str) -> Source:
    uri = _uri(file, host) if uri_prefix is None else uri_prefix + quote(os.fsencode(title))
    title = title.encode("utf-8", "replace").decode()  # a file's name need not be UTF-8, a title has to be
    return Source(str(file), title, CLAIMS.get(file.suffix.lower()), uri, file)


def _uri(file: Path, host: str) -> str | None:
    """Return the uri of a file (RFC 8089); None where it would be longer than one may be, or for what is no lasting file."""
    uri = f"file://{host}{quote(os.path.abspath(os.fsencode(file)))}"
    return uri if file.is_file() and len(uri) <= _URI_LIMIT else None


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and all folders in it, in the order of their names."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(here) / name for name in sorted(files) if not name.startswith("."))
