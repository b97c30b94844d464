"""Letters: what is written with capitals and names nobody: degrees, orders behind a name, the organs of every company."""

from __future__ import annotations

import re

from spacy.tokens import Token

from server.services.extraction import vocabulary

_DEGREE = re.compile(
    r"(?:[BM]\.?(?:A|S|Sc|F\.?A|B\.?A|Ed|Eng|Phil|Arch|Mus|Litt|Tech|Div|A\.?R|S\.?W|P\.?A|P\.?H|Th|S\.?B\.?A|S\.?N|S\.?E|C\.?A|Com)|L\.?L\.?[BMD]|Ph\.?D"
    r"|D\.?Phil|Th\.?[DM]|J\.?D)\.?"
)
ORDERS = vocabulary.wordset(
    "KBE DBE CBE OBE MBE KCB KCMG KCVO GCB GCMG CB CMG CVO KG KT OM CH RA RSA FRS FRSE FBA FRSC FRSL FRCS FRCP QC KC OC AO DSO DFC VC MD PhD JD "
    "MP MEP MSP JP"
)
"""Letters of orders, academies and degrees that stand behind a person's name without a comma: "John Ash RSA"."""
_HOLDING = vocabulary.wordset("the a an our my your his her their")
ORGANS = frozenset(
    f"{kind} {organ}"
    for kind in ("executive", "advisory", "steering", "supervisory")
    for organ in ("board", "committee", "council")
)
"""What every company has one of, however it is written: "the firm's Board of Directors"."""


def is_degree(token: Token) -> bool:
    """Tell whether letters are those of a degree, "her MFA", "BA and MA", and not a state's behind its city: "Boston, MA"."""
    if not _DEGREE.fullmatch(token.text):
        return False
    before = token.nbor(-1) if token.i else None
    return before is None or before.text != "," or (token.i > 1 and _DEGREE.fullmatch(token.nbor(-2).text) is not None)


def is_held_degree(token: Token) -> bool:
    """Tell whether somebody has the degree, so that its letters stand for nothing else: "an MFA", "her BA and MFA"."""
    before = token.nbor(-1) if token.i else token
    after_another = before.text == "and" and token.i > 1 and is_degree(token.nbor(-2))
    return is_degree(token) and (before.lower_ in _HOLDING or after_another)
