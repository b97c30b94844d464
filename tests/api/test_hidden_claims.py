"""A claim that waits, was rejected or was taken back shows nowhere by itself: what shows is as if nobody had told of it.

The schema says where to look: from a volume through every field of every node that is reached, whatever fields come to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from api.test_view_ids import NODES, VIEWS, is_node, sdl
from graphql import get_named_type, is_composite_type, is_required_argument
from scripted import edge, fact, ingest, thing

from server.ids import decode_id

if TYPE_CHECKING:
    from api.conftest import Api

TEXT = "Ada likes tea. Ada likes rum. Ada works at Acme. Ada met Bob."
ASKED_FOR = {"reviewQueue", "reviewsByKind", "changes", "predicates"}
"""What tells of what waits, of all that was ever done, or of all words that were ever used, because that is what it is for."""
OF_THE_READING = {"factsFound", "relationshipsFound"}
"""What an ingestion has found, whatever became of it."""
OWN = {"id", "cursor", "startCursor", "endCursor"}
THINGS = (thing("Ada", "person"), thing("Acme", "organization"), thing("Bob", "person"))
SURE = (fact("Ada", "Likes tea", "Ada likes tea."), edge("Ada", "WORKS_AT", "Acme", "Ada works at Acme."))
UNSURE = (
    fact("Ada", "Drinks qzxrum", "Ada likes rum.", confidence=0.6),
    edge("Ada", "QZX_MET", "Bob", "Ada met Bob.", confidence=0.6, description="Saw qzxbob"),
)


def asked(type_: Any, depth: int = 5) -> str:
    """Return a selection of all fields of a type, but of other nodes the ids."""
    found = []
    for name, field in type_.fields.items():
        target = get_named_type(field.type)
        if name in ASKED_FOR or any(map(is_required_argument, field.args.values())):
            continue
        if not is_composite_type(target):
            found.append(name)
        elif depth:
            found.append(f"{name} {{ {'id' if is_node(target) else asked(target, depth - 1)} }}")
    return " ".join(found)


def plain(data: Any) -> Any:
    """Return what was answered without what differs between any two volumes: ids, cursors and instants of writing."""
    if isinstance(data, list):
        return [plain(item) for item in data]
    if not isinstance(data, dict):
        return data
    kept = {key: plain(value) for key, value in data.items() if key not in OWN | OF_THE_READING and key[-2:] != "At"}
    return {key: value for key, value in kept.items() if key not in {"knownFrom", "contentHash", "uri"}}


def ids_of(data: Any) -> Iterator[str]:
    if isinstance(data, list):
        for item in data:
            yield from ids_of(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key == "id":
                yield value
            else:
                yield from ids_of(value)


async def shown(api: Api, name: str, view: str = "") -> list[str]:
    """Return all that a volume shows, node by node, starting from itself."""
    types, view = sdl().type_map, view and f", {view}"
    opened = (await api.ask(f'{{ volume(name: "{name}"{view}) {{ __typename id }} }}'))["volume"]
    waiting, seen, answers = {opened["id"]}, set[str](), list[str]()
    while waiting:
        seen |= waiting
        nodes: list[Any] = []
        for kind in sorted(set(map(type_of, waiting))):
            ids = sorted(id for id in waiting if type_of(id) == kind)
            nodes += (await api.ask(NODES % f"... on {kind} {{ {asked(types[kind])} }}", ids=ids))["nodes"]
        answers += [str(plain(node)).replace(f"'{name}'", "'its own'") for node in nodes]
        waiting = set(ids_of(nodes)) - seen
    return sorted(answers)


def type_of(id: str) -> str:
    decoded = decode_id(id)
    assert decoded is not None
    return decoded.kind.name.title().replace("_", "")


async def told(api: Api, status: str) -> None:
    """Have two volumes read one text; in the first one it says two things more, which come to have a status."""
    await api.do("createVolume", "volume { id }", name="other")
    await ingest(api, TEXT, *THINGS, *SURE, volume="other")
    await ingest(api, TEXT, *THINGS, *SURE, *UNSURE)
    queue = (await api.volume("reviewQueue { nodes { id ... on LowConfidenceReview { claim { id __typename } } } }"))[
        "reviewQueue"
    ]["nodes"]
    assert len(queue) == 2
    if status == "REJECTED":
        await api.do("resolveReview", "items { id }", items=[item["id"] for item in queue], action="REJECT")
    for claim in (item["claim"] for item in queue if status == "RETRACTED"):
        await api.do(f"retract{claim['__typename']}", "__typename", id=claim["id"], reason="It was a joke")
    asked_for = f"filter: {{statuses: [{status}]}}"
    found = await api.volume(f"facts({asked_for}) {{ totalCount }} relationships({asked_for}) {{ totalCount }}")
    assert found == {"facts": {"totalCount": 1}, "relationships": {"totalCount": 1}}


@pytest.mark.parametrize("status", ["PENDING_REVIEW", "REJECTED", "RETRACTED"])
async def test_a_volume_shows_what_one_shows_that_was_never_told_of_it(api: Api, status: str) -> None:
    await told(api, status)
    for view in ("", *VIEWS):
        found = await shown(api, "default", view)
        assert len(found) > 8
        assert [answer for answer in found if "qzx" in answer.casefold()] == [], view
        assert found == await shown(api, "other", view), view
