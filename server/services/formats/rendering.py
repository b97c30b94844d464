"""Markdown from elements: headings, paragraphs, lists, tables and code. Inline markup is left out, so that a quote is plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from server.services.formats.tables import is_data, markdown_table, paired, pairs, rows_of
from server.services.formats.tree import Element

__all__ = ["escaped", "inline", "render"]

_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup"
    " hr legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul caption".split()
) | frozenset(_HEADINGS)
_SPACE = re.compile(r"[^\S\n]+")
_NOTHING = re.compile("[\u00ad\u200b\u2060\ufeff]")
_STRUCTURE = re.compile(r"^(?=#{1,6}(?:\s|$)|>|```|~~~|(?:[-=_*][ \t]*){2,}$|\|)", re.M)


def render(element: Element) -> str:
    """Return what an element holds as Markdown, its blocks parted by blank lines."""
    return "\n\n".join(_blocks(element))


def escaped(text: str) -> str:
    """Return a paragraph whose lines do not read as headings, quotations, rules, fences or rows by accident."""
    return _STRUCTURE.sub(r"\\", text)


def inline(children: Iterable[Element | str], breaks: str = "\n") -> str:
    """Return the words of elements in one line, or in one for each <br>."""
    pieces = list(_pieces(children))
    text = _NOTHING.sub("", "".join(pieces)).replace("\r", "\n")
    lines = (" ".join(line.split()) for line in text.split("\v"))
    return breaks.join(line for line in lines if line)


def _pieces(children: Iterable[Element | str]) -> Iterator[str]:
    before = ""
    for child in children:
        if isinstance(child, str):
            yield child.replace("\v", " ")
            before = ""
            continue
        if child.tag == "br":
            yield "\v"
        elif child.tag in _BLOCKS:
            yield " "
            yield from _pieces(child.children)
            yield " "
        else:
            if child.tag == before == "a":
                yield " "  # neighbours that look like buttons
            yield from ("“", *_pieces(child.children), "”") if child.tag == "q" else _pieces(child.children)
        before = child.tag


def _blocks(element: Element) -> Iterator[str]:
    """The blocks in an element; inline content between blocks makes paragraphs."""
    loose: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str) or not _is_block(child):
            loose.append(child)
            continue
        yield from _paragraph(loose)
        loose = []
        yield from _block(child)
    yield from _paragraph(loose)


def _is_block(element: Element) -> bool:
    return element.tag in _BLOCKS or any(_is_block(child) for child in element.elements)


def _paragraph(children: list[Element | str]) -> Iterator[str]:
    text = inline(children)
    if text:
        yield escaped(text)


def _block(element: Element) -> Iterator[str]:
    tag = element.tag
    if tag in _HEADINGS:
        text = inline(element.children, breaks=" ")
        if text:
            yield f"{_HEADINGS[tag]} {text}"
    elif tag in ("ul", "ol", "menu", "dir"):
        yield from _list(element)
    elif tag == "dl":
        yield from _definitions(element)
    elif tag == "pre":
        yield from _code(element)
    elif tag == "blockquote":
        quoted = render(element)
        if quoted:
            yield "\n".join(f"> {line}" if line else ">" for line in quoted.split("\n"))
    elif tag == "table":
        yield from _table(element)
    else:
        yield from _blocks(element)


def _code(element: Element) -> Iterator[str]:
    text = "".join(_pieces(element.children)).replace("\v", "\n").replace("\r", "").expandtabs(4)
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    if lines:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        yield "\n".join((fence, *lines, fence))


def _list(element: Element) -> Iterator[str]:
    number = _number(element.attributes.get("start"), 1) if element.tag == "ol" else None
    items = []
    loose = Element("li")
    for child in element.children:
        if isinstance(child, Element) and child.tag == "li":
            mark = "- "
            if number is not None:
                number = _number(child.attributes.get("value"), number)
                mark = f"{number}. "
                number += 1
            items.append(_item(mark, child))
        elif isinstance(child, Element):
            if items and items[-1] and child.tag in ("ul", "ol"):  # a list in a list without an item of its own
                items.append(_indented("\n".join(_blocks(Element("li", {}, [child]))), "  "))
            else:
                loose.children.append(child)
    found = [item for item in items if item]
    if found:
        yield "\n".join(found)
    yield from _blocks(loose)


def _number(said: str | None, otherwise: int) -> int:
    return int(said) if said and said.isascii() and said.isdigit() and len(said) < 9 else otherwise


def _item(mark: str, element: Element) -> str:
    blocks = list(_blocks(element))
    if not blocks:
        return ""
    tight = all(re.match(r"\s*(?:-|\d+\.) ", block) for block in blocks[1:])
    text = _indented(("\n" if tight else "\n\n").join(blocks), " " * len(mark))
    return mark + text.lstrip(" ")


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line if line else "" for line in text.split("\n"))


def _definitions(element: Element) -> Iterator[str]:
    """Terms with their meanings: one item for each, "term: meaning; another"."""
    entries: list[tuple[list[str], list[str]]] = []
    for child in _terms(element):
        text = inline(child.children, breaks="; ")
        if child.tag == "dt":
            if not entries or entries[-1][1]:
                entries.append(([], []))
            entries[-1][0].append(text)
        else:
            if not entries:
                entries.append(([], []))
            entries[-1][1].append(_cell(child))
    lines = []
    for terms, meanings in entries:
        named = ", ".join(filter(None, terms)).rstrip(":")
        said = "; ".join(filter(None, meanings))
        if named or said:
            lines.append("- " + (f"{named}: {said}" if named and said else named or said))
    if lines:
        yield "\n".join(lines)


def _terms(element: Element) -> Iterator[Element]:
    for child in element.elements:
        if child.tag in ("dt", "dd"):
            yield child
        else:
            yield from _terms(child)


def _table(element: Element) -> Iterator[str]:
    for child in element.elements:
        if child.tag == "caption":
            yield from _blocks(child)
    rows = rows_of(element, _cell)
    if not is_data(element, rows):
        for child in element.elements:
            if child.tag != "caption":
                yield from _blocks(child)
        return
    keyed = pairs(rows)
    headed = all(cell.heads for cell in rows[0])
    yield paired(keyed) if keyed else markdown_table([[cell.text for cell in row] for row in rows], headed=headed)


def _cell(element: Element) -> str:
    """The words of a cell in one line: its items and lines parted by semicolons, its paragraphs by spaces."""
    parts: list[str] = []
    loose: list[Element | str] = []

    def flush() -> None:
        text = inline(loose, breaks="; ")
        if text:
            parts.append(text)
        loose.clear()

    items = [e for e in element.walk() if e.tag == "li"]
    if not items:
        return _SPACE.sub(" ", inline(element.children, breaks="; "))
    for child in element.children:
        if isinstance(child, Element) and child.tag in ("ul", "ol"):
            flush()
            parts.extend(
                filter(None, (inline(item.children, breaks=" ") for item in child.elements if item.tag == "li"))
            )
        else:
            loose.append(child)
    flush()
    return "; ".join(parts)
