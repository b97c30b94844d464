"""Nearness of vectors: what the tiles find is what comparing all with all finds."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from server.services.likeness import nearness
from server.services.likeness.nearness import near_pairs


def test_tiles_find_what_comparing_all_with_all_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearness, "_TILE", 16)
    monkeypatch.setattr(nearness, "_WIDE", 40)
    monkeypatch.setattr(nearness, "_STRONGEST", 6)
    random = np.random.default_rng(7)
    vectors = random.normal(size=(12, 24)).repeat(15, axis=0) + 0.35 * random.normal(size=(180, 24))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    ids = [UUID(int=n) for n in range(180)]
    cosines = vectors.astype(np.float32) @ vectors.astype(np.float32).T
    expected = {
        ids[row]: {ids[n] for n in np.argsort(-cosines[row, :row])[:4] if cosines[row, n] >= 0.9} for row in range(180)
    }
    found = near_pairs(ids, vectors, 0.9)
    assert sum(map(len, found.values())) > 100
    assert {id: {other for other, _ in own} for id, own in found.items()} == {
        id: own for id, own in expected.items() if own
    }
    assert all(own == sorted(own, key=lambda pair: -pair[1]) for own in found.values())


def test_two_of_one_vector_are_near_and_nothing_else_is() -> None:
    vectors = np.eye(4, 8, dtype=np.float16)[[0, 1, 0]]
    ids = [UUID(int=n) for n in range(3)]
    assert near_pairs(ids, vectors, 0.89) == {ids[2]: [(ids[0], 1.0)]}
