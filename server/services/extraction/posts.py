"""Posts: the lines of a résumé that hold a role or a degree, a place and dates without a verb.

"Senior Engineer, Fjordline Analytics (2019–2023)" under a person's name is employment; "MSc in Physics, University of Oslo, 2015" is
education. Such a line is taken whole, so its capitals make no other names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spacy.tokens import Doc

from server.services.extraction import vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.draft import Draft
from server.services.extraction.kinds import Trust
from server.services.extraction.markup import Block, Kind
from server.services.extraction.names import Name
from server.services.extraction.periods import Period, periods

_LONGEST = 150
_SEPARATOR = re.compile(r"\s+(?:at|@|—|–|-|\||·|•)\s+|[,;]\s+|\s*[()]\s*|:\s+|\s+(?=in [A-Z]\w+$)")
_DEGREE = re.compile(
    r"(?<!\w)(?:B\.?Sc|M\.?Sc|Ph\.?D|B\.?A|M\.?A|MBA|M\.?Eng|Bachelor|Master|Diploma|Doctorate)\b", re.IGNORECASE
)
_FINITE = frozenset({"VBZ", "VBP", "MD"})
_ROLES = vocabulary.words("roles")
_SMALL = vocabulary.PARTICLES | {"of", "and", "the", "for", "&"}


@dataclass(frozen=True, slots=True)
class Post:
    """What a line says: a role or a degree, where, when. `where` is a name that the line alone may know."""

    title: str
    studied: bool
    where: Name | None
    when: Period | None


def read_post(block: Block, doc: Doc) -> Post | None:
    """Return the post that a block is, or None where it is anything else."""
    text = block.text
    top = block.kind is Kind.HEADING and block.level == 1
    if (
        top
        or len(text) > _LONGEST
        or text.endswith((".", "?", "!", ":"))
        or any(token.tag_ in _FINITE for token in doc)
    ):
        return None
    when = next(iter(periods(text)), None)
    segments = list(_segments(text, when))
    title = next((words for _, words in segments if _is_title(words)), None)
    if title is None or (len(segments) < 2 and when is None):
        return None
    studied = _DEGREE.search(title) is not None
    places = [(start, words) for start, words in segments if words != title and _may_be_employer(words)]
    where = next(((start, words) for start, words in places if _is_institution(words)), places[0] if places else None)
    if studied and (where is None or not _is_institution(where[1])):
        where = None
    return Post(title, studied, _name(doc, *where) if where else None, when)


def state_post(person: Member, post: Post, institution: Member | None, draft: Draft) -> None:
    """Add what a post says of a person."""
    words = [post.title, *(["at", institution.name] if institution else []), *([post.when.text] if post.when else [])]
    if post.studied:
        draft.state(person, " ".join(words), "education", "HAS_DEGREE", importance=0.7, when=post.when, event=True)
    else:
        draft.state(person, " ".join(words), "experience", "HAS_ROLE", importance=0.8, when=post.when)
    if institution is not None:
        kind = "STUDIED_AT" if post.studied else "WORKS_AT"
        until_then = post.studied and post.when is not None and not post.when.is_range
        draft.relate(person, kind, institution, None if until_then else post.when, post.title)


def _segments(text: str, when: Period | None) -> Iterator[tuple[int, str]]:
    """Yield the parts of the line with their places, its date left out."""
    if when is not None:
        text = text[: when.start] + " " * (when.end - when.start) + text[when.end :]
    position = 0
    for separator in (*_SEPARATOR.finditer(text), None):
        part = text[position : separator.start() if separator else len(text)]
        if part.strip():
            yield position + len(part) - len(part.lstrip()), part.strip()
        position = separator.end() if separator else position


def _is_title(words: str) -> bool:
    return _DEGREE.search(words) is not None or any(word.lower() in _ROLES for word in re.findall(r"[\w-]+", words))


def _may_be_employer(words: str) -> bool:
    """Tell whether a part of the line is a name: capitalised throughout, no place, no person."""
    parts = words.split()
    capital = all(part[0].isupper() or part.lower() in _SMALL for part in parts)
    listed = vocabulary.listed().get(words, "organization")
    known = parts[0] in vocabulary.given_names() and not _is_institution(words)
    return capital and listed == "organization" and not known and len(parts) < 7 and not _is_title(words)


def _is_institution(words: str) -> bool:
    return any(word.lower().strip(".,") in vocabulary.ORGANIZATION_HEADS for word in words.split())


def _name(doc: Doc, start: int, words: str) -> Name | None:
    span = doc.char_span(start, start + len(words))
    if span is None:
        return None
    return Name(span.start, span.end, span.start_char, span.end_char, words, "organization", Trust.STATED)
