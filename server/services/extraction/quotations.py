"""Quotations: which words somebody else is quoted with, so that the text does not say them itself."""

from __future__ import annotations

import re
from functools import lru_cache

from spacy.tokens import Doc

from server.services.extraction.titles import is_title

_QUOTED = re.compile(r"“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|‘[^‘’]*’(?!\w)|(?<!\w)\"[^\"]*\"(?!\w)")
_FOUND = "quoted"
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})


@lru_cache(maxsize=4)
def quoted(doc: Doc) -> frozenset[int]:
    """Return the tokens inside quotation marks that hold a finite verb; a title or a name in quotation marks is no quotation.

    Found once for each tagged document.
    """
    if _FOUND not in doc.user_data:
        doc.user_data[_FOUND] = _quoted(doc)
    found: frozenset[int] = doc.user_data[_FOUND]
    return found


def _quoted(doc: Doc) -> frozenset[int]:
    found: set[int] = set()
    text = doc.text
    for match in _QUOTED.finditer(text) if any(mark in text for mark in '“„«‘"') else ():
        span = doc.char_span(*match.span(), alignment_mode="contract")
        inside = list(span) if span is not None and not is_title(span.text.strip('“”„«»‘’" ')) else []
        if any(token.tag_ in _FINITE for token in inside):
            found |= {token.i for token in inside}
    return frozenset(found)
