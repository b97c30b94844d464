"""A name taken apart for comparing: its words, how they sound in Latin letters, and the signs and numbers that tell it apart.

What the parts are worth is decided by the scorer and by the vetoes.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from anyascii import anyascii

from server.services.legal_forms import without_legal_form
from server.services.likeness.words import GENERATIONS, NUMBERS, SAME, SMALL, TITLES, has_pet_names
from server.services.normalization import fold

__all__ = ["Name", "Word", "name_of", "romanised", "skeleton", "word_of"]

_CODE = re.compile(r"([^\W\d_]*)(-?)(\d+(?:[.,]\d+)*)([^\W\d_]*)")
_SIGN = re.compile(r"(?<=\w)[+#*]+|(?<=\d)[\"']")
_DOUBLE = re.compile(r"(.)\1+")
_UMLAUT = re.compile(r"([aou])e")
_VOWELS = re.compile(r"[aeiouwh]")
_SOUNDS = (("tch", "c"), ("ch", "c"), ("sch", "s"), ("sh", "s"), ("ph", "f"), ("kh", "k"), ("gh", "g"), ("th", "t"), ("dh", "d"),
           ("ck", "k"), ("q", "k"), ("c", "k"), ("x", "ks"), ("z", "s"), ("v", "w"), ("j", "i"))  # fmt: skip
_LONG = 120


_ROMAN = re.compile(r"(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a name: folded, in Latin letters, whether it is a letter that stands for a word ("J."), and what it is compared by.

    `sound` are its consonants, `ending` the vowels at its end, which tell Maria from Mario, `same` what stands for all its short forms.
    """

    text: str
    plain: str
    initial: bool
    script: str
    sound: str
    ending: str
    same: str
    counts: bool
    pet: bool


@dataclass(frozen=True, slots=True)
class Name:
    """A name taken apart. `words` are in the order written; `small` words, titles and legal form are not among them."""

    words: tuple[Word, ...]
    squashed: str
    plain: str
    codes: tuple[tuple[str, str, str], ...]
    counted: tuple[int, ...]
    signs: tuple[str, ...]
    singles: tuple[str, ...]
    romans: tuple[str, ...]
    generation: str
    acronyms: frozenset[str]

    @property
    def bare(self) -> bool:
        """Return whether nothing of it could be a veto."""
        return not (self.codes or self.counted or self.signs or self.singles or self.romans or self.generation)


@lru_cache(maxsize=16384)
def name_of(name: str, person: bool = False) -> Name:
    """Take a name apart. `person`: it is known to be a person's, so titles go, and a legal form does not."""
    text = fold(name)[:_LONG]
    tokens = _tokens(text)
    kept = _without_titles(tokens) if person else _joined_letters(_tokens(_without_form(text)))
    told = [
        t for n, (t, dotted) in enumerate(kept) if (person and dotted and len(t) == 1) or not _small(t, n, len(kept))
    ]
    words = tuple(map(_word, told or [t for t, _ in tokens]))
    return Name(
        words=words,
        squashed="".join(w.text for w in words),
        plain="".join(w.plain for w in words),
        codes=tuple((c[1], c[3], c[4]) for c in _CODE.finditer(text)),
        counted=tuple(sorted(_counted(text, words))),
        signs=tuple(sorted(_SIGN.findall(text))),
        singles=tuple(w.text for w in words if w.initial),
        romans=tuple(w.text for w in words[1:] if len(w.text) > 1 and _ROMAN.fullmatch(w.text)),
        generation=_generation(words),
        acronyms=frozenset({_initials(tokens, every=True), _initials(tokens, every=False)}),
    )


def _without_form(text: str) -> str:
    previous = None
    while text != previous:
        previous, text = text, without_legal_form(text)
    return text


def _tokens(text: str) -> list[tuple[str, bool]]:
    """The words of a folded text, each with whether a dot follows it; "&" is "and", apostrophes inside words are dropped."""
    words: list[tuple[str, bool]] = []
    current = ""
    for sign in text.replace("&", " and ") + " ":
        if sign.isalnum() or unicodedata.category(sign)[0] == "M":
            current += sign
        elif sign != "'" or not current:
            if current:
                words.append((current, sign == "."))
            current = ""
    return words


def _without_titles(tokens: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    kept = [(t, dotted) for t, dotted in tokens if t not in TITLES or (len(t) == 1 and dotted)]
    return kept if any(len(t) > 1 for t, _ in kept) else tokens


def _joined_letters(tokens: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Letters with dots between them that make the whole name are one word: U.N."""
    dotted = len(tokens) > 1 and all(len(t) == 1 for t, _ in tokens) and all(dot for _, dot in tokens[:-1])
    return [("".join(t for t, _ in tokens), tokens[-1][1])] if dotted else tokens


def _small(token: str, place: int, count: int) -> bool:
    return token in SMALL and (len(token) > 1 or 0 < place < count - 1)


@lru_cache(maxsize=16384)
def _word(text: str) -> Word:
    cased = len(text) == 1 and text.lower() != text.upper()
    return word_of(text, romanised(text), initial=cased and not text.isdigit(), script=_script(text))


def word_of(text: str, plain: str, *, initial: bool = False, script: str) -> Word:
    """Return a word with what it is compared by."""
    ending = plain[len(plain.rstrip("aeiou")) :]
    counts = any(sign.isdigit() for sign in plain)
    return Word(
        text, plain, initial, script, skeleton(plain), ending, SAME.get(text, text), counts, has_pet_names(text)
    )


def _generation(words: tuple[Word, ...]) -> str:
    last = words[-1].text if len(words) > 1 else ""
    return GENERATIONS.get(last, last if _ROMAN.fullmatch(last) else "")


@lru_cache(maxsize=16384)
def romanised(word: str) -> str:
    """Return a folded word as it is written in plain Latin letters, one way for several: ü, ue, u; y and i; ll and l."""
    text = "".join(sign for sign in anyascii(word).casefold() if sign.isalnum())
    return _DOUBLE.sub(r"\1", _UMLAUT.sub(r"\1", text.replace("y", "i"))) if not text.isdigit() else text


@lru_cache(maxsize=16384)
def skeleton(plain: str) -> str:
    """Return the consonants of a romanised word, those that are confused between languages as one."""
    for sound, sign in _SOUNDS:
        plain = plain.replace(sound, sign)
    bare = _VOWELS.sub("", plain[1:]).replace("i", "")
    return _DOUBLE.sub(r"\1", plain[:1].replace("w", "v") + bare)


def _script(text: str) -> str:
    first = next((sign for sign in text if sign.isalpha()), "")
    return (
        (unicodedata.name(first, "") if first else "")
        .split(" ")[0]
        .replace("HIRAGANA", "CJK")
        .replace("KATAKANA", "CJK")
    )


def _counted(text: str, words: tuple[Word, ...]) -> list[int]:
    """The numbers that are written as words or as signs of their own: "three", 三."""
    signs = [int(unicodedata.numeric(s)) for s in text if s.isalpha() and unicodedata.numeric(s, None) is not None]
    return signs + [NUMBERS[word.text] for word in words if word.text in NUMBERS]


def _initials(tokens: list[tuple[str, bool]], *, every: bool) -> str:
    kept = [t for n, (t, _) in enumerate(tokens) if every or not _small(t, n, len(tokens))]
    return "".join(t[0] for t in kept) if len(kept) > 1 and not any(t.isdigit() for t in kept) else ""
