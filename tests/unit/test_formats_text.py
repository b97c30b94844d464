"""What a file is by its content, and how bytes become text."""

from __future__ import annotations

import codecs

import pytest
from files import docx, p, pdf, text_page
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadUserInput
from server.services.formats import MIME_TYPES, sniff, text_kind
from server.services.formats.decoding import as_text, decode, decode_unicode
from server.services.formats.types import DOCX, HTML, MARKDOWN, PDF, PLAIN, Converted

TAKEN = "Plain text, Markdown, HTML, PDF and Word files (.docx) are read."


@pytest.mark.parametrize(
    ("head", "claimed", "mime_type"),
    [
        (b"Ada is CTO.", None, PLAIN),
        (b"# Ada", None, PLAIN),
        (b"# Ada", "text/markdown; charset=utf-8", MARKDOWN),
        (b"# Ada", "text/x-markdown", MARKDOWN),
        (b"# Ada", "application/octet-stream", PLAIN),
        (b"<p align=center>Acme</p>\n\n# Acme", "text/markdown", MARKDOWN),
        (b"<p align=center>Acme</p>\n\n# Acme", None, PLAIN),
        (b"<h1>Acme</h1><p>Ann Lee works at Acme Corp.</p>", None, HTML),
        (b"<div class='x'>Acme</div>", "application/octet-stream", HTML),
        (b"<p>Acme</p>", "text/markdown", MARKDOWN),
        (b"<prompt> is what the shell shows", None, PLAIN),
        (b"<p>Ada", "text/html", HTML),
        (b"<p>Ada", None, HTML),
        (b"Ada", "text/html", PLAIN),
        (b"1 < 2", "text/html", PLAIN),
        (b"\n <!DOCTYPE html>\n<html>", None, HTML),
        (b"<!-- saved -->\n<!doctype HTML>", "text/plain", HTML),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', "text/markdown", HTML),
        (b'<?xml version="1.0"?><note/>', None, PLAIN),
        (codecs.BOM_UTF8 + b"<html>", None, HTML),
        ("<html>".encode("utf-16"), None, HTML),
        ("Ada".encode("utf-16"), "text/markdown", MARKDOWN),
        ("Ada".encode("utf-32"), None, PLAIN),
        ("Zoë".encode("cp1252"), None, PLAIN),
        (b"\x1b[1mbold\x1b[0m", None, PLAIN),
        (b"%PDF-1.7\n%\xe2\xe3", "text/plain", PDF),
        (b"\r\n%PDF-1.4", None, PDF),
        (b"\x00\x01rubbish\n%PDF-1.4", None, PDF),
        (b"A file begins with %PDF-1.7.", None, PLAIN),
        (docx(p("Ada")), "application/pdf", DOCX),
        (pdf(text_page("Ada")), "text/html", PDF),
    ],
)
def test_a_file_has_the_type_of_its_content(head: bytes, claimed: str | None, mime_type: str) -> None:
    assert sniff(head, claimed) == mime_type
    assert mime_type in MIME_TYPES


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"", "The file is empty: send one that has text."),
        (b"\x89PNG\r\n\x1a\n\x00", f"The file is a PNG image. {TAKEN}"),
        (b"{\\rtf1 Ada}", f"The file is a file in Rich Text Format. {TAKEN}"),
        (b"\x1f\x8b\x08\x00", f"The file is a gzip archive. {TAKEN}"),
        (
            b"PK\x03\x04" + bytes(22) + b"\x05\x00\x00\x00a.txt",
            f"The file is a ZIP archive: send the files in it one by one. {TAKEN}",
        ),
        (
            b"PK\x03\x04" + bytes(22) + b"\x0f\x00\x00\x00xl/workbook.xml",
            f"The file is an Excel workbook: save it as PDF. {TAKEN}",
        ),
        (
            b"PK\x03\x04" + bytes(22) + b"\x08\x00\x00\x00mimetype",
            f"The file is an OpenDocument or EPUB file: save it as .docx or PDF. {TAKEN}",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100),
            "The file is protected by a password or is of Office before 2007 (.doc): save it as .docx, without a password.",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "The Word file is protected by a password: send it without one.",
        ),
        (
            b"A\x00d\x00a\x00",
            f"The file is no text, and of no type that is read. {TAKEN} Text in UTF-16 needs a byte-order mark.",
        ),
    ],
)
def test_what_is_not_read_is_named(head: bytes, message: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        sniff(head, "text/plain")
    assert refusal.value.message == message


@given(st.binary(max_size=300), st.none() | st.text(max_size=20))
def test_any_bytes_have_a_type_or_are_refused(head: bytes, claimed: str | None) -> None:
    try:
        found = sniff(head, claimed)
    except BadUserInput:
        return
    assert found in MIME_TYPES


def test_only_plain_text_is_chunked_as_such() -> None:
    assert {mime_type: text_kind(mime_type) for mime_type in MIME_TYPES} == {
        PLAIN: PLAIN,
        MARKDOWN: MARKDOWN,
        HTML: MARKDOWN,
        PDF: MARKDOWN,
        DOCX: MARKDOWN,
    }
    assert text_kind("Text/Plain; charset=utf-8") == PLAIN


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=50))
def test_unicode_with_a_mark_and_utf8_without_come_back_as_they_were(text: str) -> None:
    marked = text.removeprefix("\ufeff")
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert decode_unicode(marked.encode(encoding)) == marked
    if not text.startswith("\ufeff"):
        assert decode_unicode(text.encode()) == text


