"""Web pages: their content as Markdown, without what surrounds it."""

from __future__ import annotations

from server.services.formats.boilerplate import content
from server.services.formats.rendering import render
from server.services.formats.tree import parse

__all__ = ["read_page"]


def read_page(page: str) -> tuple[str | None, str]:
    """Return the title of a web page, or of a piece of one, and its content as Markdown."""
    title, body = parse(page)
    text = render(content(body))
    if title is None and text.startswith("# "):
        title = text.partition("\n")[0][2:]
    return title, text + "\n"
