"""Entity resolution: precision and recall of automatic merges, and of candidates at each threshold, on labelled pairs of names.

    .venv/bin/python benchmarks/resolution.py [--misses] [--kept]

A pair is judged as the server would: the left one is known, the right one is met. It joins by its match keys and declared aliases,
or, where it does not, is proposed when its likeness reaches the threshold. Rules were written with the open half in sight; the kept
half was kept apart. `--misses` prints what went wrong in the open half, with `--kept` also in the kept half. How the pairs
were chosen: README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from _measure import show

from server.config import Settings
from server.embeddings import open_embedder
from server.ids import new_id
from server.services.entities import NewEntity, draft_record
from server.services.homonyms import role_of_edge, told_apart
from server.services.identity import match_key
from server.services.indexing import entity_text
from server.services.likeness import THRESHOLD, Likeness, Look, likeness
from server.services.resolution import Named, candidates_of

NAMES = Path(__file__).parent / "names"
HALVES = {"open half": NAMES / "open.jsonl", "kept half": NAMES / "kept.jsonl"}
TOLD = {"open half": NAMES / "told-open.jsonl", "kept half": NAMES / "told-kept.jsonl"}
BEYOND = NAMES / "beyond.jsonl"
SIDES = ("left", "right")
LEVELS = (0.85, 0.89, 0.93, 0.96)
THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)

Pair = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair with what resolution makes of it."""

    pair: Pair
    merged: bool
    likeness: Likeness

    def proposed(self, threshold: float = THRESHOLD) -> bool:
        """Return whether it is a candidate at a threshold: not merged, and alike enough."""
        return not self.merged and self.likeness.score >= threshold


def load(path: Path) -> list[Pair]:
    """Return the pairs of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def judge(pair: Pair, near: float | None = None) -> Judged:
    """Resolve a pair; `near` is the cosine of the two entities' vectors."""
    return Judged(pair, merges(pair), likeness(look(pair, "left"), look(pair, "right"), near))


def merges(pair: Pair) -> bool:
    """Return whether the right name joins the left one's entity by itself."""
    (known_type, met_type), known, met = pair["types"], side(pair, "left"), side(pair, "right")
    entity = NewEntity(pair["left"], known_type or "concept", sense=known.get("sense"))
    record = draft_record(new_id(), new_id(), entity)._replace(type_stated=known_type is not None)
    found = {key: [record] for key in (record.match_key, *map(match_key, pair.get("aliases", ())))}
    named = Named(pair["right"], met_type, stated=met_type is not None, sense=met.get("sense"))
    return bool(candidates_of(named, found)) and told_apart(roles(known), roles(met)) is None


def side(pair: Pair, which: str) -> dict[str, Any]:
    """Return what is said of one of the two."""
    return dict(pair.get("context", {}).get(which, {}))


def roles(said: dict[str, Any]) -> list[Any]:
    """Return the one-holder roles among what is said of somebody."""
    return [role for role in (role_of_edge(*edge) for edge in said.get("roles", ())) if role is not None]


def look(pair: Pair, which: str) -> Look:
    """Return one of the two as likeness compares it."""
    said, type = side(pair, which), pair["types"][which == "right"]
    return Look(
        name=pair[which],
        aliases=tuple(pair.get("aliases", ())) if which == "left" else (),
        type=type,
        stated=type is not None,
        sense=said.get("sense", ""),
        description=said.get("description"),
        neighbours=said.get("neighbours", ()),
    )


async def cosines(pairs: Sequence[Pair]) -> list[float]:
    """Return the cosine of each pair's vectors, as the server makes them: of name, type and description."""
    embedder = await open_embedder(Settings())
    texts = [
        entity_text(own.name, own.type or "concept", own.description)
        for pair in pairs
        for own in map(partial(look, pair), SIDES)
    ]
    vectors = await embedder.embed(texts)
    await embedder.aclose()
    return [float(one @ other) for one, other in zip(vectors[::2], vectors[1::2], strict=True)]


def by_vectors(pairs: Sequence[Pair], near: Sequence[float]) -> list[dict[str, Any]]:
    """Return the figures of candidates by names, by names and vectors, and of those that only vectors propose. Merged pairs are left out."""
    both = [(judge(pair), judge(pair, cosine)) for pair, cosine in zip(pairs, near, strict=True)]
    left = [(names, vectors) for names, vectors in both if not names.merged]
    judged = [names for names, _ in left]
    new = [vectors.proposed() and not names.proposed() for names, vectors in left]
    rows = [figures("by names", [names.proposed() for names in judged], judged)]
    rows.append(figures("by names or vectors", [vectors.proposed() for _, vectors in left], judged))
    rows.append(figures("by vectors only", new, judged))
    for level in LEVELS:
        alone = [cosine >= level and not one.likeness.veto for one, cosine in near_of(both, near)]
        rows.append(figures(f"a cosine of {level} or more, if that were enough", alone, judged))
    return rows


