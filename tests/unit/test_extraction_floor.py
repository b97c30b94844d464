"""The offline extractor stays above its floors on real sentences labelled by hand; what waits for review is not counted as found.

The precision of relationships is above its floor of 0.75 on the two kept halves together, and below it on the first alone
(benchmarks/README.md says so and why); there it is held to what it has reached, as on the other halves.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from extraction import HALVES, read_all, total

RELATIONSHIPS = {"open half": 0.95, "kept half": 0.73, "second kept half": 0.85}


@pytest.mark.parametrize("half", list(HALVES))
async def test_precision_and_recall_do_not_fall_below_the_floors(half: str) -> None:
    score = total(await read_all(HALVES[half]))
    entities, relationships = score.tallies["entities"], score.tallies["relationships"]
    assert (entities.precision or 0) >= 0.75
    assert (entities.recall or 0) >= 0.70
    assert (relationships.precision or 0) >= RELATIONSHIPS[half]


async def test_relationships_of_all_that_was_kept_apart_reach_their_floor() -> None:
    scores = [total(await read_all(HALVES[half])) for half in HALVES if half != "open half"]
    tallies = [score.tallies["relationships"] for score in scores]
    right, false = (sum(getattr(tally, name) for tally in tallies) for name in ("right", "false"))
    assert len(tallies) == 2
    assert right / (right + false) >= 0.78
