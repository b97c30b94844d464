"""Skills: the lists of a résumé, with or without categories: what somebody knows, which languages somebody speaks, which papers somebody holds.

An item is an entity where it names a technology; "Machine learning" or "Leadership" is a fact in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spacy.tokens import Doc

from server.services.extraction import lexicon, vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.dates import stated
from server.services.extraction.draft import Draft
from server.services.extraction.forms import Named, name_at
from server.services.extraction.kinds import Trust
from server.services.extraction.markup import Block
from server.services.extraction.names import Name
from server.services.extraction.protocol import ValueType

_CATEGORY = re.compile(r"[^\W\d_][\w /&+.-]{1,40}:\s+")
_ITEM = re.compile(r"(?:[^,;|•·()]|\([^()]*\))+")
_LEVEL = re.compile(
    r"\s*(?:\([^()]*\)|[-–—:]\s*(?:expert|advanced|intermediate|beginner|basic|proficient|fluent|\d+\+?\s*(?:years?|yrs?)).*)$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\s+v?\d+(?:\.\d+)*\+?$")
_ODD = re.compile(r"[A-Z][A-Z0-9]{1,5}|[A-Za-z]*[a-z][A-Z]\w*|\w+\.(?:js|io|NET|py|rs)|\.NET.*|\w+[+#]{1,2}|\w*\d\w*")
_TONGUES = vocabulary.wordset(
    "english german french spanish italian portuguese dutch polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian "
    "swedish norwegian danish finnish estonian latvian lithuanian icelandic irish welsh catalan basque galician serbian croatian bosnian "
    "slovenian albanian macedonian mandarin cantonese chinese japanese korean vietnamese thai indonesian malay tagalog filipino hindi urdu "
    "bengali punjabi tamil telugu marathi gujarati kannada malayalam sinhala nepali persian farsi arabic hebrew amharic swahili yoruba igbo "
    "hausa zulu afrikaans esperanto latin kurdish armenian georgian azerbaijani kazakh uzbek mongolian burmese khmer lao"
)
_LONGEST_ITEM = 50
_MOST_WORDS = 5


@dataclass(frozen=True, slots=True)
class SkillList:
    """A list of what somebody knows, from `start` on."""

    block: Block
    start: int = 0

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the technologies among the items."""
        found = []
        for start, item in items(block.text, self.start):
            bare = _bare(item)
            listed = lexicon.is_technology(bare)
            if listed or _is_technology(bare):
                name = name_at(doc, start, bare, "technology", Trust.LIST if listed else Trust.CUE)
                found += [name] if name is not None else []
        return found

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Relate the person to each technology, and state the other items in words."""
        if topic is None or topic.type != "person":
            return
        members = {name.start: member for name, member in named}
        for start, item in items(self.block.text, self.start):
            member = members.get(start)
            tongue = item.split()[0].lower().strip("(:–-")
            if member is not None:
                draft.relate(topic, "HAS_SKILL", member)
            elif tongue in _TONGUES:
                state_tongue(topic, item, draft)
            elif len(item.split()) <= _MOST_WORDS:
                draft.state(topic, f"skill: {item}", "skill", "HAS_SKILL")


@dataclass(frozen=True, slots=True)
class Tongues:
    """A list of the languages that somebody speaks; they are values, not entities."""

    block: Block

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return nothing."""
        return []

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """State each language with its level."""
        for _, item in items(self.block.text):
            if topic is not None and topic.type == "person" and set(re.findall(r"\w+", item.lower())) & _TONGUES:
                state_tongue(topic, item, draft)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A line that names a certificate somebody holds."""

    block: Block

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return nothing: who issued it is part of what it is called."""
        return []

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """State the certificate, from its date on."""
        if topic is not None and topic.type == "person" and len(self.block.text) < 150:
            when = stated(self.block.text)
            draft.state(topic, self.block.text, "education", "HAS_CERTIFICATE", importance=0.6, when=when, event=True)


def items(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the items of a list with their places; a category before them is none."""
    category = _CATEGORY.match(text, start)
    position = category.end() if category else start
    for match in _ITEM.finditer(text, position):
        item = match[0]
        first = match.start() + len(item) - len(item.lstrip())
        item = item.strip().strip(".").strip()
        for word in ("and ", "& "):
            if item.startswith(word):
                first, item = first + len(word), item[len(word) :]
        if item and len(item) <= _LONGEST_ITEM and re.search(r"[^\W\d_]", item):
            yield from _halves(first, item)


def _halves(start: int, item: str) -> Iterator[tuple[int, str]]:
    """Yield the two technologies of "HTML/CSS" or "Docker and Kubernetes" apart; other pairs stay one item."""
    for joint in (" and ", " & ", " / ", "/"):
        first, found, second = item.partition(joint)
        both = _is_known(first) and _is_known(second)
        if found and both:
            yield start, first
            yield start + len(first) + len(joint), second
            return
    yield start, item


def speaks(text: str) -> bool:
    """Tell whether a list names natural languages."""
    return bool({word.lower() for word in re.findall(r"\w+", text)} & _TONGUES)


def lists_technologies(text: str) -> bool:
    """Tell whether a line is a list of known technologies and nothing else: "Java, Spring, Kafka"."""
    found = [item for _, item in items(text)]
    return len(found) > 1 and "," in text and all(_is_known(_bare(item)) for item in found)


def state_tongue(person: Member, item: str, draft: Draft) -> None:
    """State that somebody speaks a language."""
    tongue = next((word for word in re.findall(r"\w+", item) if word.lower() in _TONGUES), item)
    draft.state(person, f"speaks {item}", "language", "SPEAKS", value=tongue, value_type=ValueType.TEXT)


def _bare(item: str) -> str:
    """Return an item without its level and its version."""
    bare = _LEVEL.sub("", item).strip()
    unversioned = _NUMBERED.sub("", bare)
    return unversioned if lexicon.is_technology(unversioned) and not lexicon.is_technology(bare) else bare


def _is_known(item: str) -> bool:
    return lexicon.is_technology(item) is not None


def _is_technology(item: str) -> bool:
    """Tell whether an item that no list knows names a technology: an odd shape, or a capital and no common word."""
    words = item.split()
    if not 1 <= len(words) <= 3 or item.lower() in _TONGUES:
        return False
    if len(words) == 1 and _ODD.fullmatch(item):
        return True
    if not all(word[0].isupper() or word[0].isdigit() for word in words):
        return False
    return not lexicon.is_common(words[0]) and not any(word.lower() in vocabulary.words("not_names") for word in words)
