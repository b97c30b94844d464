"""Re-ranking by late interaction: the best hits of a search by how near each word of the query comes to any word of theirs.

MaxSim (Khattab and Zaharia 2020, "ColBERT"): of each token of the query the nearest token of the text, averaged, here with weights. Of texts
only the signs of their tokens' numbers are kept, so that the likeness of a token is a sum of the query's numbers with these signs.

Chosen on MuSiQue, where six tenths of likeness found about as much as eight, and more than three or ten; shown on 2Wiki (benchmarks/README.md):
R@5 61.4 became 68.1. It is off unless asked for: every text that is indexed costs the model twice, and a search half as much again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from server.embeddings import QueryTokens, TokenEmbedder
from server.store.rankings import Hit
from server.store.reader import Reader
from server.store.token_vectors import signs_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DEPTH", "maxsim", "placed", "reranked"]

DEPTH = 50
"""How many hits are ranked anew."""
MADE = 8
"""Of how many hits that were written just now the tokens are made for one search, at most half a CPU second."""
_SHARE = 0.6
_BYTE = 8


async def reranked(
    read: Reader, embedder: TokenEmbedder, query: str, hits: Sequence[Hit], fresh: Mapping[UUID, str]
) -> list[Hit]:
    """Return hits with the best of them ranked anew; `fresh` are the texts of those that are not in the index yet.

    Costs one statement, one embedding of the query and 3 ms of CPU for 50 texts of 100 tokens; more where texts are fresh. A hit whose
    tokens nobody has made keeps its place among the others.

    Raises:
        UpstreamUnavailable: the model cannot be used.
    """
    top = hits[:DEPTH]
    if len(top) < 2:
        return list(hits)
    new = [hit.id for hit in top if hit.id in fresh][:MADE]
    signs = await signs_of(read, [hit.id for hit in top if hit.id not in fresh])
    signs.update(zip(new, await embedder.token_signs([fresh[id] for id in new]) if new else (), strict=True))
    tokens = await embedder.query_tokens(query)
    likeness = await asyncio.to_thread(maxsim, tokens, [signs.get(hit.id) or b"" for hit in top])
    return [*placed(top, likeness), *hits[DEPTH:]]


def maxsim(query: QueryTokens, texts: Sequence[bytes]) -> list[float | None]:
    """Return how near the tokens of a query come to those of each text, None where either has none. 1 is the most."""
    import numpy as np

    if not len(query.weights) or not any(texts):
        return [None] * len(texts)
    width = query.vectors.shape[1] // _BYTE
    codes = np.frombuffer(b"".join(texts), np.uint8).reshape(-1, width)
    products = _products(query.vectors, codes)
    lengths = [len(text) // width for text in texts]
    starts = np.cumsum([0, *(length for length in lengths if length)])[:-1]
    nearest = np.maximum.reduceat(products, starts, axis=0)
    found = iter((nearest * query.weights).sum(axis=1) / query.weights.sum())
    return [float(next(found)) if length else None for length in lengths]


def _products(vectors: NDArray[np.float32], codes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the dot products of vectors, with numbers of equal size and the signs of `codes`: shape (codes, vectors).

    For each byte the sums of all 256 patterns are looked up: a fifth of the CPU of unpacking and multiplying, whose threads go on using it.
    """
    import numpy as np

    patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) * 2 - 1
    parts = vectors.reshape(len(vectors), -1, _BYTE)
    sums = np.einsum("cb,qjb->jcq", patterns, parts)
    products: NDArray[np.float32] = sums[0][codes[:, 0]]
    for place in range(1, codes.shape[1]):
        products += sums[place].take(codes[:, place], axis=0)
    return products / np.float32(vectors.shape[1] ** 0.5)


def placed(hits: Sequence[Hit], likeness: Sequence[float | None]) -> list[Hit]:
    """Return hits ranked by six tenths of likeness and four of their scores, each scaled over them, best first; ties by id.

    Scores stay between the highest and the lowest that there were.
    """
    scores = [hit.score for hit in hits]
    low, span = min(scores), max(scores) - min(scores)
    there = [like for like in likeness if like is not None]
    if not there or not span:
        return list(hits)
    least, reach = min(there), max(there) - min(there)

    def score(hit: Hit, like: float | None) -> float:
        own = (hit.score - low) / span
        near = own if like is None or not reach else (like - least) / reach
        return low + span * ((1 - _SHARE) * own + _SHARE * near)

    anew = [hit._replace(score=score(hit, like)) for hit, like in zip(hits, likeness, strict=True)]
    return sorted(anew, key=lambda hit: (-hit.score, hit.id))
