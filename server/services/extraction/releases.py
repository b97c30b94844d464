"""Releases: the headings of a changelog, "## 2.3.0 (2024-05-01)": a version is no entity, its date is a fact of what is released."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spacy.tokens import Doc

from server.services.extraction.cast import Cast, Member
from server.services.extraction.dates import stated
from server.services.extraction.draft import Draft
from server.services.extraction.forms import Named, name_at
from server.services.extraction.markup import Block, Kind
from server.services.extraction.names import Name
from server.services.extraction.periods import Period
from server.services.extraction.protocol import ValueType

_VERSION = r"\d+\.\d+(?:\.\d+){0,2}(?:[-.]?(?:rc|beta|alpha|dev|a|b)[.-]?\d*)?"
_RELEASE = re.compile(
    rf"(?:(?P<name>[A-Z][\w+#.-]*(?:\s[A-Z][\w+#.-]*){{0,3}})\s+)?[\[(]?(?:[Vv](?:ersion)?\.?\s?|[Rr]elease\s)?(?P<version>{_VERSION})[\])]?"
    r"(?:\s*[-–—/:,|(]?\s*[\[(]?(?P<date>[^()\[\]]{4,30})[\])]?)?$"
)
_SUPPORT = re.compile(
    r"(?:(?:[Aa]dd(?:ed|s)?|[Nn]ew|[Ii]ntroduced?|[Ii]mplement(?:ed)?)[:,]?\s+(?:\w+\s)?|[Ee]xperimental\s)?[Ss]upport(?:s|ed)?\s+(?:for\s)\S"
)
_WORDS = re.compile(r"(?:Version|Release|Released|Unreleased|Section|Chapter|Part|Step|Table|Figure)$")


@dataclass(frozen=True, slots=True)
class Release:
    """A version and its date; `name` where the heading says of what."""

    version: str
    when: Period | None
    name: str | None

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the thing released, if the heading names it."""
        found = name_at(doc, 0, self.name, "product") if self.name else None
        return [found] if found is not None else []

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """State when the version was released."""
        subject = named[0][1] if named else topic
        if subject is None or subject.type == "person" or self.when is None or self.when.value is None:
            return
        draft.state(
            subject,
            f"released version {self.version} on {self.when.text}",
            "date",
            "RELEASED",
            value=self.when.value,
            value_type=ValueType.DATE,
            importance=0.5,
            when=self.when,
            event=True,
        )


@dataclass(frozen=True, slots=True)
class Support:
    """ "Added support for Okta": what is released supports it."""

    text: str

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return what any prose would name."""
        return None

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Relate the topic to each thing, or state the words where none has a name."""
        if topic is None or topic.type == "person":
            return
        for _, member in named:
            draft.relate(topic, "SUPPORTS", member)
        if not named:
            draft.state(topic, self.text, "feature", "SUPPORTS")


def read_support(block: Block) -> Support | None:
    """Return what an entry of a changelog adds support for."""
    return Support(block.text) if block.kind is Kind.ITEM and _SUPPORT.match(block.text) else None


def read_release(block: Block) -> Release | None:
    """Return the release that a heading announces; a section's number is none."""
    match = _RELEASE.match(block.text) if block.kind is Kind.HEADING else None
    if match is None:
        return None
    name = None if match["name"] is None or _WORDS.match(match["name"]) else match["name"]
    when = stated(match["date"]) if match["date"] else None
    if (match["date"] and (when is None or when.is_range)) or (name and when is None):
        return None
    return Release(match["version"], when, name)
