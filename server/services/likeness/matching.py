"""Comparing two names word by word: which words of one stand for which of the other, and what is left over.

Vetoes come before and are not looked for here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from server.services.likeness.names import Name, Word, word_of
from server.services.likeness.words import FILLERS, pet_names

__all__ = ["Alike", "compare"]

_EASTERN = frozenset({"CJK", "HANGUL"})
_FAR = (0.0, "")
_LEAST_TYPED = 6  # shorter words that differ by a letter are mostly two words


@dataclass(frozen=True, slots=True)
class Alike:
    """How much two names are alike, from 0 to 1, with the reasons."""

    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two words that may stand for each other."""

    quality: float
    reason: str
    left: int
    right: int
    initial: bool = False


_PARTLY = Alike(0.4)
"""What each has a word of its own in: John Smith and Joan Smith."""


def compare(one: Name, other: Name, *, person: bool = False) -> Alike:
    """Return how much two names are alike, by whatever they are most. Symmetric."""
    found = [_whole(one, other), _acronym(one, other), _by_words(one, other, person=person)]
    return max(found, key=lambda alike: (alike.score, alike.reasons))


def _whole(one: Name, other: Name) -> Alike:
    if one.squashed == other.squashed:
        return Alike(0.98, ("the same but for spacing, punctuation or form",))
    if one.plain and one.plain == other.plain:
        eastern = any(word.script in _EASTERN for name in (one, other) for word in name.words)
        return Alike(0.8, ("sounds the same",)) if eastern else Alike(0.94, ("the same but for accents or script",))
    if one.words and other.words and min(len(one.words), len(other.words)) == 1:
        whole = [word_of(name.squashed, name.plain, script=name.words[0].script) for name in (one, other)]
        quality, reason = _near(*whole)
        return Alike(quality, (reason,) if quality else ())
    return Alike(0.0)


def _acronym(one: Name, other: Name) -> Alike:
    for short, long in ((one, other), (other, one)):
        letters = short.squashed
        single = len(short.words) == 1 or all(word.initial for word in short.words)
        if single and len(long.words) > 1 and 2 <= len(letters) <= 6 and letters in long.acronyms:
            return Alike(0.85 if len(letters) > 2 else 0.76, ("an acronym of the other",))
    return Alike(0.0)


def _by_words(one: Name, other: Name, *, person: bool) -> Alike:
    pairs = _assigned(one.words, other.words)
    full = [pair for pair in pairs if not pair.initial]
    if not full or not (person or all(pair.quality >= 0.8 for pair in pairs)):
        return Alike(0.0)
    left = _left(one.words, {pair.left for pair in pairs})
    right = _left(other.words, {pair.right for pair in pairs})
    if left and right and "".join(w.plain for w in left) != "".join(w.plain for w in right):
        return _PARTLY
    reasons = tuple(sorted({pair.reason for pair in pairs if pair.reason}))
    score = _quality(pairs)
    if _reordered(pairs):
        score, reasons = score - (0.05 if person else 0.1), (*reasons, "in another order")
    if left and right:
        return Alike(score, reasons)
    if not left and not right:
        return Alike(score, reasons or ("the same words",))
    more = (one, left) if left else (other, right)
    factor, reason = _surplus(more[0].words, more[1], len(pairs), person=person)
    return Alike(score * factor, (*reasons, reason))


def _quality(pairs: list[Pair]) -> float:
    """The mean, less for each further word that is only nearly the same."""
    nearly = sum(pair.quality < 0.95 for pair in pairs)
    return sum(pair.quality for pair in pairs) / len(pairs) - 0.1 * max(nearly - 1, 0)


def _surplus(words: tuple[Word, ...], surplus: list[Word], matched: int, *, person: bool) -> tuple[float, str]:
    """What the words that only one name has leave of the score, and how they are called."""
    if person and matched > 1:
        inner = all(word.initial or word in words[1:-1] for word in surplus)
        return (0.92, "a middle name more") if inner else (0.8, "a name more")
    if person:
        return 0.5, "part of the other"
    if all(word.text in FILLERS for word in surplus):
        return 0.82, "a word of no weight more"
    return 0.55, "part of the other"


def _left(words: tuple[Word, ...], taken: set[int]) -> list[Word]:
    return [word for n, word in enumerate(words) if n not in taken]


def _reordered(pairs: list[Pair]) -> bool:
    order = [pair.right for pair in sorted(pairs, key=lambda pair: pair.left)]
    return order != sorted(order)


def _assigned(one: tuple[Word, ...], other: tuple[Word, ...]) -> list[Pair]:
    """The words that stand for each other, each once, the surest first."""
    pairs = []
    for left, a in enumerate(one):
        for right, b in enumerate(other):
            quality, reason = _near(a, b)
            if quality:
                pairs.append(Pair(quality, reason, left, right, a.initial != b.initial))
    if len(pairs) < 2:
        return pairs
    pairs.sort(key=lambda p: (-p.quality, abs(p.left - p.right), min(p.left, p.right), max(p.left, p.right)))
    chosen: list[Pair] = []
    for pair in pairs:
        if all(pair.left != c.left and pair.right != c.right for c in chosen):
            chosen.append(pair)
    return chosen


def _near(one: Word, other: Word) -> tuple[float, str]:
    """How well a word stands for another. Most pairs of words do not, so what is cheap to see comes first."""
    if one.text == other.text:
        return 1.0, ""
    if one.initial or other.initial:
        short, long = (one, other) if one.initial else (other, one)
        stands = not long.initial and (long.text[0] == short.text or long.plain[:1] == short.plain)
        return (0.8, "an initial") if stands else _FAR
    if one.script in _EASTERN and other.script in _EASTERN:
        return (0.8, "sounds the same") if one.plain == other.plain else _FAR
    if one.same == other.same:
        return 0.96, "a short form"
    if one.plain == other.plain:
        return 0.95, "spelled alike" if one.text.isascii() and other.text.isascii() else "accents or script"
    if one.pet and other.pet and pet_names(one.text, other.text):
        return 0.85, "a pet name"
    if one.script == other.script and (one.ending != other.ending or one.counts or other.counts):
        return _FAR
    return _spelled_alike(one, other)


def _spelled_alike(one: Word, other: Word) -> tuple[float, str]:
    """Words of two scripts by their consonants; words of one script by a slip of the pen that leaves the ending alone."""
    alike = one.sound == other.sound
    if one.script != other.script:
        return (0.85, "sounds alike") if alike and len(one.sound) > 1 else _FAR
    a, b = one.plain, other.plain
    sounds, longest, more = alike and len(one.sound) > 2, max(len(a), len(b)), abs(len(a) - len(b))
    typed = longest >= _LEAST_TYPED and more < 2 and (a[:1] == b[:1] or a[-1:] == b[-1:])
    if more > 2 or not (sounds or typed):
        return _FAR
    apart = _distance()(a, b, score_cutoff=2)
    if sounds and apart <= 2:
        return 0.88, "spelled alike"
    if apart == 1 and longest >= _LEAST_TYPED:
        return (0.86, "a slip of spelling") if more else (0.8, "a letter differs")
    return _FAR


@cache
def _distance() -> Callable[..., int]:
    from rapidfuzz.distance import OSA  # a server that only answers queries needs none of it

    return OSA.distance
