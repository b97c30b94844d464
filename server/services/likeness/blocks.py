"""Blocking: the keys under which names that may be alike meet, so that nobody compares all with all.

An entity is stored under some keys and looked for under others, because what differs lies on one side: an acronym looks
for the words, an initial for a name. Numbers and signs are part of every key: where they differ, there is a veto.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b

from server.services.likeness.names import Name, Word, name_of, romanised, skeleton
from server.services.likeness.words import FILLERS, TITLES, pet_root

__all__ = ["probes", "stored_keys"]

_NAMES = 32
_MOST = 4  # words of a long name that make keys of their own
_LEAST_HALVED = 5


def stored_keys(names: Iterable[str]) -> set[int]:
    """Return the keys under which an entity of these names is stored; some four to eight of a name, of at most 32 names."""
    return _hashed(names, _stored)


def probes(names: Iterable[str]) -> set[int]:
    """Return the keys under which entities that are like one of these names may be stored."""
    return _hashed(names, _probed)


def _hashed(names: Iterable[str], make: Callable[[Name, list[Word]], Iterator[str]]) -> set[int]:
    found: set[int] = set()
    for _, name in zip(range(_NAMES), dict.fromkeys(names), strict=False):
        parts = name_of(name)
        apart = "|".join([*(code[1] for code in parts.codes), "", *map(str, parts.counted), "", *parts.signs])
        found |= {_hash(f"{apart}/{key}") for key in make(parts, _content(parts))}
    return found


def _hash(key: str) -> int:
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


def _content(name: Name) -> list[Word]:
    """The words that tell: neither titles nor fillers, unless there are no others."""
    told = [w for w in name.words if w.initial or (w.text not in TITLES and w.text not in FILLERS)]
    return told or list(name.words)


def _stored(name: Name, words: list[Word]) -> Iterator[str]:
    yield from _shared(words)
    yield from (f"a:{letters}" for letters in name.acronyms if len(letters) > 1)
    plain = "".join(word.plain for word in words)
    if len(words) == 1 and 2 <= len(plain) <= 6:
        yield f"s:{name.squashed}"
    if _halved(words):
        half = len(plain) // 2
        yield f"h:{plain[:half]}:{plain[-1]}"
        yield f"t:{plain[0]}:{plain[half:]}"


def _probed(name: Name, words: list[Word]) -> Iterator[str]:
    yield from _shared(words)
    yield from (f"s:{letters}" for letters in name.acronyms if len(letters) > 1)
    if len(words) == 1 and 2 <= len(name.squashed) <= 6:
        yield f"a:{name.squashed}"
    if _halved(words):
        plain = "".join(word.plain for word in words)
        for length in (len(plain) - 1, len(plain), len(plain) + 1):
            yield f"h:{plain[: length // 2]}:{plain[-1]}"
            yield f"t:{plain[0]}:{plain[-(length - length // 2) :]}"


def _shared(words: list[Word]) -> Iterator[str]:
    """The whole by its consonants; and each word with the initial of another, in whatever order they stand."""
    plain = "".join(word.plain for word in words)
    sound = skeleton(plain)
    yield f"w:{sound if len(sound) > 2 else plain}"
    told = words if len(words) <= _MOST else [*words[: _MOST // 2], *words[-_MOST // 2 :]]
    for word in told:
        if not word.initial and len(word.plain) > 1:
            for other in told:
                if other is not word:
                    yield f"p:{skeleton(word.plain)}:{_first(other)}"


def _first(word: Word) -> str:
    return romanised(pet_root(word.text))[:1]


def _halved(words: list[Word]) -> bool:
    """Slips of spelling are looked for in names of one word only; in others the other words are keys."""
    return len(words) == 1 and len(words[0].plain) >= _LEAST_HALVED and words[0].script not in ("CJK", "HANGUL")
