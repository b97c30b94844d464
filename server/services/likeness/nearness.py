"""Nearness: which entities of a volume have vectors that are near each other, exactly, whatever their names.

All are compared with all, in tiles: first by their 64 strongest directions, by which hardly any pair could be near enough, then those
few in full. Memory is bounded by a number of vectors; of more, the rest are compared by names only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST", "Near", "near_pairs"]

MOST = 100_000
"""The most vectors that are compared: some 100 MB of them."""

_STRONGEST = 64
_SAMPLE = 4_096
_TILE = 1_024
_WIDE = 8_192
_EACH = 4
_LOOSE = 0.003  # what halves of precision and rounding may take

Near = dict[UUID, list[tuple[UUID, float]]]


def near_pairs(ids: Sequence[UUID], vectors: NDArray[np.float16], least: float) -> Near:
    """Return, for each entity, those before it whose vectors of length 1 are at least so near, the nearest first, at most 4 of each.

    Costs the square of their number: some 50 s of CPU for 100,000.
    """
    found: dict[int, list[tuple[float, int]]] = {}
    bounds = _bounds(vectors)
    for rows, columns in _maybe(bounds, least - _LOOSE):
        cosines = np.einsum("ij,ij->i", vectors[rows], vectors[columns], dtype=np.float32)
        for row, column, cosine in zip(rows.tolist(), columns.tolist(), cosines.tolist(), strict=True):
            if cosine >= least:
                own = found.setdefault(row, [])
                own.append((-min(cosine, 1.0), column))
                if len(own) > 2 * _EACH:
                    own[:] = sorted(own)[:_EACH]
    return {ids[row]: [(ids[n], -cosine) for cosine, n in sorted(own)[:_EACH]] for row, own in found.items()}


def _bounds(vectors: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return short vectors whose products are no smaller than the cosines: the strongest directions, and the length of what they leave."""
    sample = vectors[:: max(1, len(vectors) // _SAMPLE)].astype(np.float32)
    _, directions = np.linalg.eigh(sample.T @ sample)
    strongest = directions[:, -_STRONGEST:]
    short = np.empty((len(vectors), strongest.shape[1] + 1), dtype=np.float32)
    for start in range(0, len(vectors), _WIDE):
        part = vectors[start : start + _WIDE].astype(np.float32)
        kept = part @ strongest
        short[start : start + _WIDE, :-1] = kept
        left = np.einsum("ij,ij->i", part, part) - np.einsum("ij,ij->i", kept, kept)
        short[start : start + _WIDE, -1] = np.sqrt(np.maximum(left, 0))
    return short


def _maybe(short: NDArray[np.float32], least: float) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the places of pairs that may be near enough, the later one first, tile by tile."""
    for low in range(0, len(short), _TILE):
        tile = short[low : low + _TILE]
        for left in range(0, low + len(tile), _WIDE):
            wide = short[left : min(left + _WIDE, low + len(tile))]
            flat = np.flatnonzero(tile @ wide.T >= least)
            rows, columns = flat // len(wide) + low, flat % len(wide) + left
            earlier = columns < rows
            rows, columns = rows[earlier], columns[earlier]
            for start in range(0, len(rows), _WIDE):
                yield rows[start : start + _WIDE], columns[start : start + _WIDE]
