"""A form with one file, whatever pieces it arrives in, and what is no such form."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from schema.multipart import HEAD_LIMIT, FileForm, boundary_of
from server.errors import BadUserInput

HEAD = b'Content-Disposition: form-data; name="file"; filename="cv.pdf"\r\nContent-Type: application/pdf'
NEAR_MISSES = [b"\r\n--b", b"\r\n--", b"\r\n", b"--b", b"\r", b"\n", b"-", b"b", b"--b--", b"text", b"\x00"]


def form(content: bytes, head: bytes = HEAD, boundary: bytes = b"boundary") -> bytes:
    return b"--%b\r\n%b\r\n\r\n%b\r\n--%b--\r\n" % (boundary, head, content, boundary)


def read(pieces: Sequence[bytes], boundary: bytes = b"boundary") -> FileForm:
    """Read a whole form; what its file holds is kept as `content`."""
    body = FileForm(boundary)
    body.content = b"".join(body.feed(piece) for piece in pieces)  # type: ignore[attr-defined]
    body.end()
    return body


@given(
    st.lists(st.sampled_from(NEAR_MISSES) | st.binary(max_size=9), max_size=9),
    st.lists(st.integers(0, 400), max_size=12),
)
def test_the_file_is_the_same_whatever_pieces_the_form_arrives_in(parts: list[bytes], cuts: list[int]) -> None:
    content = b"".join(parts)
    assume(b"\r\n--bb" not in content)
    whole = form(content, boundary=b"bb")
    places = [0, *sorted(cuts), len(whole)]
    pieces = [whole[start:end] for start, end in pairwise(places)]
    assert read(pieces, b"bb").content == content  # type: ignore[attr-defined]


def test_name_and_type_are_known_with_the_first_piece_of_the_file() -> None:
    body = FileForm(b"boundary")
    assert body.feed(form(b"x" * 100)[:120]) == b""
    assert (body.name, body.claimed) == ("cv.pdf", "application/pdf")


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ('filename="cv.pdf"', "cv.pdf"),
        ("filename=cv.pdf", "cv.pdf"),
        ('filename="a \\"b\\" c.pdf"', 'a "b" c.pdf'),
        ('filename="a %22b%22; c.pdf"', 'a "b"; c.pdf'),
        ('filename="東京.pdf"', "東京.pdf"),
        ("filename*=UTF-8''%E6%9D%B1%20x.pdf", "東 x.pdf"),
        ('filename="C:\\dir\\x.pdf"', "C:\\dir\\x.pdf"),
        ('filename=""', ""),
    ],
)
def test_a_file_s_name_is_read_as_clients_write_it(parameter: str, name: str) -> None:
    head = f'content-disposition: form-data; name="file"; {parameter}'.encode()
    body = read([form(b"x", head)])
    assert (body.name, body.claimed) == (name, None)


def test_bytes_behind_the_last_boundary_mean_nothing() -> None:
    assert read([form(b"x"), b"--boundary\r\n", b"more"]).content == b"x"  # type: ignore[attr-defined]


FIELD = b'Content-Disposition: form-data; name="volume"'
TWO = form(b"x")[:-4] + b"\r\n" + HEAD + b"\r\n\r\ny\r\n--boundary--\r\n"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "The form ends before its last boundary."),
        (b"no form at all", "The form does not begin with its boundary."),
        (form(b"x", boundary=b"another"), "The form does not begin with its boundary."),
        (b"--boundary--\r\n", "The form has no file."),
        (b"--boundary\r\n\r\nx\r\n--boundary--", "The form has a field that is no file."),
        (form(b"x", FIELD), "The form has a field that is no file."),
        (form(b"x", b'Content-Disposition: attachment; filename="x"'), "The form has a field that is no file."),
        (form(b"x", HEAD + b"\r\nContent-Transfer-Encoding: base64"), "The form's file is encoded."),
        (form(b"x", HEAD + b"\r\nX: " + b"y" * HEAD_LIMIT), "The head of the form's part is over 8,192 bytes."),
        (b"--boundaryX\r\n" + HEAD + b"\r\n\r\n", "The form's boundary does not stand on a line of its own."),
        (form(b"x")[:-6], "The form ends before its last boundary."),
        (form(b"x")[:-4], "The form ends before its last boundary."),
        (TWO, "The form has more than one part."),
        (form(b"x")[:-4] + b"\r\n" + (FIELD + b"\r\n\r\n1\r\n--boundary\r\n") * 10_000, "The form has more than one part."),
    ],
)  # fmt: skip
def test_what_is_no_form_with_one_file_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(BadUserInput) as whole:
        read([body])
    assert whole.value.message.startswith(message)
    with pytest.raises(BadUserInput) as pieces:
        read([body[start : start + 1] for start in range(min(len(body), 9_000))])
    assert pieces.value.message == whole.value.message


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/form-data; boundary=abc", b"abc"),
        ('multipart/form-data; charset=utf-8; BOUNDARY="a b"', b"a b"),
        ("multipart/form-data;boundary=abc; charset=utf-8", b"abc"),
    ],
)
def test_a_boundary_is_read_from_the_type(content_type: str, boundary: bytes) -> None:
    assert boundary_of(content_type) == boundary


@pytest.mark.parametrize("parameter", ["", "; boundary=", '; boundary=""', "; xboundary=a", "; boundary=" + "a" * 71])
def test_a_type_without_a_boundary_is_refused(parameter: str) -> None:
    with pytest.raises(BadUserInput, match=r"^The form's Content-Type names no boundary\.$"):
        boundary_of(f"multipart/form-data{parameter}")