@pytest.mark.parametrize(
    ("data", "mime_type", "claimed", "text"),
    [
        ("Zoë kostet 5 €".encode("cp1252"), PLAIN, "text/plain; charset=windows-1252", "Zoë kostet 5 €"),
        ("Zoë".encode("latin-1"), HTML, "text/html; charset=ISO-8859-1", "Zoë"),
        ("<meta charset=cp1251>Москва".encode("cp1251"), HTML, None, "<meta charset=cp1251>Москва"),
        ('<meta charset="gb2312">東京'.encode("gb18030"), HTML, "text/html", '<meta charset="gb2312">東京'),
        ("<meta charset=utf-8>Zoë".encode("latin-1"), HTML, None, "<meta charset=utf-8>Zo\ufffd"),
        (
            "Der Käufer überließ Größe und Länge dem Händler. ".encode("cp1252") * 4,
            PLAIN,
            None,
            "Der Käufer überließ Größe und Länge dem Händler. " * 4,
        ),
        (
            "Москва является столицей России. ".encode("cp1251") * 4,
            PLAIN,
            "text/plain; charset=nonsense",
            "Москва является столицей России. " * 4,
        ),
        (
            "東京大学は千八百七十七年に設立された。".encode("shift_jis") * 4,
            PLAIN,
            None,
            "東京大学は千八百七十七年に設立された。" * 4,
        ),
    ],
)
def test_older_encodings_are_declared_or_told_by_their_bytes(
    data: bytes, mime_type: str, claimed: str | None, text: str
) -> None:
    assert decode(data, mime_type, claimed) == text


@pytest.mark.parametrize("name", ["zlib", "hex", "base64", "rot13", "idna", "punycode", "undefined"])
def test_a_declared_coding_that_is_none_of_text_is_passed_over(name: str) -> None:
    data = "Der Käufer überließ Größe und Länge dem Händler. ".encode("cp1252") * 4
    assert decode(data, PLAIN, f"text/plain; charset={name}") == data.decode("cp1252")
    assert decode(b"<html>" + data, HTML, f"text/html; charset={name}") == "<html>" + data.decode("cp1252")


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(128, 256)) * 3 + b"\x81\x8d\x8f",
        "Zażółć gęślą jaźń.".encode("cp1250"),
        "Москва является столицей.".encode("koi8-r"),
        "ירושלים היא בירת ישראל.".encode("cp1255") * 2,
    ],
)
def test_text_is_refused_rather_than_read_in_an_encoding_that_is_only_likely(data: bytes) -> None:
    with pytest.raises(
        BadUserInput, match=r"^The encoding of the text could not be told. Save it as UTF-8, or name its charset.$"
    ):
        decode(data, PLAIN, None)


def test_a_page_that_declares_nothing_is_read_as_browsers_do() -> None:
    assert decode("<p>Zaż".encode("cp1250"), HTML, None) == "<p>Za¿"


def test_a_mark_that_the_bytes_break_is_refused() -> None:
    with pytest.raises(BadUserInput, match=r"^The text is broken: byte 2 is no UTF-16-LE. Save it as UTF-8.$"):
        decode_unicode(codecs.BOM_UTF16_LE + b"A\x00\xd8")


@pytest.mark.parametrize("character", ["\x00", "\ud800"])
def test_text_that_cannot_be_stored_is_refused(character: str) -> None:
    with pytest.raises(
        BadUserInput,
        match=r"^Character 2 of the text is NUL or half a surrogate pair: the file is broken, or no text.$",
    ):
        as_text(f"Ad{character}a", PLAIN)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Acme\n\nText", "Acme"),
        ("\n\n# Acme #\n", "Acme"),
        ("---\ntags: x\n---\n# Acme\r\n", "Acme"),
        ("Text\n\n# Acme", None),
        ("## Acme", None),
        ("#hashtag", None),
    ],
)
def test_markdown_is_called_by_the_heading_it_begins_with(text: str, title: str | None) -> None:
    assert as_text(text, MARKDOWN) == Converted(text.replace("\r\n", "\n"), MARKDOWN, title)
    assert as_text(text, PLAIN).title is None
