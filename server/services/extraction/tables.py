"""Tables: one row, statements about one thing; the heads of the columns say what is stated.

Where the first column holds labels ("Price", "SSO") and the heads are the things, the table is read the other way. Rows are never
mixed, and a row whose thing has no name says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spacy.tokens import Doc

from server.services.extraction import columns, lexicon, vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.cells import (
    PLAIN,
    feature,
    feature_of,
    is_named_feature,
    items,
    listed_items,
    name_in,
    says_no,
    says_something,
    says_yes,
)
from server.services.extraction.dates import stated
from server.services.extraction.draft import Draft
from server.services.extraction.forms import Form, Mute, Named, is_capitalised
from server.services.extraction.infobox import Pair
from server.services.extraction.markup import Block
from server.services.extraction.money import amounts
from server.services.extraction.names import Name
from server.services.extraction.periods import periods
from server.services.extraction.predicates import upper_snake
from server.services.extraction.protocol import ValueType

_NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?:\s?(million|billion|thousand|[KMB]))?$")
_SCALES = {"": 1, "thousand": 10**3, "k": 10**3, "million": 10**6, "m": 10**6, "billion": 10**9, "b": 10**9}
_CURRENCY = re.compile(r"[$€£]|\b(?:USD|EUR|GBP|CHF|SEK|NOK|DKK)\b")
_PER = re.compile(r"(?:per|/)\s*(month|mo|year|yr|user|seat|member|hour|day)\b", re.IGNORECASE)
_SPANS = {"monthly": "/month", "annual": "/year", "annually": "/year", "yearly": "/year"}
_UNDECIDED = re.compile(
    r"\b(?:planned|proposed|todo|to do|upcoming|cancelled|canceled|rejected|wip|in progress)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Table:
    """What the heads say. `things`: the names in the heads, where the table is read by columns."""

    heads: tuple[str, ...]
    keys: tuple[str, ...]
    kind: str | None
    things: tuple[str | None, ...] = ()
    price: str = ""
    """The head, or the label, that states the price itself; others of its kind state other prices."""


@dataclass(frozen=True, slots=True)
class Heads:
    """The row of heads; it names the features that rows have, or the things of a table that is read by columns, and says nothing."""

    table: Table
    ticked: frozenset[int]

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the things, or the features, in the heads."""
        if not self.table.things:
            return [name for index in sorted(self.ticked) for name in feature(doc, block.cells[index])]
        things = zip(block.cells, self.table.things, strict=False)
        return [one for cell, thing in things if thing and (one := name_in(doc, cell, self.table.kind or "product"))]

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Add nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row under its heads; `cells` are half-open in the block."""

    table: Table
    block: Block

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the row's thing, and what the columns name that are known to name something."""
        table, found, block = self.table, [], self.block
        if not table.things:
            first = name_in(doc, block.cells[0], table.kind)
            if first is None:
                return [name for cell in block.cells for name in listed_items(doc, cell)]
            found.append(first)
        for head, cell in list(zip(table.keys, block.cells, strict=False))[1:]:
            found += items(doc, cell, self._wanted(head))
        if table.things and self._is_offered():
            found += feature(doc, block.cells[0])
        return found

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Add what each cell says."""
        members = {(name.start, name.end): member for name, member in named}
        if self.table.kind == "organization" and any(columns.is_career(key) for key in self.table.keys):
            if (
                topic is not None
                and topic.type == "person"
                and (employer := members.get(self.block.cells[0])) is not None
            ):
                self._state_career(topic, employer, draft)
            return
        if self.table.things:
            self._state_columns(members, cast, draft)
        elif (subject := self._thing(members)) is not None:
            self._state_row(subject, members, cast, draft)

    def _wanted(self, head: str) -> str | None:
        """Return the type of what the column names beside the row's own thing; None where it names nothing."""
        if self.table.things:
            head = columns.key(self._text(0))
        if columns.edge(head, self.table.kind or "product") is None and not columns.is_officer(head):
            return None
        return columns.kind(head) or "technology"

    def _is_offered(self) -> bool:
        return any(says_yes(self._text(index)) for index in range(1, len(self.block.cells)))

    def _thing(self, members: dict[tuple[int, int], Member]) -> Member | None:
        """Return whom the first cell names from its start on."""
        first, last = self.block.cells[0]
        return next((one for (start, end), one in members.items() if start == first and end <= last), None)

    def _text(self, index: int) -> str:
        first, last = self.block.cells[index]
        return self.block.text[first:last]

    def _state_row(self, subject: Member, members: dict[tuple[int, int], Member], cast: Cast, draft: Draft) -> None:
        heads = list(zip(self.table.heads, self.table.keys, range(len(self.block.cells)), strict=False))[1:]
        if any(key == "status" and _UNDECIDED.search(self._text(index)) for _, key, index in heads):
            return
        posts = [
            self._text(index) for _, key, index in heads if columns.is_post(key) and says_something(self._text(index))
        ]
        employers = [
            member
            for _, key, index in heads
            if columns.edge(key, subject.type) == "WORKS_AT"
            for member in _inside(members, self.block.cells[index])
        ]
        if subject.type == "person" and posts:
            at = f" at {employers[0].name}" if employers else ""
            draft.state(subject, posts[0] + at, "experience", "HAS_ROLE", importance=0.8)
        for head, key, index in heads:
            there = _inside(members, self.block.cells[index])
            text = self._text(index)
            if columns.is_post(key) and subject.type == "person":
                continue
            if columns.is_price(key) and amounts(_priced(head, text)):
                self._state_price(subject, head, text, draft)
            elif says_yes(text):
                offered = cast.find(feature_of(head)) if is_named_feature(feature_of(head)) else None
                _state_yes(subject, head, offered, draft)
            else:
                _state_cell(subject, head, text, there, draft, role=posts[0] if posts else None)

    def _state_career(self, person: Member, employer: Member, draft: Draft) -> None:
        """Add that somebody worked or studied at the row's thing: a table of a résumé."""
        cells = list(zip(self.table.keys, range(len(self.block.cells)), strict=False))[1:]
        role = next((self._text(index) for key, index in cells if columns.is_career(key)), None)
        studied = any(columns.is_degree(key) for key, _ in cells)
        when = next((found for key, index in cells if (found := stated(self._text(index)))), None)
        words = f"{role} at {employer.name}" + (f" {when.text}" if when else "")
        if role:
            kind = ("education", "HAS_DEGREE") if studied else ("experience", "HAS_ROLE")
            draft.state(person, words, *kind, importance=0.8, when=when, event=studied)
        draft.relate(person, "STUDIED_AT" if studied else "WORKS_AT", employer, when, role)

    def _state_columns(self, members: dict[tuple[int, int], Member], cast: Cast, draft: Draft) -> None:
        label = self._text(0)
        offered = next(iter(_inside(members, self.block.cells[0])), None)
        for index, thing in enumerate(self.table.things[: len(self.block.cells)]):
            subject = cast.find(thing) if thing else None
            if subject is None or index == 0:
                continue
            text, there = self._text(index), _inside(members, self.block.cells[index])
            if columns.is_price(columns.key(label)) and amounts(_priced(label, text)):
                self._state_price(subject, label, text, draft)
            elif says_yes(text):
                _state_yes(subject, label, offered, draft)
            else:
                _state_cell(subject, label, text, there, draft)

    def _state_price(self, subject: Member, head: str, text: str, draft: Draft) -> None:
        money = amounts(_priced(head, text))[0]
        key = columns.key(head)
        predicate = "COSTS" if key == self.table.price else upper_snake(key) if len(key.split()) < 4 else None
        value = money.value
        if value is not None and "/" not in value:
            value += _per(head)
        draft.state(
            subject,
            f"{head} {text}",
            "pricing",
            predicate,
            value=value,
            value_type=ValueType.MONEY,
            importance=0.9,
        )


