"""Towns: places whose name goes on over a small word to what tells them apart, a river or the sea."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Doc

from server.services.extraction import language, vocabulary
from server.services.extraction.shapes import is_capital

_BY_RIVERS = frozenset({"on", "upon", "sur", "am", "le", "sous"})
_RIVERS = vocabulary.wordset(
    "Trent Tyne Avon Thames Tees Wye Tweed Rhine Main Loire Mer Oder Hudson Don Sea Humber Spey"
)
"""Waters that the dictionary has; it lacks the others."""
_PARTS_OF_TOWNS = frozenset({"North", "South", "East", "West", "Upper", "Lower", "Great", "Little", "New", "Old"})


def towns_on_waters(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield the half-open tokens of the towns that are told apart by a river or the like: "Burton upon Trent", "Stoke-on-Trent"."""
    for token in doc[1:-1]:
        before, hyphened = token.i - 1, token.text == "-" and not token.whitespace_
        link, last = (token.i + 1, token.i + 3) if hyphened else (token.i, token.i + 1)
        if last >= len(doc) or not (is_capital(doc[before]) and is_capital(doc[last]) and doc[last].is_alpha):
            continue
        bound = hyphened and doc[link].text in _BY_RIVERS and doc[link + 1].text == "-"
        river = doc[last].text in _RIVERS
        bound = bound and (river or not language.is_word(doc[last].lower_))
        if not bound and (hyphened or token.text != "upon"):
            continue
        others = vocabulary.given_names().keys() | vocabulary.regions()
        if not river and (doc[before].text in others or doc[last].text in others):
            continue  # "the attack of Rome upon Egypt"
        first = before - 1 if before and doc[before - 1].text in _PARTS_OF_TOWNS else before
        yield first, last + 1
