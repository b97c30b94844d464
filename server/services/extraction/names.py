"""Names: which words of a block are names, and what kind of thing each seems to be.

Evidence is the case of the words, the lists in data/, the tagger and the recogniser; a span needs the case and one more. The
grammar may correct a type later; this module never sees a parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from spacy.tokens import Doc, Token

from server.services.extraction import vocabulary
from server.services.extraction.markup import Block, Kind

_LABELS = {
    "PERSON": "person",
    "ORG": "organization",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "PRODUCT": "product",
    "EVENT": "event",
    "WORK_OF_ART": "work",
    "LAW": "concept",
}
_INNER_CASE = re.compile(r"[a-zà-ÿ].*[A-Z]|[A-Z]{2,}.*[a-z]|[A-Z].*\d")
_CAMEL = re.compile(r"[a-z]{1,2}[A-Z][A-Za-z]+$")
_ENDS_SENTENCE = frozenset('.!?:;"“”()[]—–…|•')
_JOINS = frozenset({"of", "&"})


class Trust(IntEnum):
    """How much a type is worth: what the grammar states beats a list, a list a cue in the name, a cue the recogniser."""

    SHAPE = 0
    RECOGNISER = 1
    CUE = 2
    LIST = 3
    STATED = 4


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a block: half-open token and character spans, and the type it seems to have."""

    first: int
    last: int
    start: int
    end: int
    text: str
    type: str
    trust: Trust


def spot(block: Block, doc: Doc, familiar: frozenset[str], title: str = "") -> list[Name]:
    """Return the names in a tagged block, in order, none overlapping.

    `familiar` holds names that the document used before: they are names wherever they stand, a sentence's start included; `title` is
    the name that it is about, which may be longer than any rule would find.
    """
    taken: dict[int, Name] = {}
    for name in (*_entitled(doc, title), *_listed(doc, familiar), *_shaped(block, doc, familiar)):
        rest = _clear(doc, name, taken)
        if rest is not None:
            taken |= dict.fromkeys(range(rest.first, rest.last), rest)
    found = sorted(set(taken.values()), key=lambda name: name.first)
    return [_widened(doc, name) for name in found]


def _clear(doc: Doc, name: Name, taken: Mapping[int, Name]) -> Name | None:
    """Return the part of a name before what is taken already: of "Victor Emmanuel III of Italy" the king remains."""
    last = next((index for index in range(name.first, name.last) if index in taken), name.last)
    if last < name.last:
        while last > name.first and not _is_capital(doc[last - 1]) and doc[last - 1].text not in {"I", "II", "III"}:
            last -= 1
    if last == name.first:
        return None
    return name if last == name.last else _name(doc, name.first, last, *_type(doc, name.first, last))


def _entitled(doc: Doc, title: str) -> Iterator[Name]:
    """Yield the places where the document's title stands as a name: "Mafalda of Savoy"."""
    for match in re.finditer(rf"(?<!\w){re.escape(title)}(?!\w)", doc.text) if title else ():
        span = doc.char_span(*match.span())
        if span is not None:
            kind, trust = _type(doc, span.start, span.end)
            yield _name(doc, span.start, span.end, kind, trust)


def _listed(doc: Doc, familiar: frozenset[str]) -> Iterator[Name]:
    """Yield the listed and familiar names that no longer capitalised run contains."""
    types = vocabulary.listed()
    for match in vocabulary.listed_pattern().finditer(doc.text):
        span = doc.char_span(*match.span())
        if span is not None and not _inside_longer(doc, span.start, span.end):
            yield _name(doc, span.start, span.end, types[match[0]], Trust.LIST)
    for token in doc:
        if token.text in vocabulary.words("technologies_ambiguous") and _is_ambiguous_technology(token):
            yield _name(doc, token.i, token.i + 1, "technology", Trust.LIST)


def _is_ambiguous_technology(token: Token) -> bool:
    """Tell whether a word such as Go or R names the technology here: alone, capitalised inside a sentence and tagged as a name."""
    after = token.nbor() if token.i + 1 < len(token.doc) else None
    listed = after is not None and after.text == "," and len(token.text) > 1
    if _starts_sentence(token) and not (listed and token.i and token.nbor(-1).text == ":"):
        return False
    alone = (after is None or not after.text[:1].isupper()) and not token.nbor(-1).text[:1].isupper()
    initial = len(token.text) == 1 and after is not None and after.text == "."  # John R. Smith
    return alone and not initial and (len(token.text) > 1 or token.tag_.startswith("NN"))