def read_tables(page: Sequence[Block], docs: Sequence[Doc], header: str = "") -> dict[int, Form]:
    """Return the forms of the rows on a page, by their place in it. `header`: the heads of a table that goes on from before the page."""
    found: dict[int, Form] = {}
    index = 0
    while index < len(page):
        last = index
        while last < len(page) and page[last].cells and (last == index or not page[last].level):
            last += 1
        if last > index:
            found |= _read_table(page, docs, index, last, header if index == 0 else "")
        index = max(last, index + 1)
    return found


def _read_table(page: Sequence[Block], docs: Sequence[Doc], first: int, last: int, header: str) -> dict[int, Form]:
    has_heads = bool(page[first].level)
    heads = _cell_texts(page[first]) if has_heads else [cell.strip() for cell in header.strip().strip("|").split("|")]
    body: Sequence[int] = range(first + 1 if has_heads else first, last)
    keys = [columns.key(head) for head in heads]
    rows = [page[index] for index in body]
    counted = len(keys) > 2 and columns.is_silent(keys[0]) and columns.kind(keys[1]) is not None
    if counted:  # the first column only counts the rows
        heads, keys = heads[1:], keys[1:]
        body = [index for index in body if len(page[index].cells) > 1]
        rows = [replace(page[index], cells=page[index].cells[1:]) for index in body]
    silent: dict[int, Form] = dict.fromkeys(range(first, last), Mute(nameless=True))
    if len(heads) < 2 or not rows:
        return silent
    if columns.is_pair(keys):
        return silent | {index: Pair(page[index]) for index in body}
    if columns.tells_nothing(keys):
        return silent
    things = _things(heads, keys, rows)
    kind = (
        _kind_of_things(heads, rows) if things else columns.kind(keys[0]) or ("person" if _is_of_people(keys) else None)
    )
    if kind is None and keys[0] == "name":
        kind = next((kind for head in keys[1:] if (kind := _owner_of(head))), None)
    labels = [columns.key(_cell_texts(row)[0]) for row in rows] if things else keys
    price = next((label for label in labels if columns.is_price(label)), "")
    table = Table(tuple(heads), tuple(keys), kind, things, price)
    read: dict[int, Form] = {index: Row(table, row) for index, row in zip(body, rows, strict=True)}
    ticked = {index for row in rows for index, text in enumerate(_cell_texts(row)[: len(heads)]) if says_yes(text)}
    return (
        silent
        | read
        | ({first: Heads(table, frozenset(ticked))} if has_heads and kind != "person" and not counted else {})
    )