def near_of(both: Sequence[tuple[Judged, Judged]], near: Sequence[float]) -> list[tuple[Judged, float]]:
    """Return the pairs that are not merged, each with its cosine."""
    return [(one, cosine) for (one, _), cosine in zip(both, near, strict=True) if not one.merged]


def ratio(part: int, whole: int) -> float | None:
    """Return a ratio with three digits, None of nothing."""
    return round(part / whole, 3) if whole else None


def figures(what: str, hits: Iterable[bool], judged: Sequence[Judged]) -> dict[str, Any]:
    """Return precision and recall of those that are hit; recall is of all true pairs."""
    right, false = Counter[bool](), Counter[bool]()
    for hit, one in zip(hits, judged, strict=True):
        (right if one.pair["same"] else false)[hit] += 1
    return {
        "what": what,
        "right": right[True],
        "false": false[True],
        "precision": ratio(right[True], right[True] + false[True]),
        "recall": ratio(right[True], right.total()),
    }


def tiers(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """Return the figures of automatic merges, and of candidates at each threshold.

    `found` is the recall of both together. A candidate's `recall` is of the true pairs that were not merged.
    """
    rows = [{**figures("automatic merges", [one.merged for one in judged], judged), "found": None}]
    left = [one for one in judged if not one.merged]
    for threshold in THRESHOLDS:
        what = f"candidates from {threshold}{' (shipped)' if threshold == THRESHOLD else ''}"
        found = figures(what, [one.merged or one.proposed(threshold) for one in judged], judged)["recall"]
        rows.append({**figures(what, [one.proposed(threshold) for one in left], left), "found": found})
    return rows


def kinds(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """Return by kind how many true pairs are merged, proposed and missed, and how many others are merged and proposed."""
    rows = []
    for kind in dict.fromkeys(one.pair["kind"] for one in judged):
        of = [one for one in judged if one.pair["kind"] == kind]
        row: dict[str, Any] = {"what": kind}
        for same, title in ((True, "same"), (False, "other")):
            group = [one for one in of if one.pair["same"] == same]
            merged, proposed = sum(one.merged for one in group), sum(one.proposed() for one in group)
            row |= {title: len(group), f"{title}: merged": merged, f"{title}: proposed": proposed}
        rows.append(row)
    return rows


def show_misses(half: str, judged: Sequence[Judged]) -> None:
    """Print the true pairs that are not found, and the others that are merged or proposed."""
    for one in judged:
        pair, wrong = one.pair, one.merged or one.proposed()
        if pair["same"] != wrong:
            what = "missed" if pair["same"] else "merged" if one.merged else "proposed"
            why = one.likeness.veto or ", ".join(one.likeness.reasons)
            print(f"{half}, {pair['kind']}, {what}: {pair['left']} / {pair['right']}  {one.likeness.score:.2f} {why}")


def main() -> None:
    """Measure both halves, and what lies beyond the rules."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--misses", action="store_true", help="print what went wrong in the open half")
    options.add_argument("--kept", action="store_true", help="with --misses: in the kept half too")
    options.add_argument("--open", action="store_true", help="leave the kept half alone")
    chosen = options.parse_args()
    for half, path in HALVES.items():
        if chosen.open and half != "open half":
            continue
        judged = [judge(pair) for pair in load(path)]
        show(f"Entity resolution, {half}: {len(judged)} pairs", tiers(judged))
        show(f"Entity resolution by kind, {half}", kinds(judged))
        if chosen.misses and (half == "open half" or chosen.kept):
            show_misses(half, judged)
    for what, halves in (("names", HALVES), ("things that something is said of", TOLD)):
        for half, path in halves.items():
            if not chosen.open or half == "open half":
                pairs = load(path)
                show(
                    f"Candidates by vectors, {what}, {half}: {len(pairs)} pairs",
                    by_vectors(pairs, asyncio.run(cosines(pairs))),
                )
    beyond = [judge(pair) for pair in load(BEYOND)]
    show("Entity resolution: namesakes that nothing stated tells apart", kinds(beyond))


if __name__ == "__main__":
    main()
