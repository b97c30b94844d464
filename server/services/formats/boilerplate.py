"""What of a web page is not its content: navigation, banners, footers, asides, consent and sharing.

Careful with what could be content: a block goes by what its markup says of it, and stays where it holds much of the page. The
known extractors of main text were tried and lose lists, tables and short pages.
"""

from __future__ import annotations

import re

from server.services.formats.tree import UNREAD, Element

__all__ = ["content"]

_ROLES = frozenset("navigation search dialog alertdialog menu menubar toolbar tablist contentinfo".split())
_CONTROLS = frozenset({"input", "textarea", "button", "select"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
_TOP = frozenset({"h1"})
_MAIN = frozenset({"main", "article"})
_SECTIONS = frozenset({"main", "article", "section", "blockquote", "td", "li"})
_NAMED = frozenset(
    "nav navbar navigation menu breadcrumb breadcrumbs pagination pager toc share sharing social footer sitemap".split()
)
_ASKING = frozenset(
    "newsletter subscribe subscription signup promo advert advertisement ads ad sponsored banner related recommended".split()
)
_CONSENT = frozenset("cookie cookies consent gdpr ccpa skip skiplink onetrust cookiebanner cookieconsent".split())
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_BLOCK = frozenset("div section ul ol nav aside p table form header footer".split())
_SHORT = 60
_LITTLE = 500


def content(body: Element) -> Element:
    """Return the body without what is not content, or with all that is visible where little else would remain."""
    kept = _pruned(body, _Page(body))
    enough = min(_SHORT, 0.4 * body.letters), min(_LITTLE, 0.1 * body.letters)
    if kept.letters and kept.letters >= max(enough):
        return kept
    return _pruned(body, None)


class _Page:
    """What the decisions about one block need to know of the whole page."""

    def __init__(self, body: Element) -> None:
        self.letters = body.letters
        main = [e for e in body.walk() if e.tag == "main" or e.attributes.get("role") == "main"]
        self.main = main[0] if len(main) == 1 and main[0].letters >= max(_SHORT, 0.4 * body.letters) else None
        self.around: set[Element] = set()
        if self.main:
            path: list[tuple[Element, set[Element]]] = [(body, {body})]
            while path:
                element, above = path.pop()
                if element is self.main:
                    self.around = above
                    break
                path.extend((child, above | {child}) for child in element.elements)


def _pruned(element: Element, page: _Page | None, inside: bool = False) -> Element:
    """A copy without what goes. `inside`: within the part of the page that is content by its markup."""
    kept = Element(element.tag, element.attributes)
    inside = inside or element.tag in _MAIN or (page is not None and element is page.main)
    for child in element.children:
        if isinstance(child, str):
            kept.children.append(child)
            kept.letters += sum(map(len, child.split()))
        elif not _unread(child) and (page is None or not _goes(child, element, page, inside)):
            copy = _pruned(child, page, inside)
            kept.children.append(copy)
            kept.letters += copy.letters
    return kept


def _unread(element: Element) -> bool:
    said = element.attributes
    return (
        element.tag in UNREAD
        or ("hidden" in said and said["hidden"] != "until-found")
        or said.get("aria-hidden") == "true"
        or ("style" in said and _HIDDEN.search(said["style"]) is not None)
        or (element.tag == "sup" and "reference" in said.get("class", ""))
    )


def _goes(element: Element, parent: Element, page: _Page, inside: bool) -> bool:
    if element.tag == "a" and "skip" in element.attributes.get("class", ""):
        return True
    if element.tag not in _BLOCK and "role" not in element.attributes:
        return False
    if element.tag == "nav" or element.attributes.get("role") in _ROLES:
        return True
    if page.main is not None and not inside and element not in page.around:
        return not (element.tag in ("header", "div", "section") and element.has(_TOP) and not _is_links(element))
    if element.tag == "footer" and parent.tag not in _SECTIONS and not inside:
        return True
    if element.tag == "header" and not inside:
        return not element.has(_HEADINGS) or (_is_links(element) and not element.has(_TOP))
    if element.tag == "aside" and (_is_links(element) or element.has(_CONTROLS)):
        return True
    return _is_named_away(element, page) or (not inside and _is_unnamed_menu(element))


def _is_links(element: Element) -> bool:
    return element.linked > 0.5 * element.letters


def _is_named_away(element: Element, page: _Page) -> bool:
    """Whether class or id say that it is no content, and nothing else says that it is."""
    named = f"{element.attributes.get('class', '')} {element.attributes.get('id', '')}"
    words = {word.lower() for word in _WORDS.findall(named)}
    if not words or element.letters > 0.4 * page.letters or element.has(_TOP):
        return False
    if words & _CONSENT:
        return element.letters < 2 * _LITTLE or element.has(_CONTROLS)
    if words & _NAMED and _is_links(element):
        return True
    return bool(words & _ASKING) and (element.linked > 0.3 * element.letters or element.has(_CONTROLS))


def _is_unnamed_menu(element: Element) -> bool:
    if element.linked < 0.9 * element.letters or element.has(_HEADINGS) or element.tag == "p":
        return False
    links = sum(1 for e in element.walk() if e.tag == "a")
    return links >= 4 and element.linked < 20 * links
