"""The legal forms of organizations (Inc., GmbH, 株式会社), and how to take one off a folded name.

Some are also words, places or names ("Company", "Denver, CO", "Reno, NV"): those go only where the writing shows what
they are, or where the name is known to be an organization's.
"""

from __future__ import annotations

import re

__all__ = ["without_legal_form"]

_CERTAIN = r"""
inc incorporated llc llp ltd limited corp corporation gmbh mbh plc pty pte pvt oyj sarl srl ltda kft zrt bhd sdn ohg kgaa eirl jsc pjsc
ojsc a/s s/a nyrt ehf bvba kabushiki\s?kaisha co\.?,?\s?ltd co\.?,?\s?limited pty\.?\s?ltd sdn\.?\s?bhd sp\.?\s?z\s?o\.?\s?o
s\.?\s?r\.\s?o a\.\s?ş anonim\s?şirketi ltd\.?\s?şti α\.\s?ε private\s?limited s\.?\s?a\.?\s?de\s?c\.?\s?v
(?:gmbh|ag)\s?(?:&|and)\s?co\.?\s?(?:kgaa|kg|ohg)
"""
_ABBREVIATED = "sa sas spa srl sarl bv nv ag as ab kk lp llc llp plc doo sro kg cv rl sl slu dd ae ev"  # with dots they are no words
_WORDS = "company sas spa asa aps"  # after a comma they are legal forms
_CODES = "co ag sa bv nv oy ab as kk kg se lp"  # after a comma they may be a state: Denver, CO

_TAIL = r"[\s.,;:!?\"')\]]*$"
_BEFORE = r"(?<![\s,&])(?<!\band)(?:\s*,\s*|\s+)"
_AFTER_COMMA = r"(?<![\s,&])\s*,\s*"


def _any(*forms: str) -> str:
    return "(?:" + "|".join(sorted(" ".join(forms).split(), key=len, reverse=True)) + ")"


_SURE = (_CERTAIN, *(r"\.\s?".join(form) for form in _ABBREVIATED.split()))

_SUFFIX = re.compile(rf"(?:{_BEFORE}(?:{_any(*_SURE)}\.?|co\.)|{_AFTER_COMMA}{_any(_WORDS)}\.?){_TAIL}")
_WIDE_SUFFIX = re.compile(rf"{_BEFORE}{_any(*_SURE, _WORDS, _CODES)}\.?{_TAIL}")
_PREFIX = re.compile(r"^(?:ооо|оао|пао|зао|ао)\s+(?=\S)")
_WORD_PREFIX = re.compile(r"^(?:شركة)\s+(?=\S)")
_EAST_ASIAN = r"(?:株式会社|有限会社|合同会社|(?:股份|有限责任|有限責任)?有限公司|有限责任公司|有限責任公司|주식회사|유한회사|\([株有同주유]\))"
_EAST_ASIAN_PREFIX = re.compile(rf"^{_EAST_ASIAN}\s*(?=\S)")
_EAST_ASIAN_SUFFIX = re.compile(rf"(?<=\S)\s*{_EAST_ASIAN}{_TAIL}")

_FOREIGN: tuple[re.Pattern[str], ...] = (_EAST_ASIAN_SUFFIX, _PREFIX, _EAST_ASIAN_PREFIX)


def without_legal_form(name: str, *, organization: bool = False) -> str:
    """Return the folded `name` without one legal form before or after it, or as it is where it has none.

    `organization` says that the name is known to be an organization's: forms that are also words ("Foo Company", "Foo AG")
    go as well. "& Co." is part of a name and stays. Nothing is ever taken from a name that consists of its form.
    """
    patterns = [_WIDE_SUFFIX if organization else _SUFFIX]
    if not name.isascii():
        patterns += [*_FOREIGN, *([_WORD_PREFIX] if organization else [])]
    for pattern in patterns:
        shorter = pattern.sub("", name, count=1).strip()
        if shorter != name and any(sign.isalnum() for sign in shorter) and shorter not in {"the", "a", "an"}:
            return shorter
    return name
