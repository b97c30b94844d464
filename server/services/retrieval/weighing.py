"""Weighing: how well pieces of evidence answer a question, by where the walk has been and by the words that they share with it.

A piece is as good as what it is about (0.35; of a relationship the better end counts twice), the chunk that it stands in (0.25), and the
better of how well search found it and how many of the question's words it has, the rarer ones counting more (0.4). Each is between 0 and 1,
so is their sum. The shares were chosen by reading contexts of the sample, not tuned on a data set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from server.services.retrieval.linking import EMPTY
from server.store.words import words_of

__all__ = ["Weighed", "terms", "weigh"]

_ABOUT, _WITHIN, _LIKE = 0.35, 0.25, 0.4
_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:ing|ions?|ences?|ances?|ers?|ors?|ed|es|e|s|ly)$")


class Weighed(NamedTuple):
    """What is known of a piece: how good what it is about is, its chunk, how well search found it, and its words as `terms`.

    None: that does not count for such a piece, and its share goes to the others.
    """

    about: float | None
    within: float | None
    found: float
    terms: frozenset[str]


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def terms(text: str) -> frozenset[str]:
    """Return the words of a text that say something, without common English endings; pairs of letters where a script has no spaces."""
    return frozenset(_stem(word) for word in words_of(text) if word not in EMPTY)


def weigh(question: str, pieces: Sequence[Weighed]) -> list[float]:
    """Return how well each piece answers a question, between 0 and 1; meaningless across calls."""
    asked = terms(question)
    often = Counter(term for piece in pieces for term in piece.terms & asked)
    weights = {term: log(1 + len(pieces) / count) for term, count in often.items()}
    shared = [sum(weights[term] for term in sorted(piece.terms & asked)) for piece in pieces]
    most = max(shared, default=0.0) or 1.0
    return [_whole(piece, own / most) for piece, own in zip(pieces, shared, strict=True)]


def _whole(piece: Weighed, worded: float) -> float:
    parts = [(_LIKE, max(min(piece.found, 1.0), worded))]
    parts += [
        (share, min(part, 1.0)) for share, part in ((_ABOUT, piece.about), (_WITHIN, piece.within)) if part is not None
    ]
    return sum(share * part for share, part in parts) / sum(share for share, _ in parts)
