"""Words of texts that the full-text index does not hold yet, scored as the index scores: BM25 with its constants.

The index cuts by a dictionary where a script writes no spaces; here every pair of such letters is a word, which finds what it finds.
How much a word weighs is the index's own: it is worked out from the scores of the texts that it has answered.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["UNSPACED", "relevances", "words_of"]

_K1, _B = 1.2, 0.75
_OTHERS = 3_000
"""How many texts the index is taken to hold, for a word that is in none of those it answered."""
_WORD = re.compile(r"[^\W_]+")
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""The letters of scripts that are written without spaces, as a class of a regular expression: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
_UNSPACED = re.compile(f"[{UNSPACED}]+")


def words_of(text: str) -> list[str]:
    """Return the words of a text in order: in lower case, without accents, cut at signs."""
    plain = unicodedata.normalize("NFD", text.lower())
    plain = unicodedata.normalize("NFC", "".join(c for c in plain if not "\u0300" <= c <= "\u036f"))
    return [part for word in _WORD.findall(plain) for part in _parts(word)]


def _parts(word: str) -> list[str]:
    if not _UNSPACED.search(word):
        return [word]
    found, at = [], 0
    for run in _UNSPACED.finditer(word):
        found += [word[at : run.start()]] if run.start() > at else []
        letters = run.group()
        found += [letters] if len(letters) == 1 else [letters[n : n + 2] for n in range(len(letters) - 1)]
        at = run.end()
    return found + ([word[at:]] if at < len(word) else [])


def relevances(query: str, texts: Sequence[str], known: Sequence[tuple[str, float]]) -> list[float]:
    """Return the BM25 of texts for a query, 0 where a text has none of its words; `known` are texts with their scores in the index."""
    import numpy as np

    asked = list(dict.fromkeys(words_of(query)))
    cut = [words_of(text) for text in (*texts, *(text for text, _ in known))]
    if not asked or not texts:
        return [0.0] * len(texts)
    lengths = np.array([len(words) for words in cut], float)
    often = np.array([[Counter(words)[word] for word in asked] for words in cut], float)
    usual = lengths[len(texts) :].mean() if known else lengths.mean()
    parts = often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * lengths / max(usual, 1.0))[:, None])
    new = often[: len(texts)]
    weights = _rarity((new > 0).sum(axis=0), len(new) + (_OTHERS if known else 0))
    weights = _weights(weights, parts[len(texts) :], np.array([score for _, score in known], float))
    return [float(score) for score in parts[: len(texts)] @ weights]


def _rarity(having: NDArray[Any], texts: int) -> NDArray[np.float64]:
    """Return how much words weigh by how many of the texts have them."""
    import numpy as np

    weights: NDArray[np.float64] = np.log1p((texts - having + 0.5) / (having + 0.5))
    return weights


def _weights(weights: NDArray[np.float64], parts: NDArray[Any], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much each word weighs: as in the index, by the texts that have it there, or as given."""
    import numpy as np

    there = parts.any(axis=0)
    if there.any():
        solved = np.linalg.lstsq(parts[:, there], scores, rcond=None)[0]
        weights[there] = np.clip(solved, 0.01, None)
    return weights
