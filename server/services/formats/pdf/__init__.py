"""PDF files: their text in reading order as Markdown. PDFium reads the file; order, tables and headings are found here.

Left out are page numbers, heads and feet that run through the pages, and text at an angle. Pictures of text are not read.
"""

from __future__ import annotations

import re

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from server.errors import BadUserInput, LimitExceeded
from server.services.formats.pdf.glyphs import UNMAPPED, words_by_turn
from server.services.formats.pdf.grids import ruled_tables
from server.services.formats.pdf.layout import Region, between_rules, regions
from server.services.formats.pdf.lines import segments
from server.services.formats.pdf.prose import Type, markdown
from server.services.formats.pdf.repetition import Page, without_repetition
from server.services.formats.pdf.rules import rules

__all__ = ["read_pdf"]

_END = 4096
_MADE_UP = re.compile(
    r"microsoft (?:word|powerpoint|excel)|untitled|document\d*$|.*\.(?:docx?|pdf|tex|dvi|indd|pptx?|xlsx?|odt|rtf|html?)$",
    re.I,
)
_BROKEN = "The PDF is broken{}: open it in a viewer and print it to a new PDF."


def read_pdf(data: bytes, most_pages: int, most_characters: int) -> tuple[str | None, str]:
    """Return the title of a PDF, where it has one, and its text as Markdown.

    Raises:
        BadUserInput: it is encrypted, broken or has no text.
        LimitExceeded: it has more pages or characters than are allowed.
    """
    document = _opened(data)
    try:
        return _read(document, most_pages, most_characters)
    finally:
        document.close()


def _read(document: pdfium.PdfDocument, most_pages: int, most_characters: int) -> tuple[str | None, str]:
    if len(document) > most_pages:
        raise LimitExceeded(f"The PDF has {len(document):,} pages; at most {most_pages:,} are read. Send it in parts.")
    if not len(document):
        raise BadUserInput(_BROKEN.format(""))
    pages: list[Page] = []
    characters = 0
    for at in range(len(document)):
        pages.append(_page(document, at))
        characters += sum(len(word.text) for word in pages[-1].words)
        if characters > most_characters:
            raise LimitExceeded(f"The PDF has more than {most_characters:,} characters of text. Send it in parts.")
    _demand_text(pages)
    found = [_regions(page) for page in without_repetition(pages)]
    text = markdown(found, Type(region for page in found for region in page))
    title = document.get_metadata_value("Title").strip()
    if not title or _MADE_UP.match(title):
        title = text.partition("\n")[0][2:] if text.startswith("# ") else ""
    return title or None, text


def _opened(data: bytes) -> pdfium.PdfDocument:
    if not re.search(rb"%%EOF|startxref", data[-_END:].rstrip(b"\x00\r\n \t") or data):
        raise BadUserInput(_BROKEN.format(", its end is missing"))
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise BadUserInput("The PDF is protected by a password: send it without one.") from error
        raise BadUserInput(_BROKEN.format("")) from error


def _page(document: pdfium.PdfDocument, at: int) -> Page:
    try:
        page = document[at]
    except pdfium.PdfiumError as error:
        raise BadUserInput(_BROKEN.format(f", page {at + 1} cannot be read")) from error
    try:
        box = page.get_cropbox()
        turns = words_by_turn(page.raw, box)
        if not turns:
            return Page([], [], [], box[3] - box[1], _has_picture(page))
        main = max(turns, key=lambda turn: sum(len(word.text) for word in turns[turn]))
        others = [turns[turn] for turn in sorted(turns) if turn != main]
        height = box[3] - box[1] if main % 2 == 0 else box[2] - box[0]
        return Page(turns[main], others, rules(page.raw, main, box), height)
    finally:
        page.close()


def _has_picture(page: pdfium.PdfPage) -> bool:
    count = min(raw.FPDFPage_CountObjects(page.raw), 1000)
    kinds = {raw.FPDFPageObj_GetType(raw.FPDFPage_GetObject(page.raw, at)) for at in range(count)}
    return bool(kinds & {raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM})


def _demand_text(pages: list[Page]) -> None:
    letters = "".join(word.text for page in pages for word in page.words)
    if not letters:
        if any(page.pictures for page in pages):
            raise BadUserInput("The PDF has pictures of text and no text: run text recognition (OCR) over it first.")
        raise BadUserInput("The PDF has no text: there is nothing to read.")
    if letters.count(UNMAPPED) > 0.3 * len(letters):
        raise BadUserInput(
            "The PDF does not say which letters its glyphs are: print it to a new PDF, or run text recognition (OCR) over it."
        )


def _regions(page: Page) -> list[Region]:
    said = [word for word in page.words if word.text.strip(UNMAPPED)]  # the others are icons
    tables, words = ruled_tables(said, page.rules)
    found = between_rules([*segments(words), *tables], page.rules)
    return [region for some in (found, *map(segments, page.turned)) if some for region in regions(some)]