def _owner_of(head: str) -> str | None:
    """Return the type of what has such a column: what has a price is a product."""
    if columns.is_price(head):
        return "product"
    return "person" if head in {"age", "skills"} else None


def _cell_texts(block: Block) -> list[str]:
    return [block.text[first:last] for first, last in block.cells]


def _is_of_people(keys: list[str]) -> bool:
    return keys[0] in {"name", "who", "full name"} and columns.names_people(keys)


def _things(heads: list[str], keys: list[str], rows: Sequence[Block]) -> tuple[str | None, ...]:
    """Return the things that the heads name, None for the first, or nothing where the rows are the things."""
    rest = heads[1:]
    labels = [_cell_texts(row)[0] for row in rows if row.cells]
    named = [head for head in rest if _is_thing(head)]
    if len(rest) < 2 or len(named) < len(rest):
        return ()
    plain = sum(columns.is_known(columns.key(label)) or re.search(r"\s[a-z]", label) is not None for label in labels)
    tiers = all(set(head.lower().split()) & (vocabulary.TIERS | vocabulary.PLAN_NOUNS) for head in rest)
    if columns.is_label(keys[0]) or (tiers and columns.kind(keys[0]) in {None, "product"}):
        return (None, *rest)
    return (None, *rest) if columns.kind(keys[0]) not in {None, "person"} and 2 * plain > len(labels) else ()


def _is_thing(head: str) -> bool:
    """Tell whether a head is a name: a plan's, a listed one, or capitalised and no common word."""
    words = head.lower().split()
    if not words or len(words) > 4 or columns.is_label(columns.key(head)):
        return False
    if set(words) & vocabulary.TIERS or words[-1] in vocabulary.PLAN_NOUNS or lexicon.is_technology(head):
        return True
    return head in vocabulary.listed() or (is_capitalised(head) and not lexicon.is_plain(head))


def _kind_of_things(heads: list[str], rows: Sequence[Block]) -> str:
    technologies = sum(lexicon.is_technology(head) is not None for head in heads[1:])
    return "technology" if 2 * technologies > len(heads) - 1 else "product"


