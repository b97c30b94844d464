"""The block structure of Markdown: sections under their headings, and blocks within blocks, as spans of the source.

Inline markup, which a hostile text can make slow, is never parsed; chunking decides what becomes of the blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Block", "Section", "sections"]

_LINE_END = re.compile(r"\r\n?|\n")
_FRONT_MATTER = re.compile(r"\A---[ \t]*(?:\r\n?|\n)(?s:.{0,4000}?)(?:\r\n?|\n)(?:---|\.\.\.)[ \t]*(?=\r|\n|\Z)")
_VERBATIM = frozenset({"fence", "code_block", "html_block"})


@dataclass(slots=True)
class Block:
    """A span [start, end) of the source with the blocks inside it. `verbatim`: code or HTML, whose units are lines, not sentences."""

    start: int
    end: int
    verbatim: bool = False
    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Section:
    """A heading, where there is one, and the blocks up to the next; `headings` is the path from the outermost."""

    headings: tuple[str, ...]
    heading: Block | None
    blocks: list[Block]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # here, because only texts need it

    return MarkdownIt("commonmark").enable("table").disable("inline")


def sections(text: str) -> list[Section]:
    """Return the sections of a Markdown text in order: what is before the first heading, then one for each heading.

    Every span is in code points of `text`, whatever its line ends. Headings inside lists and quotations do not part
    sections. What makes no block (link definitions) lies in the gaps between spans.
    """
    front = _FRONT_MATTER.match(text)
    offset = front.end() if front else 0
    found = [Section((), None, [Block(0, offset, verbatim=True)] if front else [])]
    body = text[offset:] if front else text
    lines = [offset, *(offset + end.end() for end in _LINE_END.finditer(body)), len(text)]
    path: list[tuple[int, str]] = []
    for heading, block in _top_blocks(_parser().parse(body), lines):
        if heading is None:
            found[-1].blocks.append(block)
            continue
        path = [*(outer for outer in path if outer[0] < heading[0]), heading]
        found.append(Section(tuple(title for _, title in path), block, []))
    return found


def _top_blocks(tokens: list[Token], lines: list[int]) -> Iterator[tuple[tuple[int, str] | None, Block]]:
    """The outermost blocks; with level and words where they are headings."""
    around: list[Block] = []
    for at, token in enumerate(tokens):
        if token.nesting == -1:
            block = around.pop()
            if not around:
                is_heading = token.type == "heading_close"
                yield (int(token.tag[1:]), " ".join(tokens[at - 1].content.split())) if is_heading else None, block
        elif token.type != "inline":
            block = _block(token, lines, around)
            if around:
                around[-1].blocks.append(block)
            if token.nesting == 1:
                around.append(block)
            elif not around:
                yield None, block


def _block(token: Token, lines: list[int], around: list[Block]) -> Block:
    if token.map is None:
        outer = around[-1]
        return Block(outer.start, outer.start)
    first, last = token.map
    return Block(lines[min(first, len(lines) - 1)], lines[min(last, len(lines) - 1)], token.type in _VERBATIM)
