"""Quotations: which words somebody else is quoted with, so that the text does not say them itself."""

from __future__ import annotations

import re

from spacy.tokens import Doc

_QUOTED = re.compile(r"“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|‘[^‘’]*’(?!\w)|(?<!\w)\"[^\"]*\"(?!\w)")
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})


def quoted(doc: Doc) -> frozenset[int]:
    """Return the tokens inside quotation marks that hold a finite verb; a title or a name in quotation marks is no quotation."""
    found: set[int] = set()
    for match in _QUOTED.finditer(doc.text):
        inside = [token for token in doc if match.start() <= token.idx < match.end()]
        if any(token.tag_ in _FINITE for token in inside):
            found |= {token.i for token in inside}
    return frozenset(found)
