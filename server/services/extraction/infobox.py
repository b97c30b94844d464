"""Infoboxes: fields whose label asks for a name, in lines and in tables of two columns: "employer: Kubermatic", "| Founded | 2010 |"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spacy.tokens import Doc

from server.services.extraction import columns
from server.services.extraction.cast import Cast, Member
from server.services.extraction.cells import items, says_no
from server.services.extraction.draft import Draft
from server.services.extraction.fields import is_edge, state_field
from server.services.extraction.forms import Named
from server.services.extraction.markup import Block
from server.services.extraction.names import Name

_FIELD = re.compile(r"([A-Za-z][\w /-]{1,30}):\s(\S.{0,200})$")


@dataclass(frozen=True, slots=True)
class Pair:
    """A row of two cells that is a field of what the page is about."""

    block: Block

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return what any prose would name."""
        return None

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Add the field."""
        if topic is None or len(self.block.cells) < 2:
            return
        (_, end), (first, last) = self.block.cells[:2]
        label, value = self.block.text[:end], self.block.text[first:last]
        if label and value and not says_no(value):
            state_field(topic, label, value, [member for name, member in named if name.start >= first], draft)


@dataclass(frozen=True, slots=True)
class Field:
    """A line "employer: Kubermatic", whose value is a name because of its label; `start` is the value's first character."""

    block: Block
    label: str
    start: int

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the names in the value."""
        return items(doc, (self.start, len(block.text)), columns.kind(columns.key(self.label)) or "technology")

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Add the field."""
        if topic is not None:
            state_field(topic, self.label, self.block.text[self.start :], [member for _, member in named], draft)


def read_field_line(block: Block) -> Field | None:
    """Return the field that a line is, if its label asks for a name and the value is no sentence."""
    match = _FIELD.match(block.text)
    if match is None or not is_edge(match[1]) or block.text.endswith((".", "?", "!")) or block.speaker is not None:
        return None
    return Field(block, match[1], match.start(2))