def _inside_longer(doc: Doc, first: int, last: int) -> bool:
    """Tell whether a capitalised run without joints reaches beyond the span: "Google Translate Team" is not Google."""
    after = doc[last] if last < len(doc) else None
    before = doc[first - 1] if first else None
    beyond = after is not None and _is_capital(after) and after.text.lower() not in vocabulary.words("not_names")
    if after is not None and beyond and after.text not in vocabulary.listed():
        return True
    if before is None or before.text in vocabulary.listed():
        return False
    if before.text == "of" and first > 1 and doc[first - 2].text.lower() in vocabulary.ORGANIZATION_OPENERS:
        return True
    return _is_capital(before) and not _starts_sentence(before) and not _is_rank(before)


def _shaped(block: Block, doc: Doc, familiar: frozenset[str]) -> Iterator[Name]:
    """Yield the runs of capitalised words that something else, too, speaks for."""
    titled = block.kind is Kind.HEADING or (_is_titled(doc) and not block.text.endswith((".", "!", "?")))
    yield from _defined(doc)
    for first, last in _runs(doc):
        first, last = _trimmed(doc, first, last)
        if first < last and _is_name(doc, first, last, familiar, titled):
            kind, trust = _type(doc, first, last)
            yield _name(doc, first, last, kind, trust)


def _defined(doc: Doc) -> Iterator[Name]:
    """Yield lower-case names that a sentence starts with to say what they are: "asyncio is a library"."""
    for token in doc[: len(doc) - 3]:
        word = token.text
        starts = token.i == 0 or doc[token.i - 1].text in {".", "!", "?"}
        if not starts or not re.fullmatch(r"[a-z][\w.-]{2,30}", word) or word in vocabulary.words("not_names"):
            continue
        rest = [one.lower_ for one in doc[token.i + 1 : token.i + 8]]
        kinds = [vocabulary.TYPE_NOUNS[one] for one in rest[2:] if one in vocabulary.TYPE_NOUNS]
        if rest[:1] == ["is"] and rest[1:2] in (["a"], ["an"], ["the"]) and kinds:
            yield _name(doc, token.i, token.i + 1, kinds[0], Trust.CUE)


