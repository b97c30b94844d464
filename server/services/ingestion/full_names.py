"""Full names that the volume knows: a document that takes "Ada Lind" for its "Ada M. Lind" may speak of the Ada Lind who is known.

What it says under that name goes to her, unless it says itself that the two are one, by naming both in one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from server.services.extraction.protocol import ExtractedFact, Span
from server.services.identity import match_key
from server.services.reading import NamedThing, Reading, Statement
from server.services.resolution import Named, candidates_of
from server.services.sentences import sentences
from server.store.records import EntityRecord

__all__ = ["full_names", "set_apart"]


def full_names(thing: NamedThing) -> list[str]:
    """Return the other names of a person that are full ones: two words or more, none of them a letter that stands for a word."""
    if thing.type != "person":
        return []
    return [
        name for name in thing.aliases if _full(name) and match_key(name, "person") != match_key(thing.name, "person")
    ]


def _full(name: str) -> bool:
    words = name.split()
    return len(words) > 1 and all(len(word.strip(".")) > 1 for word in words)


def set_apart(reading: Reading, known: Mapping[str, Sequence[EntityRecord]], content: str) -> None:
    """Make things of their own of full names that just one other known entity has as its own; what is said goes with the name that
    stands last before it. A second call finds nothing left to do.
    """
    for key, thing in list(reading.things.items()):
        for name in full_names(thing):
            if _is_anothers(thing, name, known) and not _said_to_be_one(content, thing.name, name):
                _split(reading, key, name, content)


def _is_anothers(thing: NamedThing, name: str, known: Mapping[str, Sequence[EntityRecord]]) -> bool:
    wanted = match_key(name, "person")
    own = [
        one for one in candidates_of(Named(name, "person"), known) if one.match_key == wanted and one.type == "person"
    ]
    return len(own) == 1 and own[0] not in candidates_of(Named(thing.name, thing.type, thing.stated), known)


def _said_to_be_one(content: str, one: str, other: str) -> bool:
    if one not in content or other not in content:
        return True
    return any(one in content[start:end] and other in content[start:end] for start, end in sentences(content))


def _split(reading: Reading, key: str, name: str, content: str) -> None:
    thing, wanted = reading.things[key], match_key(name)
    main = match_key(thing.name)
    marks = sorted(
        (span.start, own == wanted)
        for _, span in thing.mentions
        for own in [match_key(content[span.start : span.end])]
        if own in (wanted, main)
    )

    def other(span: Span) -> bool:
        before = [own for start, own in marks if start < span.end]
        return bool(before) and before[-1]

    if not any(own for _, own in marks):
        return
    apart = replace(thing, name=name, aliases=[], description=None, mentions=[m for m in thing.mentions if other(m[1])])
    thing.mentions = [mention for mention in thing.mentions if not other(mention[1])]
    thing.aliases = [alias for alias in thing.aliases if match_key(alias) != wanted]
    own = f"{key}/{wanted}"
    reading.things[own] = apart
    reading.statements = [_moved(one, key, own) if other(one.span) else one for one in reading.statements]


def _moved(statement: Statement, old: str, new: str) -> Statement:
    said = statement.said
    if isinstance(said, ExtractedFact):
        return replace(statement, said=replace(said, subject=new)) if said.subject == old else statement
    source, target = (new if end == old else end for end in (said.source, said.target))
    return replace(statement, said=replace(said, source=source, target=target))
