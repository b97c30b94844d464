"""Predicates: of which a subject has one at a time, which are each other's inverse, and how long each stays true; the list is data.

The list says how a volume begins with a predicate; from then on the volume's own row decides (setPredicate changes it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from server import models
from server.store import Transaction
from server.store.records import PredicateRecord
from server.terms import Cardinality

__all__ = ["SHIPPED", "Edge", "Shipped", "Vocabulary", "register", "shipped", "vocabulary"]


class Shipped(NamedTuple):
    """How a predicate is set where nobody has set it otherwise. A symmetric one is its own inverse."""

    cardinality: Cardinality = Cardinality.MANY
    inverse: str | None = None
    half_life_days: float | None = None
    description: str | None = None


_QUARTER, _HALF, _YEAR, _TWO, _FIVE = 90.0, 180.0, 365.0, 730.0, 1825.0
# fmt: off
_ONE = {
    # what is so once and for all
    "BORN_IN": (None, "Where or when someone was born."),
    "BORN_ON": (None, "When someone was born."),
    "DIED_IN": (None, "Where or when someone died."),
    "DIED_ON": (None, "When someone died."),
    "FOUNDED_IN": (None, "When or where something was founded."),
    "FOUNDED_ON": (None, "When something was founded."),
    "PUBLISHED_IN": (None, "When or where something was published."),
    "PUBLISHED_ON": (None, "When something was published."),
    "RELEASED_IN": (None, "When something was released."),
    "RELEASED_ON": (None, "When something was released."),
    "LAUNCHED_IN": (None, "When or where something was launched."),
    # what changes
    "COSTS": (_HALF, "The price of something."),
    "PRICED_AT": (_HALF, "The price of something."),
    "LATEST_VERSION": (_QUARTER, "The newest version of something."),
    "EMPLOYEE_COUNT": (_YEAR, "How many people work at an organization."),
    "POPULATION": (_TWO, "How many people live in a place."),
    "AGE": (_YEAR, "How old someone or something is."),
    "LIVES_IN": (_TWO, "Where someone lives."),
    "HEADQUARTERED_IN": (_FIVE, "Where an organization has its headquarters."),
    "CAPITAL_OF": (None, "Of what a city is the capital."),
}
_MANY = {
    "WORKS_AT": (_TWO, "At which organization someone works."),
    "WORKS_FOR": (_TWO, "For whom someone works."),
    "HAS_ROLE": (_TWO, "What someone is at work."),
    "REPORTS_TO": (_YEAR, "To whom someone reports."),
    "STUDIES_AT": (_YEAR, "Where someone studies."),
    "RESIDES_IN": (_TWO, "Where someone lives."),
    "BASED_IN": (_FIVE, "Where someone or something is based."),
    "OWNS": (_FIVE, "What someone has."),
    "USES": (_TWO, "What something or someone works with."),
    "SUPPORTS": (_TWO, "What something can be used with, or who is backed."),
    "HAS_FEATURE": (_TWO, "What a product can do."),
    "HAS_VERSION": (_QUARTER, "A version of something."),
    "REVENUE": (_YEAR, "What an organization takes in."),
    "VALUATION": (_YEAR, "What an organization is held to be worth."),
    "STATUS": (_HALF, "How something stands."),
    "HAS_SKILL": (None, "What someone knows how to do."),
    "STUDIED_AT": (None, "Where someone has studied."),
    "WORKED_AT": (None, "At which organization someone has worked."),
    "LOCATED_IN": (None, "Where something is."),
    "WRITTEN_IN": (None, "In which language something is written."),
    "IS_A": (None, "What kind of thing something is."),
}
_INVERSES = {
    ("WORKS_AT", "EMPLOYS"): (_TWO, "Who works at an organization."),
    ("REPORTS_TO", "SUPERVISES"): (_YEAR, "Who reports to someone."),
    ("LEADS", "LED_BY"): (_TWO, "Who leads something."),
    ("MANAGES", "MANAGED_BY"): (_TWO, "Who manages something."),
    ("MAINTAINS", "MAINTAINED_BY"): (_TWO, "Who maintains something."),
    ("OWNS", "OWNED_BY"): (_FIVE, "Whose something is."),
    ("MEMBER_OF", "HAS_MEMBER"): (_TWO, "Who belongs to a group."),
    ("INCLUDES", "INCLUDED_IN"): (_TWO, "What something comes with."),
    ("REQUIRES", "REQUIRED_BY"): (_TWO, "What something cannot do without."),
    ("USES", "USED_BY"): (_TWO, "Who or what works with something."),
    ("SUPPORTS", "SUPPORTED_BY"): (_TWO, "Who or what supports something."),
    ("PROVIDES", "PROVIDED_BY"): (_TWO, "Who offers something."),
    ("PART_OF", "HAS_PART"): (None, "What something is a part of."),
    ("CREATED_BY", "CREATED"): (None, "Who made something."),
    ("FOUNDED_BY", "FOUNDED"): (None, "Who founded something."),
    ("DEVELOPED_BY", "DEVELOPED"): (None, "Who developed something."),
    ("WRITTEN_BY", "WROTE"): (None, "Who wrote something."),
    ("DIRECTED_BY", "DIRECTED"): (None, "Who directed something."),
    ("ACQUIRED_BY", "ACQUIRED"): (None, "Who bought an organization."),
    ("PARENT_OF", "CHILD_OF"): (None, "Whose parent someone is."),
    ("CAPITAL_OF", "HAS_CAPITAL"): (None, "The capital of a country or region."),
}
_SYMMETRIC = {
    "MARRIED_TO": (_FIVE, "Who is married to whom."),
    "SIBLING_OF": (None, "Who has the same parents."),
    "FRIEND_OF": (_FIVE, "Who is a friend of whom."),
    "COMPATIBLE_WITH": (_TWO, "What works together."),
    "CONFLICTS_WITH": (_TWO, "What does not work together."),
    "COMPETES_WITH": (_TWO, "Who competes with whom."),
    "PARTNERS_WITH": (_TWO, "Who works together with whom."),
    "DIFFERS_FROM": (None, "What is told apart from what."),
    "RELATED_TO": (None, "What has to do with what."),
    "BORDERS": (None, "What lies next to what."),
}
# fmt: on


def _shipped() -> dict[str, Shipped]:
    found = {name: Shipped(Cardinality.ONE, None, *rest) for name, rest in _ONE.items()}
    found |= {name: Shipped(Cardinality.MANY, None, *rest) for name, rest in _MANY.items()}
    found |= {name: Shipped(Cardinality.MANY, name, *rest) for name, rest in _SYMMETRIC.items()}
    for (name, other), rest in _INVERSES.items():
        for one, its in ((name, other), (other, name)):
            found[one] = found.get(one, Shipped(Cardinality.MANY, None, *rest))._replace(inverse=its)
    return found


SHIPPED = _shipped()
"""How the common predicates and relationship types are set, by name. Half-lives: what changes has one, what happened has none."""


def shipped(name: str) -> Shipped:
    """Return how a predicate is set where nobody has set it otherwise; one that is not listed is MANY and nothing else."""
    return SHIPPED.get(name, Shipped())


Edge = tuple[UUID, UUID, str]
"""A relationship's source, target and type."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a volume has set of some predicates: its own rows, and the list for what has no row yet."""

    rows: Mapping[str, PredicateRecord]

    def inverse(self, name: str) -> str | None:
        """Return what a type is called from the other end; itself where it is symmetric."""
        if name in self.rows:
            return self.rows[name].inverse
        listed = shipped(name).inverse
        other = None if listed in self.rows else listed
        return next((row.name for row in self.rows.values() if row.inverse == name), other)

    def is_mutual(self, type: str) -> bool:
        """Return whether a type is symmetric."""
        return self.inverse(type) == type

    def has_one(self, name: str) -> bool:
        """Return whether a subject has one claim of a predicate at a time."""
        return self.cardinality(name) == Cardinality.ONE

    def cardinality(self, name: str) -> str:
        """Return how many claims of a predicate a subject can have at a time."""
        return self.rows[name].cardinality if name in self.rows else shipped(name).cardinality.value

    def stored_by(self, type: str) -> str:
        """Return the type by which relationships of a type are stored: its inverse where a subject has one of that, and many of it."""
        inverse = self.inverse(type)
        return type if inverse is None or self.has_one(type) or not self.has_one(inverse) else inverse

    def key(self, edge: Edge) -> Edge:
        """Return what is equal for relationships that say the same: A WORKS_AT B and B EMPLOYS A."""
        return min(edge, self.turned(edge) or edge)

    def turned(self, edge: Edge) -> Edge | None:
        """Return a relationship as it is stated from its other end; None where it cannot be."""
        source, target, type = edge
        inverse = self.inverse(type)
        return None if inverse is None else (target, source, inverse)


async def vocabulary(tx: Transaction, names: Iterable[str]) -> Vocabulary:
    """Return what the volume has set of these predicates and of their inverses. One statement for 500; none for no names."""
    asked = set(names)
    asked |= {other for other in (shipped(name).inverse for name in asked) if other is not None}
    return Vocabulary({row.name: row for row in await tx.read.predicates_about(tx.volume_id, asked)})


async def register(tx: Transaction, names: Iterable[str | None], known: Vocabulary | None = None) -> None:
    """Make the predicates and relationship types in use known to the volume. `known` is what it has set of them.

    Without that one statement, where the list knows an inverse of one of them.
    """
    used = sorted({name for name in names if name is not None})
    words = known or await vocabulary(tx, (name for name in used if shipped(name).inverse is not None))
    rows: list[dict[str, Any]] = []
    for name in used:
        if name not in words.rows:
            columns = shipped(name)._asdict() | {"cardinality": words.cardinality(name), "inverse": words.inverse(name)}
            own = {"volume_id": tx.volume_id, "name": name, "symmetric": columns["inverse"] == name}
            rows.append({**own, **columns})
    tx.insert_if_absent(models.Predicate, rows)
