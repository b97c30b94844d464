"""Sources: the texts that the command line is pointed at, named without saying where on this machine they lie.

A document's title is its path within the folder that was named, or the name of the file. It gets a uri only where
--uri-prefix is given: the prefix and that path.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from server.errors import BadUserInput

__all__ = ["Found", "Source", "find"]

MIME_TYPES = {".txt": "text/plain", ".md": "text/markdown", ".markdown": "text/markdown"}
KNOWN = ", ".join(MIME_TYPES)
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Source:
    """A text that is there to be read. `path` is as the caller wrote it; None reads standard input."""

    path: str
    title: str
    mime_type: str
    uri: str | None
    file: Path | None

    def read(self, limit: int) -> str:
        """Return the text, without a byte order mark.

        Raises:
            BadUserInput: it cannot be read, is not UTF-8, or has so many bytes that it exceeds `limit` characters.
        """
        try:
            if self.file is not None and self.file.stat().st_size > 4 * limit + 3:
                raise BadUserInput(f"It is too large: at most {limit:,} characters fit. Split it.")
            content = sys.stdin.buffer.read() if self.file is None else self.file.read_bytes()
        except OSError as error:
            raise BadUserInput(f"It cannot be read: {error.strerror}.") from error
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadUserInput(f"It is not UTF-8: byte {error.start} is no part of a character.") from error


@dataclass(frozen=True, slots=True)
class Found:
    """The sources that paths lead to, and how many files of folders were passed over."""

    sources: list[Source]
    skipped: int


def find(paths: Sequence[str], uri_prefix: str | None = None) -> Found:
    """Return the texts at some paths: files, folders with all that they hold, and "-" for standard input.

    In folders, files of other suffixes and hidden ones are passed over, and links to folders are not followed.

    Raises:
        BadUserInput: a path leads nowhere, or names a file that is no text of ours.
    """
    sources: list[Source] = []
    skipped = 0
    for given in dict.fromkeys(paths):
        path = Path(given)
        if given == STDIN:
            sources.append(Source(given, "standard input", "text/plain", None, None))
        elif path.is_dir():
            for file in _walk(path):
                if file.suffix.lower() in MIME_TYPES:
                    sources.append(_source(file, file.relative_to(path).as_posix(), uri_prefix))
                else:
                    skipped += 1
        elif not path.exists():
            raise BadUserInput(f"{given}: there is no such file or folder.")
        elif path.suffix.lower() not in MIME_TYPES:
            raise BadUserInput(
                f"{given}: only {KNOWN} are read. For plain text of another name: loregraph ingest - < FILE"
            )
        else:
            sources.append(_source(path, path.name, uri_prefix))
    return Found(sources, skipped)


def _source(file: Path, title: str, uri_prefix: str | None) -> Source:
    title = title.encode("utf-8", "replace").decode()  # a file's name need not be UTF-8, a title has to be
    uri = None if uri_prefix is None else uri_prefix + quote(title)
    return Source(str(file), title, MIME_TYPES[file.suffix.lower()], uri, file)


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and all folders in it, in the order of their names."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(here) / name for name in sorted(files) if not name.startswith("."))
