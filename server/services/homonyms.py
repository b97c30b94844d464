"""Homonyms: two people of one name, told apart by a role that only one at a time can have at different organizations.

Pure rules on what is said of them; which entity a name then stands for is the business of resolution.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from server.services.identity import match_key, relation_type

__all__ = ["Role", "role_of_edge", "role_of_fact", "told_apart"]

_TITLES = (
    "CEO CHIEF_EXECUTIVE_OFFICER CHIEF_EXECUTIVE", "CFO CHIEF_FINANCIAL_OFFICER FINANCE_CHIEF", "CTO CHIEF_TECHNOLOGY_OFFICER",
    "COO CHIEF_OPERATING_OFFICER", "CIO CHIEF_INFORMATION_OFFICER", "CMO CHIEF_MARKETING_OFFICER", "PRESIDENT", "HEAD HEADS",
    "CHAIR CHAIRMAN CHAIRWOMAN CHAIRPERSON CHAIRS", "MANAGING_DIRECTOR", "DIRECTOR_GENERAL GENERAL_DIRECTOR", "GENERAL_MANAGER",
    "EDITOR_IN_CHIEF", "HEAD_COACH", "MAYOR", "GOVERNOR", "PRIME_MINISTER", "CHANCELLOR", "RECTOR", "DEAN", "PRINCIPAL HEADMASTER HEADMISTRESS",
    "GENERAL_SECRETARY SECRETARY_GENERAL", "GENERAL_COUNSEL", "TREASURER", "COMMISSIONER",
)  # fmt: skip
_ONE_HOLDER = {title: group.split()[0] for group in _TITLES for title in group.split()}
_FRAME = re.compile(
    r"^(?:(?:IS|WAS|HAS_BEEN|BECAME|SERVES_AS|SERVED_AS|WORKS_AS|APPOINTED|NAMED)_)?(?:THE_)?(.+?)(?:_(?:OF|AT))?$"
)
_SAID = re.compile(
    r"^(?:(?:the|an?) )?(?P<title>.+?) (?:of|at) (?P<place>.+?)(?:,? (?:since|from|until|to|in|as of)\b.*|,? \d{4}.*)?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Role:
    """A role of one holder at a time: its title, where (as a match key and as it was said), and when, as far as known."""

    title: str
    at: str
    place: str
    start: datetime | None = None
    end: datetime | None = None

    @property
    def sense(self) -> str:
        """Return it as what tells namesakes apart: "CFO of Globex"."""
        return f"{self.title.replace('_', ' ') if len(self.title) < 4 else self.title.replace('_', ' ').capitalize()} of {self.place}"


def role_of_edge(type: str, place: str, start: datetime | None = None, end: datetime | None = None) -> Role | None:
    """Return the one-holder role that a relationship states ("CFO_OF" Globex), or None."""
    return _role(type, place, start, end)


def role_of_fact(content: str, start: datetime | None = None, end: datetime | None = None) -> Role | None:
    """Return the one-holder role that the content of a fact states ("CFO of Globex"), or None."""
    said = _SAID.match(content)
    return None if said is None else _role(relation_type(said["title"]), said["place"], start, end)


def _role(type: str, place: str, start: datetime | None, end: datetime | None) -> Role | None:
    framed = _FRAME.match(type)
    title = _ONE_HOLDER.get(type) or (framed and _ONE_HOLDER.get(framed[1]))
    return Role(title, match_key(place), place, start, end) if title else None


def told_apart(known: Collection[Role], said: Collection[Role]) -> Role | None:
    """Return the role that shows that two people of one name are two, as it is said of the second; None where nothing does.

    It is one that both have, at different organizations, at times that overlap or are not known. An organization where both
    have a role makes them one again.
    """
    if {role.at for role in known} & {role.at for role in said}:
        return None
    return next((s for s in said for k in known if k.title == s.title and _overlap(k, s)), None)


def _overlap(one: Role, other: Role) -> bool:
    return not (
        (one.end is not None and other.start is not None and one.end <= other.start)
        or (other.end is not None and one.start is not None and other.end <= one.start)
    )
