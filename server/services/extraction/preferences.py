"""What a volume prefers: the names of a reading that are none of its vocabulary's are kept, and noted."""

from __future__ import annotations

from collections.abc import Iterator

from server.services.extraction.protocol import Extraction, RejectedItem, Vocabulary

__all__ = ["unknown_names"]


def unknown_names(said: Extraction, vocabulary: Vocabulary) -> Iterator[RejectedItem]:
    """Yield a note for each name that is none of those which the volume prefers, where it prefers any of its kind."""
    used = {
        "type": ([one.type for one in said.entities], vocabulary.types),
        "predicate": (
            [one.predicate for one in said.facts if one.predicate] + [one.type for one in said.relationships],
            vocabulary.predicates,
        ),
    }
    for kind, (names, terms) in used.items():
        known = {one.name for one in terms}
        for name in dict.fromkeys(names):
            if known and name not in known:
                yield RejectedItem(
                    kind, {"name": name}, "It is not in the volume's vocabulary. It was kept.", kept=True
                )
