"""The elements of an HTML page, parsed as browsers parse, in a small tree of our own that any depth of nesting cannot hurt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["UNREAD", "Element", "parse"]

_DEEPEST = 120
"""What lies deeper hangs on the element at this depth."""
UNREAD = frozenset(
    "script style noscript template svg math iframe object embed canvas video audio map button select option optgroup input"
    " textarea progress meter datalist dialog head link meta base col colgroup img picture source area".split()
)
_SKIPPED_BY_THE_PARSER = UNREAD - {"button", "input", "textarea", "select", "dialog"}
_KEPT_ATTRIBUTES = (
    "role",
    "class",
    "id",
    "hidden",
    "aria-hidden",
    "aria-modal",
    "style",
    "colspan",
    "rowspan",
    "start",
    "value",
)


@dataclass(slots=True, eq=False)
class Element:
    """An element with what it holds, in order. `letters` and `linked` count the visible characters in it, and those in links."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)
    letters: int = 0
    linked: int = 0

    @property
    def elements(self) -> list[Element]:
        """The children that are elements."""
        return [child for child in self.children if isinstance(child, Element)]

    def walk(self) -> Iterator[Element]:
        """Yield this element and all below it, in document order."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.elements))

    def has(self, tags: frozenset[str]) -> bool:
        """Whether it holds an element of one of these tags, itself included."""
        return any(element.tag in tags for element in self.walk())


def parse(page: str) -> tuple[str | None, Element]:
    """Return the title of a page and its body."""
    parser = LexborHTMLParser(page)
    root = parser.body
    body = Element("body")
    if root is not None:
        body.attributes = _attributes(root)
        _grow(body, root)
    _count(body)
    return _title(parser), body


def _title(parser: LexborHTMLParser) -> str | None:
    title = parser.css_first("head > title")
    if title is not None and title.text().strip():
        return " ".join(title.text().split())
    meta = parser.css_first('meta[property="og:title"]')
    return (meta.attributes.get("content") or "").strip() or None if meta is not None else None


def _grow(body: Element, root: LexborNode) -> None:
    stack: list[tuple[LexborNode | None, Element, int]] = [(root.first_child, body, 1)]
    while stack:
        node, parent, depth = stack.pop()
        while node is not None:
            tag = node.tag or ""
            if node.is_text_node:
                parent.children.append(node.text_content or "")
            elif node.is_element_node and tag not in _SKIPPED_BY_THE_PARSER:
                element = Element(tag, _attributes(node))
                if depth < _DEEPEST:
                    parent.children.append(element)
                inner = node.first_child
                if inner is not None:
                    stack.append((node.next, parent, depth))
                    stack.append((inner, element if depth < _DEEPEST else parent, min(depth + 1, _DEEPEST)))
                    break
            node = node.next


def _attributes(node: LexborNode) -> dict[str, str]:
    found = node.attributes
    return {name: found[name] or "" for name in _KEPT_ATTRIBUTES if name in found} if found else {}


def _count(body: Element) -> None:
    for element in reversed(list(body.walk())):  # children before their parents
        for child in element.children:
            if isinstance(child, Element):
                element.letters += child.letters
                element.linked += child.linked
            else:
                element.letters += len(child) if child.isalnum() else sum(map(len, child.split()))
        if element.tag == "a":
            element.linked = element.letters
