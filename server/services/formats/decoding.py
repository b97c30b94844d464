"""From bytes to text: by the byte-order mark, as UTF-8, by what the sender or the page declares, and last by a guess."""

from __future__ import annotations

import codecs
import re

from server.errors import BadUserInput
from server.services.formats.sniffing import byte_order_mark
from server.services.formats.types import HTML, MARKDOWN, PLAIN, Converted

__all__ = ["as_text", "decode", "decode_unicode"]

_GUESS_FROM = 262_144
_ENOUGH = 100
"""So many bytes beyond ASCII make a guess worth something; of less, half the guesses were wrong."""
_HIGH = bytes(range(128, 256))
_WESTERN = re.compile(
    r"(?:[\x00-\x7f]|(?<=[A-Za-zÀ-ÿ])[àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœ]|[ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝŒ](?![0-9])|\b[àáâäåæéèêíóôöøúüœ]|[\xa0€£§©®°«»·–—‘’“”„…•™¡¿])*+"
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", re.I)
_DECLARED = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?([\w.:-]{2,40})|<\?xml[^>]{0,80}encoding=[\"']([\w.:-]{2,40})", re.I
)
_AS_BROWSERS_DO = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_FIRST_HEADING = re.compile(r"\s*(?:---[ \t]*\n.{0,4000}?\n---[ \t]*\n\s*)?#[ \t]+([^\n]{1,300})", re.S)
_UNREADABLE = "The encoding of the text could not be told. Save it as UTF-8, or name its charset."


def decode_unicode(data: bytes) -> str | None:
    """Return the text of a file in UTF-8, or in UTF-16 or UTF-32 with a byte-order mark; None where it is in neither.

    Raises:
        BadUserInput: the bytes break the encoding that their mark names.
    """
    mark = byte_order_mark(data)
    try:
        return data[len(mark[0]) :].decode(mark[1]) if mark else data.decode()
    except UnicodeDecodeError as error:
        if mark is None:
            return None
        raise BadUserInput(
            f"The text is broken: byte {error.start} is no {mark[1].upper()}. Save it as UTF-8."
        ) from error


def decode(data: bytes, mime_type: str, claimed: str | None) -> str:
    """Return the text of a file of a text type, whatever its encoding.

    `claimed` may name a charset. What a web page cannot decode becomes U+FFFD, as in browsers.

    Raises:
        BadUserInput: the encoding could not be told.
    """
    text = decode_unicode(data)
    if text is not None:
        return text
    named = _CHARSET.search(claimed or "")
    declared = _DECLARED.search(data[:4096]) if mime_type == HTML else None
    for name in (named and named[1], declared and (declared[1] or declared[2]).decode()):
        encoding = _known(name)
        if encoding:
            try:
                text = data.decode(encoding, "replace")
            except (LookupError, UnicodeError):  # Python knows codings under names like "zlib" that are none of text
                continue
            if mime_type == HTML or "\ufffd" not in text:
                return text
    guess = _western(data) or _guessed(data)
    if guess is not None:
        return guess
    if mime_type == HTML:
        return data.decode("cp1252", "replace")
    raise BadUserInput(_UNREADABLE)


def _known(name: str | None) -> str | None:
    try:
        found = codecs.lookup(name or "").name
    except LookupError:
        return None
    return _AS_BROWSERS_DO.get(found, found)


def _western(data: bytes) -> str | None:
    """The text as Windows-1252, if what is not ASCII in it is little, and usual in Western Europe."""
    if 4 * _beyond_ascii(data) > len(data):
        return None
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return text if _WESTERN.fullmatch(text) else None


def _beyond_ascii(data: bytes) -> int:
    return len(data) - len(data.translate(None, _HIGH))


def _guessed(data: bytes) -> str | None:
    """The text by what is likely; None where there is too little of it, or several encodings are likely that differ."""
    if _beyond_ascii(data) < _ENOUGH:
        return None
    from charset_normalizer import from_bytes

    found = list(from_bytes(data[:_GUESS_FROM]))
    likely = {str(match) for match in found if match.coherence >= 0.8 * found[0].coherence}
    if len(likely) != 1 or not found[0].coherence > 0:
        return None
    try:
        return data.decode(found[0].encoding)
    except UnicodeDecodeError:
        return None


def as_text(text: str, mime_type: str) -> Converted:
    """Return a file that is text already: line ends become "\\n", and nothing else changes.

    Raises:
        BadUserInput: it holds NUL or lone surrogates.
    """
    if "\x00" in text or _SURROGATE.search(text):
        at = next(at for at, letter in enumerate(text) if letter == "\x00" or "\ud800" <= letter <= "\udfff")
        raise BadUserInput(
            f"Character {at} of the text is NUL or half a surrogate pair: the file is broken, or no text."
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    heading = _FIRST_HEADING.match(text) if mime_type == MARKDOWN else None
    title = heading[1].strip().rstrip("#").strip() if heading else ""
    return Converted(text, mime_type if mime_type in (PLAIN, MARKDOWN) else PLAIN, title or None)
