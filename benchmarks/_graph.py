"""The graph of the benchmarks: entities on a ring of projects, five facts and five relationships each, made from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

PER_ENTITY = 5
WORDS = (
    "amber basin cedar delta ember fjord grove harbor island juniper kernel lattice meadow nickel orchid prairie "
    "quarry ridge summit timber umber valley willow xenon yonder zephyr"
).split()


def items(entities: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Yield the lines of an import file: `entities` entities, then 5 facts and 5 relationships for each."""
    chance = random.Random(seed)
    kinds = ("person", "organization", "product", "place", "concept")
    for n in range(entities):
        name = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {n}".title()
        yield {
            "kind": "entity",
            "key": f"e{n}",
            "name": name,
            "type": kinds[n % 5],
            "importance": round(chance.random(), 3),
        }
    for n in range(entities):
        for f in range(PER_ENTITY):
            content = f"{chance.choice(WORDS)} {chance.choice(WORDS)} number {f} of {n}"
            yield {"kind": "fact", "subject": f"e{n}", "content": content, "category": WORDS[f], "importance": 0.5}
    for n in range(entities):
        for r in range(PER_ENTITY):
            target = chance.randrange(entities)
            type = ("KNOWS", "USES", "PART_OF", "REQUIRES", "LIKES")[r]
            yield {"kind": "relationship", "source": f"e{n}", "target": f"e{target}", "type": type}
