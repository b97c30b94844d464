"""What passes between the server and the process that reads files is data from outside, on both sides."""

from __future__ import annotations

import io

import pytest
from files import docx, p

from server.errors import BadUserInput, LimitExceeded, UpstreamUnavailable
from server.services.formats.conversion import Allowed, convert
from server.services.formats.converter import _converted
from server.services.formats.frames import receive, send
from server.services.formats.types import DOCX, HTML, PLAIN, Converted

ALLOWED = Allowed(pages=10, unpacked=1_000_000, characters=1_000)


def test_a_frame_comes_back_as_it_was_sent() -> None:
    stream = io.BytesIO()
    send(stream, {"title": "Zoë \ud800"}, b"\x00body")
    send(stream, {})
    stream.seek(0)
    assert receive(stream) == ({"title": "Zoë \ud800"}, b"\x00body")
    assert receive(stream, 2) == ({}, b"")
    assert receive(stream) is None


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\x00" * 15,
        b"\x00" * 7 + b"\x05" + b"\x00" * 8 + b"{}",
        b"\x00" * 7 + b"\x02" + b"\x00" * 7 + b"\x01" + b"{}",
        b"\x00" * 7 + b"\x02" + b"\x00" * 8 + b"{[",
        b"\x00" * 7 + b"\x02" + b"\x00" * 8 + b"[]",
        b"\xff" * 16,
        b"\x00" * 6 + b"\x01\x00" + b"\x00" * 8 + b" " * 256,
    ],
)
def test_what_is_no_frame_or_too_long_is_none(sent: bytes) -> None:
    assert receive(io.BytesIO(sent), 100) is None


def test_an_answer_is_taken_by_its_form() -> None:
    assert _converted({"text": "a", "title": None, "mime_type": "x/y"}, PLAIN) == Converted("a", PLAIN)
    with pytest.raises(LimitExceeded, match=r"^Too much$"):
        _converted({"refused": "LIMIT_EXCEEDED", "message": "Too much"}, PLAIN)
    with pytest.raises(BadUserInput, match=r"^No$"):
        _converted({"refused": "BAD_USER_INPUT", "message": "No"}, PLAIN)
    with pytest.raises(UpstreamUnavailable, match=r"^The file could not be opened: gone$"):
        _converted({"refused": "INTERNAL", "message": "gone"}, PLAIN)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"text": 5, "title": None},
        {"text": "a\x00", "title": None},
        {"text": "a", "title": "\udc00"},
        {"refused": "x", "message": "y"},
    ],
)
def test_any_other_answer_is_a_defect_of_the_file(answer: dict[str, object]) -> None:
    with pytest.raises(BadUserInput, match=r"^The file could not be read: it is broken\."):
        _converted(answer, PLAIN)


def test_what_cannot_be_stored_is_no_part_of_text_or_title() -> None:
    page = "<title>A\x01cme\x9f  plan&#xfffe;</title><p>Ada\x02 is\x0b CTO\x7f."
    assert convert(page.encode(), HTML, None, ALLOWED) == Converted("Ada is CTO.\n", HTML, "A cme plan")


def test_a_title_is_one_short_line_that_says_something() -> None:
    assert convert(f"<title>{'word ' * 100}</title>a".encode(), HTML, None, ALLOWED).title == ("word " * 60).rstrip()
    assert convert(b"<title> -- </title>a", HTML, None, ALLOWED).title is None


def test_text_that_says_nothing_or_too_much_is_refused() -> None:
    for file, kind in ((b"_-_", PLAIN), (b"<p>...", HTML), (docx(p("")), DOCX)):
        with pytest.raises(BadUserInput, match=r"^The file has no text: there is nothing to read.$"):
            convert(file, kind, None, ALLOWED)
    assert len(convert(b"x" * 1000, PLAIN, None, ALLOWED).text) == 1000
    with pytest.raises(
        LimitExceeded, match=r"^The file has 1,001 characters of text; at most 1,000 are read. Send it in parts.$"
    ):
        convert(b"x" * 1001, PLAIN, None, ALLOWED)
