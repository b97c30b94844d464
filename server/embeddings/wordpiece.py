"""WordPiece: text to the token ids of uncased BERT models.

Owns the rules (Devlin et al. 2018, "BERT": basic tokenisation, then greedy longest match) and the vocabulary file.
Running a model on the ids is left to minilm. Text is data here: "[CLS]" or "[MASK]" in it is punctuation and letters,
never a special token.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from importlib.resources import files

__all__ = ["MAX_CHARACTERS", "MAX_TOKENS", "WordPiece", "read_vocabulary"]

MAX_TOKENS = 256
MAX_CHARACTERS = 8_192
"""How much of a text is looked at: 32 characters for each token that fits, several times what prose needs."""

_MAX_WORD = 100
_REMEMBERED_CHARACTERS = 20_000
_REMEMBERED_WORDS = 50_000

_CJK = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)


def read_vocabulary() -> dict[str, int]:
    """Return the vocabulary that lies beside this module: token to id, the id being the line."""
    text = files("server.embeddings").joinpath("vocab.txt").read_text(encoding="utf-8")
    # Not splitlines(): it also breaks at characters that are no line ends in this file.
    return {token: id for id, token in enumerate(text.removesuffix("\n").split("\n"))}


class WordPiece:
    """Tokenises by one vocabulary. Safe to share between threads."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._words = {token: id for token, id in vocabulary.items() if not token.startswith("##")}
        self._continuations = {token[2:]: id for token, id in vocabulary.items() if token.startswith("##")}
        self._longest = max(map(len, vocabulary))
        self._unknown, self._first, self._last = (vocabulary[token] for token in ("[UNK]", "[CLS]", "[SEP]"))
        self._rewrites = _Rewrites()
        self._sizes = _Sizes(self._size)

    def encode(self, text: str, *, limit: int = MAX_TOKENS) -> list[int]:
        """Return [CLS], the tokens of `text` and [SEP]: at least 2 and at most `limit` ids, the end of the text cut off.

        Only the first MAX_CHARACTERS characters are considered, so that hostile text (a megabyte without a space, or of
        nothing but spaces) costs no more than a long paragraph.
        """
        ids = [self._first]
        for word in text[:MAX_CHARACTERS].translate(self._rewrites).split():
            ids.extend(self._pieces(word))
            if len(ids) >= limit:
                break
        return [*ids[: limit - 1], self._last]

    def count(self, text: str) -> int:
        """Return how many tokens `text` has, all of it: [CLS] and [SEP] left out, and a word that is not in the vocabulary counted
        by its letters, so that no script is cheap for being unknown.

        Linear in the text. What stands between white space is counted by itself: `count("a b") == count("a") + count("b")`.
        """
        return sum(map(self._sizes.__getitem__, text.translate(self._rewrites).split()))

    def _size(self, word: str) -> int:
        pieces = self._pieces(word)
        return len(word) if self._unknown in pieces else len(pieces)

    def _pieces(self, word: str) -> list[int]:
        """Return the longest known beginning of `word`, then of what is left, and so on; [UNK] alone where that fails."""
        if (id := self._words.get(word)) is not None:
            return [id]
        if len(word) > _MAX_WORD:
            return [self._unknown]
        ids: list[int] = []
        start = 0
        while start < len(word):
            known = self._continuations if start else self._words
            for end in range(min(len(word), start + self._longest), start, -1):
                if (id := known.get(word[start:end])) is not None:
                    ids.append(id)
                    start = end
                    break
            else:
                return [self._unknown]
        return ids


class _Sizes(dict[str, int]):
    """How many tokens each word has, worked out when first met; long words and the rarer of very many are worked out again."""

    def __init__(self, size: Callable[[str], int]) -> None:
        self._size = size

    def __missing__(self, word: str) -> int:
        size = self._size(word)
        if len(self) < _REMEMBERED_WORDS and len(word) <= _MAX_WORD:
            self[word] = size
        return size


class _Rewrites(dict[int, str]):
    """For str.translate: what becomes of each character, worked out when first met.

    Every rule of the basic tokenisation looks at one character alone, so that one pass in C does them all. Combining marks
    would have to be reordered by NFD only if they were kept.
    """

    def __missing__(self, code: int) -> str:
        rewrite = _rewrite(chr(code))
        if len(self) < _REMEMBERED_CHARACTERS:  # a text of all of Unicode must not stay in memory
            self[code] = rewrite
        return rewrite


def _rewrite(character: str) -> str:
    """Return `character` lower-cased and without accents, between spaces where it is a token of its own."""
    category = unicodedata.category(character)
    if character in "\t\n\r" or category[0] == "Z":
        return " "
    # Unassigned code points (Cn) stay: a newer Python, which knows more of them, must give the same ids.
    if category in ("Cc", "Cf", "Cs", "Co") or character == "\ufffd":
        return ""
    letters = [letter for letter in unicodedata.normalize("NFD", character) if unicodedata.category(letter) != "Mn"]
    # Letter by letter, because str.lower() of a whole word would end Greek ones in another sigma.
    plain = "".join(letter.lower() for letter in letters)
    if any(ord(character) in block for block in _CJK):
        return f" {plain} "
    return "".join(f" {letter} " if _is_punctuation(letter) else letter for letter in plain)


def _is_punctuation(character: str) -> bool:
    """Tell whether BERT splits at `character`: every ASCII sign counts, also those that Unicode calls symbols ($, +, ^)."""
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character)[0] == "P"
