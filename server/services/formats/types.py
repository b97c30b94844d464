"""The types of files that are read, and what a file becomes: text of a kind that chunking knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["DOCX", "HTML", "MARKDOWN", "MIME_TYPES", "PDF", "PLAIN", "Converted", "bare_type", "text_kind"]

PLAIN: Final = "text/plain"
MARKDOWN: Final = "text/markdown"
HTML: Final = "text/html"
PDF: Final = "application/pdf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MIME_TYPES: Final = (PLAIN, MARKDOWN, HTML, PDF, DOCX)


@dataclass(frozen=True, slots=True)
class Converted:
    """The text of a file. `mime_type` is that of the file, by its content; `title` is what the file says of itself.

    The text holds neither NUL nor lone surrogates nor "\\r", and shows at least one letter or digit. Of text/plain and
    text/markdown it is the file's own text; of all else it is Markdown without inline markup: headings as #, lists, and
    tables as pipe tables with one row a line.
    """

    text: str
    mime_type: str
    title: str | None = None


def text_kind(mime_type: str) -> str:
    """Return how the text of a file of this type is to be chunked: "text/plain" or "text/markdown"."""
    return PLAIN if bare_type(mime_type) == PLAIN else MARKDOWN


def bare_type(claimed: str | None) -> str:
    """Return a claimed type without its parameters, in lower case; the empty text where there is none."""
    return (claimed or "").partition(";")[0].strip().lower()
