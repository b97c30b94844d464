"""Cells: what a cell of a table, or the value of a field, holds: yes or no, a name of the kind that its column asks for, a list of them."""

from __future__ import annotations

import re

from spacy.tokens import Doc

from server.services.extraction import lexicon, vocabulary
from server.services.extraction.forms import is_capitalised, looks_like_person, name_at
from server.services.extraction.kinds import Trust
from server.services.extraction.money import amounts
from server.services.extraction.names import Name

_YES = frozenset("yes y ✓ ✔ ✔️ ✅ ☑ 🟢 true included :white_check_mark: :heavy_check_mark:".split())
_NO = frozenset("no n ✗ ✘ ❌ ✕ × ☐ 🔴 - – — -- false none n/a na tbd tba ? … ... :x: null".split())
_PART = re.compile(r"[^,;/•+]+(?:/[^\s,;]+)*")
PLAIN = vocabulary.wordset("remote various internal several many worldwide global online hybrid other custom own")
"""Words that stand in columns of names and name nothing."""
_LABELS = frozenset({"ORG", "PRODUCT", "GPE", "PERSON", "LOC", "FAC"})
_LONGEST_ITEM = 60
_ASIDE = re.compile(r"(?<=\S)\s*\([^()]*\)$")
"""What a cell adds to a name in brackets: "Hobby (Free)"."""


def says_yes(text: str) -> bool:
    """Tell whether a cell says yes, by word or by sign."""
    return text.lower().strip(" .*") in _YES


def says_no(text: str) -> bool:
    """Tell whether a cell says no, or that there is nothing to say."""
    return text.lower().strip(" *") in _NO or re.match(r"(?:no|not|none|without)\b", text.lower()) is not None


def says_something(text: str) -> bool:
    """Tell whether a cell says more than yes or no."""
    return bool(text.strip()) and not says_yes(text) and not says_no(text)


def name_in(doc: Doc, cell: tuple[int, int], kind: str | None) -> Name | None:
    """Return a cell as a name, if it looks like one of what its column names."""
    text = _ASIDE.sub("", doc.text[cell[0] : cell[1]])
    if not text or len(text) > _LONGEST_ITEM or len(text.split()) > 6 or not re.search(r"[^\W\d_]", text):
        return None
    if says_no(text) or says_yes(text) or text.endswith((".", ":", "?")) or amounts(text):
        return None
    known = text in vocabulary.listed() or lexicon.is_technology(text) is not None
    if kind == "person":
        return name_at(doc, cell[0], text, kind) if looks_like_person(text, full=False) else None
    if kind is None:
        recognised = any(token.ent_type_ in _LABELS for token in doc if cell[0] <= token.idx < cell[1])
        if not known and not (recognised and is_capitalised(text) and not lexicon.is_plain(text)):
            return None
        return name_at(doc, cell[0], text, "concept", Trust.SHAPE)
    lower = (
        kind in {"technology", "product"}
        and len(text.split()) == 1
        and (not lexicon.is_common(text) or re.search(r"[-_.\d]", text))
    )
    return name_at(doc, cell[0], text, kind) if known or lower or is_capitalised(text) else None


def items(doc: Doc, cell: tuple[int, int], kind: str | None) -> list[Name]:
    """Return the names in a cell that lists some."""
    text = doc.text[cell[0] : cell[1]]
    if kind is None or not says_something(text):
        return []
    spans = [(cell[0] + part.start(), part[0]) for part in _PART.finditer(text)]
    if kind == "organization":
        spans = [(cell[0], text)]
    found = []
    for start, part in spans:
        word = part.strip()
        start += len(part) - len(part.lstrip())
        bare = re.sub(r"\s*\(.*?\)$", "", word)
        if (name := name_in(doc, (start, start + len(bare)), kind)) is not None and not _is_too_plain(bare, kind):
            found.append(name)
    return found


def listed_items(doc: Doc, cell: tuple[int, int]) -> list[Name]:
    """Return the parts of a cell that a list knows as names."""
    text = doc.text[cell[0] : cell[1]]
    parts = [
        (cell[0] + match.start() + len(match[0]) - len(match[0].lstrip()), match[0].strip())
        for match in _PART.finditer(text)
    ]
    known = [(start, part) for start, part in parts if part in vocabulary.listed()]
    return [name for start, part in known if (name := name_at(doc, start, part, "concept")) is not None]


def _is_too_plain(text: str, kind: str) -> bool:
    """Tell whether a text in a column of names is after all only a word: "Remote", "Various", "Internal"."""
    listed = vocabulary.listed().get(text)
    if kind == "place" and listed:
        return listed != "place"
    if listed or lexicon.is_technology(text):
        return False
    return text.lower() in PLAIN or (kind in {"technology", "place"} and lexicon.is_plain(text))


def feature(doc: Doc, cell: tuple[int, int]) -> list[Name]:
    """Return the label of a row as a named feature: listed, of an odd shape, or capitalised throughout."""
    text = feature_of(doc.text[cell[0] : cell[1]])
    return [name for name in [name_at(doc, cell[0], text, "feature")] if name is not None and is_named_feature(text)]


def feature_of(label: str) -> str:
    """Return what a label says is there: "SAML support" is SAML."""
    return re.sub(r"(?<=\S)\s+[Ss]upport$", "", label)


def is_named_feature(text: str) -> bool:
    """Tell whether a feature has a name of its own: SSO, Audit Logs; "Audit logs" only where the list knows it."""
    listed = {name.casefold() for name in vocabulary.listed()}
    words = text.split()
    odd = len(words) == 1 and re.fullmatch(r"[A-Z][A-Z0-9]{1,6}|[A-Z][a-z]+[A-Z]\w*", text) is not None
    titled = 1 < len(words) < 5 and all(word[0].isupper() or word.lower() in {"&", "and", "of"} for word in words)
    return text.casefold() in listed or odd or titled
