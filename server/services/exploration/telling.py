"""What an exploration says of itself: the themes of what it found, and what could be asked next.

Both are worked out from the nodes that are shown, by fixed rules: the same exploration says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from server.ids import NodeKind
from server.services.exploration.graph import Found
from server.services.exploration.packing import Packed
from server.store.records import EntityRecord

__all__ = ["suggested", "themes"]

_THEMES = 8
_QUERIES = 5
_TELLING = 0.2
"""How much a theme weighs beside the first one at least."""


def themes(found: Found, packed: Packed) -> list[str]:
    """Return what the found nodes have in common, the most telling first, at most eight: keywords and tags of memories and names of
    entities, by the weight of the nodes that they stand in.
    """
    scores: dict[str, tuple[float, str]] = {}
    memories = packed.kept[NodeKind.MEMORY]
    for id, item in memories.items():
        words = dict.fromkeys([*item.row.tags, *item.row.keywords])
        _add(scores, words, found.memories[id].weight)
    about: dict[UUID, float] = {}
    for memory, entities in found.about.items():
        if memory in memories:
            for entity in entities:
                about[entity] = about.get(entity, 0.0) + found.memories[memory].weight
    for id, item in packed.kept[NodeKind.ENTITY].items():
        _add(scores, [item.row.name], about.get(id, 0.0) or item.weight)
    least = _TELLING * max((score for score, _ in scores.values()), default=0.0)
    ordered = sorted((key for key in scores if scores[key][0] >= least), key=lambda key: (-scores[key][0], key))
    return [scores[key][1] for key in ordered[:_THEMES]]


def _add(scores: dict[str, tuple[float, str]], words: Iterable[str], weight: float) -> None:
    folded: dict[str, str] = {}
    for word in words:
        folded.setdefault(word.casefold(), word)
    for key, word in folded.items():
        score, shown = scores.get(key, (0.0, word))
        scores[key] = (score + weight, shown)


def suggested(query: str, themes: Iterable[str], packed: Packed, names: Mapping[UUID, EntityRecord]) -> list[str]:
    """Return questions that lead further, at most five: how the two leading entities hang together where no relationship shown says it,
    and what is known of neighbours that were not gone to, of entities and of themes that the query does not name.
    """
    entities = packed.kept[NodeKind.ENTITY]
    edges = [item.row for item in packed.kept[NodeKind.RELATIONSHIP].values()]
    questions = []
    leading = list(entities)[:2]
    if len(leading) == 2 and not any({edge.source_id, edge.target_id} == set(leading) for edge in edges):
        one, other = (names[id].name for id in leading)
        questions.append(f"How is {one} related to {other}?")
    ends = dict.fromkeys(id for edge in edges for id in (edge.source_id, edge.target_id))
    beyond = [names[id].name for id in ends if id not in entities]
    further = [*beyond[:3], *(item.row.name for item in entities.values()), *themes]
    asked, known = query.casefold(), dict[str, str]()
    for name in further:
        if name.casefold() not in asked:
            known.setdefault(name.casefold(), name)
    questions += [f"What is known about {name}?" for name in known.values()]
    return questions[:_QUERIES]