def _runs(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield half-open spans of words that the case binds together, over particles, "of" after an institution, and hyphens."""
    index = 0
    while index < len(doc):
        if not _is_capital(doc[index]):
            index += 1
            continue
        end = index + 1
        while (reach := _joint(doc, index, end)) is not None:
            end = reach
        yield index, end
        index = end


def _joint(doc: Doc, start: int, end: int) -> int | None:
    """Return where the run goes on to, or None where it ends."""
    if end >= len(doc):
        return None
    token, after = doc[end], doc[end + 1] if end + 1 < len(doc) else None
    if _is_capital(token) and not _ends_run(doc[end - 1]):
        return end + 1
    if after is None:
        return end + 1 if _is_version(token, None) else None
    opener = (
        doc[end - 1].text.lower() in vocabulary.ORGANIZATION_OPENERS | vocabulary.PLACE_HEADS | vocabulary.EVENT_HEADS
    )
    across = (
        token.text == "of" and bool(token.ent_type_) and doc[end - 1].ent_type_ == token.ent_type_ == after.ent_type_
    )
    opener = opener or across or re.fullmatch(r"[IVX]{1,5}", doc[end - 1].text) is not None
    bound = token.text in vocabulary.PARTICLES or token.text == "&" or (token.text == "of" and opener)
    hyphen = token.text == "-" and not doc[end - 1].whitespace_ and not token.whitespace_
    if (bound or hyphen) and _is_capital(after):
        return end + 2
    if (
        token.text in vocabulary.PARTICLES
        and end + 2 < len(doc)
        and after.text in {"la", "los", "der", "den"}
        and _is_capital(doc[end + 2])
    ):
        return end + 3
    return end + 1 if _is_version(token, after) else None


def _is_version(token: Token, after: Token | None) -> bool:
    """Tell whether a number belongs to the name before it (SAML 2.0, Python 3): short, no year, no count of something."""
    if not re.fullmatch(r"\d{1,2}(?:\.\d{1,3}){0,2}|[IVX]{1,4}", token.text):
        return False
    return after is None or not (after.tag_.startswith("NN") or (after.text in "%:/-,–" and after.text != ","))


def _ends_run(token: Token) -> bool:
    return (
        token.text.endswith(".")
        and len(token.text) > 3
        and token.text.lower() not in vocabulary.TITLES | vocabulary.LEGAL_FORMS
    )


def _trimmed(doc: Doc, first: int, last: int) -> tuple[int, int]:
    """Drop articles, ranks, roles and plain words from the ends of a run: "CEO Tim Cook" is Tim Cook."""
    roles = [index for index in range(first, last) if doc[index].text.lower() in vocabulary.TITLE_ROLES]
    if roles and doc[first].text not in vocabulary.given_names():
        first = roles[-1] + 1
    if last - first > 1 and _starts_sentence(doc[first]) and doc[first].tag_ in {"VB", "VBP", "RB", "UH", "IN", "WRB"}:
        first += 1  # an imperative before a name: "Use HTTPS"
    while first < last and (_is_plain(doc[first]) or _is_rank(doc[first]) or not _is_capital(doc[first])):
        first += 1
    person = doc[first].text in vocabulary.given_names() if first < last else False
    while (
        first < last
        and _is_plain(doc[last - 1])
        and not (person and last - first == 2)
        and doc[last - 1].text.lower() not in vocabulary.PLAN_NOUNS
    ):
        last -= 1
    nameless = (
        vocabulary.words("not_names") | vocabulary.words("adjectives") | vocabulary.PLAN_NOUNS | vocabulary.TITLES
    )
    named = any(_bare(token) not in nameless and token.text[0].isalnum() for token in doc[first:last])
    return (first, last) if named else (last, last)


def _is_plain(token: Token) -> bool:
    partial = token.text.endswith("-") and _bare(token) in vocabulary.words("adjectives")
    return partial or _bare(token) in vocabulary.words("not_names")


def _bare(token: Token) -> str:
    return token.text.lower().strip("-")


def _is_name(doc: Doc, first: int, last: int, familiar: frozenset[str], titled: bool) -> bool:
    text = doc[first:last].text
    if text.casefold() in familiar:
        return True
    head = doc[first]
    recognised = any(token.ent_type_ in _LABELS for token in doc[first:last])
    odd = any(_is_odd(token) for token in doc[first:last])
    if text.isupper() and not odd and sum(t.is_upper for t in doc if t.is_alpha) > len(doc) // 2 > 1:
        return False  # shouting
    if titled:
        if last - first > 1 and doc[last - 1].text.lower() in vocabulary.PLAN_NOUNS:
            return True
        if doc[first].text in vocabulary.given_names() and last - first in {2, 3}:
            return True
        return (recognised and all(token.tag_.startswith("NNP") for token in doc[first:last] if token.is_alpha)) or (
            odd and last - first == 1
        )
    if not _starts_sentence(head):
        return last - first > 1 or recognised or odd or head.tag_.startswith("NN")
    if last - first == 1:
        if head.tag_ == "NNS" and last < len(doc) and (doc[last].tag_ == "VBZ" or doc[last].text == "was"):
            return not head.text.endswith("ics")  # a plural that takes a singular verb: Lanternworks was
        return (
            (head.tag_.startswith("NNP") and (recognised or _acts(doc, last)))
            or odd
            or head.text in vocabulary.given_names()
        )
    return recognised or odd or head.tag_.startswith("NNP") or doc[last - 1].text.lower() in vocabulary.PLAN_NOUNS


def _acts(doc: Doc, index: int) -> bool:
    """Tell whether what follows treats the word before it as a name: a finite verb, a possessive, a bracket."""
    return index < len(doc) and (doc[index].tag_ in {"VBZ", "VBD", "MD", "POS"} or doc[index].text == "(")


def _type(doc: Doc, first: int, last: int) -> tuple[str, Trust]:
    """Return what the span seems to name: by list, by a word in it, by a given name, by the recogniser, else a concept."""
    words = [token.text for token in doc[first:last]]
    listed = vocabulary.listed().get(doc[first:last].text)
    if listed:
        return listed, Trust.LIST
    numbered = len(words) > 1 and re.fullmatch(r"[IVX]{1,5}", words[-1]) is not None
    head, opener = words[-2 if numbered else -1].lower(), words[0].lower()
    if len(words) > 1:
        if head in vocabulary.PLAN_NOUNS:
            return "product", Trust.CUE
        if head in vocabulary.ORGANIZATION_HEADS or opener in vocabulary.ORGANIZATION_OPENERS:
            return "organization", Trust.CUE
        if head in {"prize", "award", "medal"}:
            return "award", Trust.CUE
        if head in vocabulary.EVENT_HEADS or opener in vocabulary.EVENT_HEADS:
            return "event", Trust.CUE
        if head in vocabulary.PLACE_HEADS or opener in vocabulary.PLACE_HEADS:
            return "place", Trust.CUE
    if (
        (numbered and not words[0].isupper())
        or words[0] in vocabulary.given_names()
        or (first and doc[first - 1].text.lower() in vocabulary.TITLES)
    ):
        return "person", Trust.CUE
    labels = [_LABELS[token.ent_type_] for token in doc[first:last] if token.ent_type_ in _LABELS]
    odd = (words[0].isupper() and len(words) == 1) or any(character.isdigit() for word in words for character in word)
    odd = odd or (first > 0 and doc[first - 1].lower_ == "the")
    if labels and not (odd and labels[-1] == "person"):
        return labels[-1], Trust.RECOGNISER
    return "concept", Trust.SHAPE


def _widened(doc: Doc, name: Name) -> Name:
    """Take a following "plan" or "tier" into the name of a plan: "the Enterprise plan"."""
    after = doc[name.last] if name.last < len(doc) else None
    if after is None or after.text.lower() not in vocabulary.PLAN_NOUNS or name.trust is Trust.LIST:
        return name
    return _name(doc, name.first, name.last + 1, "product", Trust.CUE)


def _name(doc: Doc, first: int, last: int, kind: str, trust: Trust) -> Name:
    span = doc[first:last]
    return Name(first, last, span.start_char, span.end_char, span.text, kind, trust)


def _is_capital(token: Token) -> bool:
    return token.text[0].isupper() or bool(_CAMEL.match(token.text))


def _is_odd(token: Token) -> bool:
    """Tell whether the word's very shape is a name's: FastAPI, SSO, GPT-3."""
    return (
        len(token.text) > 1
        and (token.text.isupper() or bool(_INNER_CASE.search(token.text)))
        and token.text.lower() not in (vocabulary.words("not_names"))
    )


def _is_rank(token: Token) -> bool:
    return token.text.lower() in vocabulary.TITLES


def _starts_sentence(token: Token) -> bool:
    return token.i == 0 or token.nbor(-1).text in _ENDS_SENTENCE or token.nbor(-1).text.endswith((".", "!", "?"))


def _is_titled(doc: Doc) -> bool:
    """Tell whether the block is set like a title, so that capitals say nothing."""
    words = [token for token in doc if token.is_alpha and len(token.text) > 3]
    return len(words) > 3 and sum(_is_capital(token) for token in words) > 0.7 * len(words)


def texts(names: Iterable[Name]) -> frozenset[str]:
    """Return the names' texts, case-folded; a plan's short form is one of them."""
    found = {name.text.casefold() for name in names}
    short = {text.rsplit(" ", 1)[0] for text in found if text.rsplit(" ", 1)[-1] in vocabulary.PLAN_NOUNS}
    return frozenset(found | short)


def of_title(title: str, text: str) -> str:
    """Return the title without what its brackets and commas add, where the text uses it as a name; else nothing."""
    head = re.split(r"\s*[(,:|–—]", title.strip(), maxsplit=1)[0].strip()
    small = vocabulary.PARTICLES | {"of", "the"}
    plain = head.casefold() in vocabulary.words("not_names") or len(head.split()) > 5
    plain = plain or not all(word[0].isupper() or word in small for word in head.split())
    used = bool(head) and re.search(rf"(?<!\w){re.escape(head)}(?!\w)", text) is not None
    return head if used and not plain else ""
