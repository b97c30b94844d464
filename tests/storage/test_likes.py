"""Possible likes: entities meet under keys that writes keep up, found for many at once by one statement."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from doubles import HashEmbedder
from sqlalchemy import event
from stores import DIMENSION, new_volume

from server import models
from server.services.blocking import possible_likes
from server.services.entities import Entities, NewEntity
from server.services.likeness.blocks import probes, stored_keys
from server.store import Store


class Named:
    """Entities of one volume, by their names."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.entities = Entities(store, HashEmbedder(DIMENSION))
        self.names: dict[UUID, str] = {}

    async def start(self) -> None:
        await new_volume(self.store)
        volume = await self.store.volume("v")
        assert volume is not None
        self.volume = volume

    async def make(self, *names: str, aliases: tuple[str, ...] = ()) -> list[UUID]:
        made = []
        for name in names:
            id = (await self.entities.create(self.volume, NewEntity(name, "concept", aliases=aliases), "test")).id
            self.names[id] = name
            made.append(id)
        return made

    async def likes(self, *names: str) -> list[str]:
        (found,) = await possible_likes(self.store.read, self.volume.id, [names])
        return sorted(self.names[id] for id in found)


@pytest.fixture
async def named(store: Store) -> Named:
    own = Named(store)
    await own.start()
    return own


@pytest.mark.parametrize(
    ("stored", "met"),
    [
        ("John Doe", "J. Doe"),
        ("John Doe", "Doe, John"),
        ("John Doe", "John Thomas Doe"),
        ("Dr. John Doe", "John Doe"),
        ("Bob Dylan", "Robert Dylan"),
        ("Zürich", "Zurich"),
        ("Дмитрий Менделеев", "D. Mendeleev"),
        ("Microsoft", "Microsft"),
        ("Geoffrey Hinton", "Geofrey Hinton"),
        ("International Business Machines", "IBM"),
        ("Lufthansa Group", "Lufthansa"),
        ("华为", "華為"),
        ("E-4711", "E4711"),
    ],
)
async def test_names_that_may_be_alike_meet_from_either_side(named: Named, stored: str, met: str) -> None:
    assert stored_keys([met]) & probes([stored])
    await named.make("Unrelated Thing", stored)
    assert await named.likes(met) == [stored]


@pytest.mark.parametrize(
    ("one", "other"), [("mlp-332", "mlp-333"), ("iPhone 14", "iPhone 15"), ("C++", "C#"), ("鈴木一郎", "鈴木二郎")]
)
def test_names_whose_numbers_or_signs_differ_never_meet(one: str, other: str) -> None:
    assert stored_keys([one]) & probes([other]) == set()


async def test_an_alias_leads_to_its_entity_and_a_changed_name_no_more(named: Named) -> None:
    (id,) = await named.make("Kubernetes", aliases=("Borg Successor",))
    assert await named.likes("Borg Sucessor") == ["Kubernetes"]
    await named.entities.update(named.volume, id, {"aliases": ()}, None, "test")
    assert await named.likes("Borg Sucessor") == []
    await named.entities.update(named.volume, id, {"name": "Nomad"}, None, "test")
    assert await named.likes("Kubernettes") == []
    assert await named.likes("Nomad Group") == ["Kubernetes"]


async def test_keys_go_with_their_entity(named: Named) -> None:
    (id,) = await named.make("Kubernetes")
    assert await named.store.read.count(models.EntityBlock) == len(stored_keys(["Kubernetes"])) == 3
    await named.entities.delete(named.volume, id, None, "test")
    assert await named.store.read.count(models.EntityBlock) == 0


async def test_another_volume_has_nothing_alike(named: Named) -> None:
    await named.make("John Doe")
    other = await new_volume(named.store, "other")
    assert await possible_likes(named.store.read, other, [["J. Doe"]]) == [[]]


async def test_many_are_looked_up_by_one_statement(named: Named) -> None:
    await named.make("John Doe", "Mary Roe")
    statements: list[Any] = []
    for engine in named.store.database.engines:
        event.listen(engine.sync_engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    found = await possible_likes(named.store.read, named.volume.id, [["J. Doe"], ["Nobody Else"], ["M. Roe"]])
    assert [[named.names[id] for id in likes] for likes in found] == [["John Doe"], [], ["Mary Roe"]]
    assert len([s for s in statements if "entity_block" in s]) == 1


async def test_what_many_share_is_bounded(named: Named) -> None:
    """The oldest are looked at, and those first that share most."""
    await named.make(*(f"J{a}{b} Doe" for a in "aeiou" for b in "bcdfgklm"))
    (found,) = await possible_likes(named.store.read, named.volume.id, [["J. Doe"]])
    assert [named.names[id] for id in found] == list(named.names.values())[:32]