def _inside(members: dict[tuple[int, int], Member], cell: tuple[int, int]) -> list[Member]:
    return [member for (first, last), member in members.items() if cell[0] <= first and last <= cell[1]]


def _priced(head: str, text: str) -> str:
    """Return a price with the currency that its head states, if the cell has none."""
    currency = _CURRENCY.search(head)
    bare = _NUMBER.match(text) is not None
    if currency is None or not bare:
        return text
    return f"{currency[0]}{text}" if len(currency[0]) == 1 else f"{currency[0]} {text}"


def _per(head: str) -> str:
    """Return what a price is paid per by its head: "Price per user/month" is "/user/month"."""
    found = [{"mo": "month", "yr": "year"}.get(unit.lower(), unit.lower()) for unit in _PER.findall(head)]
    spans = [span for word, span in _SPANS.items() if word in head.lower().split()]
    return "".join(f"/{unit}" for unit in found) or (spans[0] if spans else "")


def _state_cell(
    subject: Member, head: str, text: str, there: Sequence[Member], draft: Draft, role: str | None = None
) -> None:
    """Add what one cell says of the row's thing."""
    key = columns.key(head)
    if columns.is_silent(key) or not text or says_no(text) or text.lower() in PLAIN:
        return
    if columns.is_price(key) and not amounts(text) and text.lower() != "free":
        return
    if columns.is_officer(key) and there:
        for member in there:
            draft.relate(member, "WORKS_AT", subject, None, head)
            draft.state(member, f"{head} of {subject.name}", "experience", "HAS_ROLE", importance=0.8)
    elif (edge := columns.edge(key, subject.type)) == "INCLUDES":
        _state_inclusions(subject, text, there, draft)
    elif edge and there:
        for member in there[:1] if edge in {"LOCATED_IN", "BORN_IN"} else there:
            if edge == "CAPITAL":
                draft.relate(member, "CAPITAL_OF", subject)
            else:
                draft.relate(subject, edge, member, None, role if edge == "WORKS_AT" else None)
    else:
        _state_value(subject, head, key, text, draft)


def _state_inclusions(subject: Member, text: str, there: Sequence[Member], draft: Draft) -> None:
    """Add each item of a list of what is included: an edge where it names something, else a fact."""
    for part in re.split(r"[,;]\s+", text):
        members = [member for member in there if member.name in part]
        for member in members:
            draft.relate(subject, "INCLUDES", member)
        if not members and says_something(part):
            draft.state(subject, f"includes {part}", "feature", "INCLUDES", importance=0.6)


def _state_yes(subject: Member, head: str, offered: Member | None, draft: Draft) -> None:
    """Add that the row's thing has what the head says."""
    if columns.is_quality(columns.key(head)) or subject.type == "person":
        return
    verb = "SUPPORTS" if subject.type == "technology" else "INCLUDES"
    if offered is not None:
        draft.relate(subject, verb, offered)
    else:
        words = head if head[1:2].isupper() else head[:1].lower() + head[1:]
        draft.state(subject, f"{verb.lower()} {words}", "feature", verb, importance=0.6)


def _state_value(subject: Member, head: str, key: str, text: str, draft: Draft) -> None:
    predicate = columns.date(key)
    when = periods(f"in {text}")
    if predicate and when and when[0].value:
        draft.state(
            subject,
            f"{key} {text}",
            "date",
            predicate,
            value=when[0].value,
            value_type=ValueType.DATE,
            importance=0.6,
            when=when[0],
            event=True,
        )
        return
    if columns.is_definition(key):
        if 1 < len(text.split()) < 40:
            draft.state(subject, text, "definition", None, importance=0.6)
        return
    named = upper_snake(key) if re.fullmatch(r"[a-z][a-z -]{1,30}", key) and len(key.split()) < 4 else None
    money, number = amounts(text), _NUMBER.match(text)
    value = money[0].value if money else _number(number) if number else None
    kind = ValueType.MONEY if money else ValueType.NUMBER
    draft.state(subject, f"{head}: {text}", "statement", named, value=value, value_type=kind)


def _number(match: re.Match[str]) -> str:
    digits, scale = match[1].replace(",", ""), _SCALES[(match[2] or "").lower()]
    return f"{float(digits) * scale:.15g}" if "." in digits else str(int(digits) * scale)
