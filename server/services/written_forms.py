"""Forms in which one name is written: "&" and "and", "St." and "Saint", abbreviations, brackets, and the frame of a person's name.

Pure rules on folded text, each right whatever the name is of; none takes away what tells names apart. Middle names, initials, accents
and the order of words make no form of a name: they are questions for a person.
"""

from __future__ import annotations

import re

from server.services.legal_forms import without_legal_form

__all__ = ["written_alike"]

_AND = re.compile(r"(?<=\w) (?:and|und) (?=\w)")
_BRACKETS = re.compile(r"(?<=\S) \(([^()]*\w[^()]*)\)$")
_GENERATION = re.compile(r"(?<=\w), (?=(?:jr|sr|junior|senior|ii|iii|iv)\.?$)")
_OFFICE = re.compile(r"^(ministry|department) of (?:the )?(\S.*)$")
_ABBREVIATED = {
    "saint": r"st\. ?(?=[^\W\d_]{2})",
    "mount": r"mt\. ?(?=[^\W\d_]{2})",
    "fort": r"ft\. ?(?=[^\W\d_]{2})",
    "brothers": r"bros\b\.?",
    "university": r"univ\b\.?",
    "department": r"dept\b\.?",
    "government": r"govt\b\.?",
    "international": r"int'?l\b\.?",
    "national": r"nat'l\b\.?",
    "institute": r"inst\.(?= )",
    "association": r"assn\b\.?",
    "manufacturing": r"mfg\b\.?",
}
_SHORT = re.compile("|".join(rf"(?P<{word}>(?<!\S){short})" for word, short in _ABBREVIATED.items()))

_TITLE = re.compile(
    r"^(?:(?:(?:dr|prof|mr|mrs|ms|mx|mme|mlle)\.? |(?:ing|dott|sra?|capt|rev)\. |(?:professor|doctor|sir|herr|frau) )(?=\S+ \S))+"
)
_DEGREE = re.compile(r",? (?:ph\.? ?d|m\.d|dphil|d\.phil)\.?$|, (?:md|mba|msc|bsc|esq|obe|cbe)\.?$")
_LAST_FIRST = re.compile(r"^([^\W\d_][^,\d]*), ([^\W\d_][^,\d]*)$")
_SUFFIX = re.compile(r"^(?:jr|sr|junior|senior|i+|iv|v|esq|the|dr|prof|mr|mrs|ms)\.?$")
_MOST = 3


def written_alike(text: str, *, person: bool) -> str:
    """Return a folded name in the form that stands for all forms of it; of a person's also without titles, the family name last."""
    text = _AND.sub(" & ", text)
    text = _BRACKETS.sub(r" \1", text)
    text = _GENERATION.sub(" ", text)
    text = _SHORT.sub(lambda found: _full(found), text)
    text = _OFFICE.sub(r"\2 \1", text)
    return _of_person(text) if person else text


def _full(found: re.Match[str]) -> str:
    word = found.lastgroup or ""
    return word + (" " if word in ("saint", "mount", "fort") else "")


def _of_person(text: str) -> str:
    text = _DEGREE.sub("", text) if " " in text.split(",")[0].strip() else text
    parts = _LAST_FIRST.match(text)
    if (
        parts
        and not _SUFFIX.match(parts[2])
        and _no_form(text)
        and max(len(part.split()) for part in parts.groups()) <= _MOST
    ):
        text = f"{parts[2]} {parts[1]}"
    return _TITLE.sub("", text)


def _no_form(text: str) -> bool:
    return without_legal_form(text, organization=True) == text
