"""From the bytes of a file to its text, by the type of the file. Blocking; the libraries are loaded when first needed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from server.errors import BadUserInput, LimitExceeded
from server.services.formats.decoding import as_text, decode
from server.services.formats.types import DOCX, HTML, PDF, Converted

__all__ = ["Allowed", "checked", "convert"]

_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_NOT_IN_NAMES = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LONGEST_TITLE = 300
_BLANK = "The file has no text: there is nothing to read."


@dataclass(frozen=True, slots=True)
class Allowed:
    """The most pages a PDF may have, bytes a Word file may unpack to, and characters of text that may come out."""

    pages: int
    unpacked: int
    characters: int


def convert(data: bytes, mime_type: str, claimed: str | None, allowed: Allowed) -> Converted:
    """Return what a file of a type that `sniff` told says.

    Raises:
        BadUserInput: it is encrypted, broken or without text.
        LimitExceeded: it has more pages or text, or unpacks to more, than is allowed.
    """
    if mime_type == PDF:
        from server.services.formats.pdf import read_pdf

        title, text = read_pdf(data, allowed.pages, allowed.characters)
    elif mime_type == DOCX:
        from server.services.formats.docx import read_docx

        title, text = read_docx(data, allowed.unpacked)
    elif mime_type == HTML:
        from server.services.formats.html import read_page

        title, text = read_page(decode(data, mime_type, claimed))
    else:
        return checked(as_text(decode(data, mime_type, claimed), mime_type), allowed.characters)
    return checked(Converted(_UNSTORABLE.sub("", text), mime_type, title), allowed.characters)


def checked(found: Converted, characters: int) -> Converted:
    """Return what was found, if it says something and not too much; its title in one line that can be stored.

    Raises:
        BadUserInput: it has no letter or digit.
        LimitExceeded: it has more characters than are allowed.
    """
    if not re.search(r"[^\W_]", found.text):
        raise BadUserInput(_BLANK)
    if len(found.text) > characters:
        raise LimitExceeded(
            f"The file has {len(found.text):,} characters of text; at most {characters:,} are read. Send it in parts."
        )
    return replace(found, title=_one_line(found.title or ""))


def _one_line(title: str) -> str | None:
    said = " ".join(_NOT_IN_NAMES.sub(" ", title).split())[:_LONGEST_TITLE].rstrip()
    return said if re.search(r"[^\W_]", said) else None
