"""Word files: mammoth knows their parts, and its HTML becomes Markdown as web pages do.

Headers, footers, comments, pictures, tables of contents and what tracked changes deleted are left out; footnotes stand at the end.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError

from server.errors import BadUserInput
from server.services.formats.archives import BROKEN, repacked, unpack
from server.services.formats.rendering import render
from server.services.formats.tree import parse

__all__ = ["read_docx"]

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_DEEPEST_STYLE = 20
_MALFORMED = (
    ExpatError, ElementTree.ParseError, OSError, KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError
)  # fmt: skip
"""What mammoth raises over a part that is not as it should be."""
_NOTE = re.compile(
    r'<sup><a href="#(?:foot|end)note-[^"]*" id="[^"]*">\[\d+\]</a></sup>'
    r'|\s*<a href="#(?:foot|end)note-ref-[^"]*">↑</a>'
)
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='toc 1'] => !
p[style-name='toc 2'] => !
p[style-name='toc 3'] => !
p[style-name='toc 4'] => !
p[style-name='TOC Heading'] => !
"""


def read_docx(data: bytes, unpacked: int) -> tuple[str | None, str]:
    """Return the title of a Word file, where it has one, and its text as Markdown.

    Raises:
        BadUserInput: it is broken, protected by a password, or no Word file.
        LimitExceeded: it unpacks to more than `unpacked` bytes.
    """
    import mammoth

    parts = unpack(data, unpacked)
    if not any(name.startswith("word/") for name in parts):
        raise BadUserInput("The file is an archive, but no Word file: send .docx, PDF, HTML, Markdown or plain text.")
    try:
        html = mammoth.convert_to_html(
            repacked(parts),
            style_map=_STYLES + _headings(parts.get("word/styles.xml")),
            include_embedded_style_map=False,
            convert_image=lambda image: [],
        ).value
        title = _title(parts.get("docProps/core.xml"))
    except _MALFORMED as error:
        raise BadUserInput(BROKEN) from error
    text = render(parse(_NOTE.sub("", html))[1])
    if title is None and text.startswith("# "):
        title = text.partition("\n")[0][2:]
    return title, text + "\n"


def _title(core: bytes | None) -> str | None:
    if core is None:
        return None
    return (ElementTree.fromstring(core).findtext(_TITLE) or "").strip() or None


def _headings(styles: bytes | None) -> str:
    """Map the styles that are headings by what they are based on, or by their outline level; mammoth goes by name alone."""
    if styles is None:
        return ""
    found = {style.get(f"{_W}styleId", ""): style for style in ElementTree.fromstring(styles).iter(f"{_W}style")}
    lines = []
    for style in found.values():
        name, level = _name(style), _level(style, found)
        if name and level is not None and style.get(f"{_W}type") == "paragraph":
            quoted = name.replace("\\", "\\\\").replace("'", "\\'")
            lines.append(f"p[style-name='{quoted}'] => h{level}:fresh")
    return "\n".join(lines)


def _name(style: ElementTree.Element) -> str:
    found = style.find(f"{_W}name")
    return "" if found is None else found.get(f"{_W}val", "")


def _level(style: ElementTree.Element | None, styles: dict[str, ElementTree.Element]) -> int | None:
    for _ in range(_DEEPEST_STYLE):
        if style is None:
            return None
        named = re.fullmatch(r"heading ([1-6])", _name(style), re.I)
        if named:
            return int(named[1])
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        if outline is not None and outline.get(f"{_W}val", "") in tuple("012345"):
            return int(outline.get(f"{_W}val", "")) + 1
        based = style.find(f"{_W}basedOn")
        style = None if based is None else styles.get(based.get(f"{_W}val", ""))
    return None
