"""Wording: whether two English words may say the same: forms of one word, and the words that ask for the same kind of claim.

It is for telling which claims a question asks for, so it errs towards likeness; the claims' names decide between what is alike. The groups
are data.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

__all__ = ["ASKING", "alike", "meanings", "stem", "words_of"]

_WORD = re.compile(r"[^\W_]+(?:[-.'’+#/][^\W_]+)*[+#]*")
_IRREGULAR = {
    form: word
    for word, forms in {
        "use": "uses used using usage",
        "make": "made makes making maker",
        "build": "built builds building builder",
        "lead": "led leads leading",
        "write": "wrote written writes writing writer",
        "sell": "sold sells selling",
        "buy": "bought buys buying",
        "teach": "taught teaches",
        "speak": "spoke spoken speaks",
        "know": "knew known knows knowledge",
        "grow": "grew grown",
        "run": "ran runs running",
        "win": "won wins winner",
        "hold": "held holds",
        "keep": "kept keeps",
        "begin": "began begun begins",
        "leave": "left leaves",
        "give": "gave given gives",
        "take": "took taken takes",
        "bear": "born bears",
        "die": "died dies death",
        "differ": "difference differences different differently",
        "study": "studied studies student",
        "marry": "married marries wife husband spouse",
        "price": "prices priced pricing",
        "person": "people persons",
        "company": "companies",
        "compare": "comparison compares compared",
        "relate": "relation relationship related relates relations relationships",
        "depend": "dependency dependencies depends",
    }.items()
    for form in (word, *forms.split())
}
_ENDS = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ors",
    "ers",
    "ions",
    "ed",
    "es",
    "al",
    "ly",
    "or",
    "er",
    "ion",
    "s",
    "e",
    "y",
)
_SHORTEST = 3
_GROUPS = (
    "cost price pay charge fee expensive cheap",
    "include contain come feature offer provide support have bundle",
    "support compatible work integrate connect use",
    "create make develop invent author write build design introduce",
    "write author",
    "found establish start set",
    "work employ job employer",
    "live reside home dwell",
    "base headquarter headquarters locate office situate",
    "study graduate educate attend university degree msc bsc phd",
    "teach study tutor mentor supervise",
    "skill know able proficient",
    "role job position occupation profession title",
    "publish release launch announce introduce appear",
    "buy acquire purchase",
    "lead head run manage direct",
    "own possess belong have",
    "use employ rely base",
    "require need demand must",
    "replace succeed supersede follow",
    "prevent stop block avoid forbid",
    "commit contract",
    "join work",
    "old age born",
    "large big size population",
    "locate stand",
    "company organization firm business employer vendor maker",
    "person engineer developer author",
    "tool product technology software program",
    "technology framework library language database",
    "place city town country region",
    "feature function capability",
)
ASKING = frozenset(
    "a about above after all also am an and any are as at be because been before being between both but by can could describe did do does "
    "doing done down each either else ever every explain few for from further get give got had has have having he her here hers him his "
    "how i if in into is it its just let like list many may me might more most much my name named no nor not now of off "
    "on once one only or other our ours out over own please regarding same say says shall she should show so some such tell than that the "
    "their them then there these they this those through to too under until up us very via want was we were what when "
    "where whether which while who whom whose why will with within without would you your yours kind sort type thing things exactly "
    "actually really still currently key main major team setup true possible correct".split()
)
"""Words that say nothing of what is asked for."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without an owner's ending; figures, versions and signs such as C++ are whole."""
    return [re.sub(r"['’]s?$", "", found.group()).casefold() for found in _WORD.finditer(text.replace("_", " "))]


@cache
def stem(word: str) -> str:
    """Return what is equal for the forms of an English word, mostly; a word with a digit stays as it is."""
    word = word.casefold()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if any(sign.isdigit() for sign in word) or not word.isascii():
        return word
    for end in _ENDS:
        if word.endswith(end) and len(word) - len(end) >= _SHORTEST and not (end == "s" and word.endswith("ss")):
            kept = word[: -len(end)]
            return stem(kept) if end == "s" else _bare(kept)
    return word


def _bare(word: str) -> str:
    """Return a stem without what its ending had made of it: planned, tries, largely."""
    if len(word) > _SHORTEST and word[-1] in "iey":
        word = word[:-1]
    return word[:-1] if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "lsz" else word


@cache
def meanings(word: str) -> frozenset[str]:
    """Return the stems that may say the same as a word, its own among them."""
    own = stem(word)
    return frozenset({own}.union(*(group for group in _grouped() if own in group)))


@cache
def _grouped() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(stem(word) for word in group.split()) for group in _GROUPS)


def alike(word: str, stems: Collection[str]) -> bool:
    """Return whether a word, or one that may say the same, is among these stems."""
    return not meanings(word).isdisjoint(stems)
