"""The offline extractor stays above its floors on real sentences labelled by hand, on each half that is there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from extraction import HALVES, read_all, total


@pytest.mark.parametrize("half", [half for half, path in HALVES.items() if path.exists()])
async def test_precision_and_recall_do_not_fall_below_the_floors(half: str) -> None:
    score = total(await read_all(HALVES[half]))
    entities, relationships = score.tallies["entities"], score.tallies["relationships"]
    assert (entities.precision or 0) >= 0.75
    assert (entities.recall or 0) >= 0.70
    assert (relationships.precision or 0) >= 0.75
