"""What type a file has by its first bytes. A sender's claim decides only where text is text: plain, Markdown, a piece of HTML.

Whether the rest of the file keeps what its beginning promises shows when it is read.
"""

from __future__ import annotations

import codecs
import re

from server.errors import BadUserInput
from server.services.formats.types import DOCX, HTML, MARKDOWN, PDF, PLAIN, bare_type

__all__ = ["HEAD", "byte_order_mark", "sniff"]

HEAD = 65_536
"""So many bytes are enough to tell the type of a file."""

_TAKEN = "Plain text, Markdown, HTML, PDF and Word files (.docx) are read."
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_MARKS = (  # the longer ones first: that of UTF-32-LE begins with that of UTF-16-LE
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_KNOWN = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"{\\rtf", "a file in Rich Text Format"),
    (b"%!PS", "a PostScript file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"SQLite format 3\x00", "a SQLite database"),
)
_BEFORE = r"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,4000}?-->\s*)*"
_PAGE = re.compile(
    _BEFORE + r"(?:<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]|<title>|<meta\s)",
    re.I | re.S,
)
_PIECE = re.compile(
    _BEFORE + r"<(?:h[1-6]|p|div|table|ul|ol|article|section|main|header|nav|span)(?:\s[^<>]{0,500})?>", re.I | re.S
)
"""The beginning of a piece of a page. Markdown may begin so too, and has its own headings or fences further down."""
_MARKDOWN = re.compile(r"^(?:#{1,6} |```|~~~)", re.M)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_ENTRY = re.compile(rb"PK\x03\x04.{22}(..)..(.{1,80})", re.S)


def sniff(head: bytes, claimed: str | None) -> str:
    """Return the type of a file that begins with `head` (`HEAD` bytes, or all of it): one of MIME_TYPES.

    `claimed` is a media type, with or without parameters. It tells Markdown from plain text, and a piece of HTML that
    does not begin with an element from both.

    Raises:
        BadUserInput: the file is empty, of a type that is not read, or no text.
    """
    if not head:
        raise BadUserInput("The file is empty: send one that has text.")
    if head.lstrip(codecs.BOM_UTF8 + b" \t\r\n\f").startswith(b"%PDF-"):
        return PDF
    if head.startswith(_ZIP):
        return _zipped(head)
    if head.startswith(_OLD_OFFICE):
        raise BadUserInput(_encrypted_or_old(head))
    for mark, name in _KNOWN:
        if head.startswith(mark):
            raise BadUserInput(f"The file is {name}. {_TAKEN}")
    if byte_order_mark(head) is None and _CONTROLS.search(head):
        return _behind_rubbish(head)
    text = _legible(head)
    claim = bare_type(claimed)
    marked = claim in (MARKDOWN, "text/x-markdown")
    piece = claim in (HTML, "application/xhtml+xml") and re.match(r"[^<]{0,2000}</?[a-z!]", text, re.I)
    unclaimed = not marked and _PIECE.match(text) and not _MARKDOWN.search(text)
    if _PAGE.match(text) or piece or unclaimed:
        return HTML
    return MARKDOWN if marked else PLAIN


def byte_order_mark(head: bytes) -> tuple[bytes, str] | None:
    """Return the byte-order mark that a file begins with and the encoding it names."""
    return next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), None)


def _legible(head: bytes) -> str:
    mark = byte_order_mark(head)
    encoding = mark[1] if mark else "utf-8"
    return head[len(mark[0]) if mark else 0 :].decode(encoding, "replace")


def _zipped(head: bytes) -> str:
    names = [entry[2][: int.from_bytes(entry[1], "little")] for entry in _ENTRY.finditer(head)]
    if any(name.startswith(b"word/") for name in names):
        return DOCX
    for folder, kind in ((b"xl/", "an Excel workbook"), (b"ppt/", "a PowerPoint presentation")):
        if any(name.startswith(folder) for name in names):
            raise BadUserInput(f"The file is {kind}: save it as PDF. {_TAKEN}")
    if names and names[0] == b"mimetype":
        raise BadUserInput(f"The file is an OpenDocument or EPUB file: save it as .docx or PDF. {_TAKEN}")
    if any(name.startswith((b"[Content_Types]", b"_rels/", b"docProps/", b"customXml/")) for name in names):
        return DOCX
    raise BadUserInput(f"The file is a ZIP archive: send the files in it one by one. {_TAKEN}")


def _encrypted_or_old(head: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in head:
        return "The Word file is protected by a password: send it without one."
    return (
        "The file is protected by a password or is of Office before 2007 (.doc): save it as .docx, without a password."
    )


def _behind_rubbish(head: bytes) -> str:
    """A PDF may have up to 1,024 bytes of anything before its header."""
    if b"%PDF-" in head[:1024]:
        return PDF
    raise BadUserInput(
        f"The file is no text, and of no type that is read. {_TAKEN} Text in UTF-16 needs a byte-order mark."
    )
