"""Kinds: what kind of thing a span of words seems to name, and how far that is to be trusted."""

from __future__ import annotations

import re
from enum import IntEnum

from spacy.tokens import Doc

from server.services.extraction import language, vocabulary
from server.services.extraction.contexts import is_commercial, is_technical, kind_by_context

LABELS = {
    "PERSON": "person",
    "ORG": "organization",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "PRODUCT": "product",
    "EVENT": "event",
    "WORK_OF_ART": "work",
    "LAW": "concept",
}
"""The recogniser's labels that name something, as our types."""


_LANGUAGES = vocabulary.wordset("Go Rust Swift Ruby Julia Spark Flink Rails Spring Express Dart Lua")
"""Names that are common words, but name a technology more often than anything else."""


_HONOURS = frozenset({"prize", "award", "medal", "trophy", "lectureship", "professorship", "scholarship"})


class Trust(IntEnum):
    """How much a type is worth: what the grammar states beats a list, a list a cue in the name, a cue the recogniser."""

    SHAPE = 0
    RECOGNISER = 1
    CUE = 2
    LIST = 3
    STATED = 4


def kind_of(doc: Doc, first: int, last: int) -> tuple[str, Trust]:
    """Return what the span seems to name: by list, by a word in it, by a given name, by the recogniser, else a concept."""
    words = [token.text for token in doc[first:last]]
    listed = vocabulary.listed().get(doc[first:last].text)
    if listed:
        return listed, Trust.LIST
    numbered = len(words) > 1 and re.fullmatch(r"[IVX]{1,5}", words[-1]) is not None
    head, opener = words[-2 if numbered else -1].lower(), words[0].lower()
    if len(words) > 1:
        if head in vocabulary.PLAN_NOUNS:
            return "product", Trust.CUE
        if (by_of := _by_of(doc, first, words)) is not None:
            return by_of, Trust.CUE
        topic = words[words.index("of") - 1].lower() if "of" in words[1:] else ""  # Ash University of Science
        if head in vocabulary.ORGANIZATION_HEADS or {opener, topic} & vocabulary.ORGANIZATION_OPENERS:
            return "organization", Trust.CUE
        if vocabulary.listed().get(words[-1]) == "place" and words[-2].lower() in vocabulary.ORGANIZATION_HEADS:
            return "organization", Trust.CUE  # Recommended Records Japan
        if {head, topic} & _HONOURS:
            return "award", Trust.CUE
        if head in vocabulary.EVENT_HEADS or opener in vocabulary.EVENT_HEADS:
            return "event", Trust.CUE
        if opener == "house" and words[1] == "of":
            return "organization", Trust.CUE
        if (head in vocabulary.PLACE_HEADS or opener in vocabulary.PLACE_HEADS) and not _is_full_name(doc, first, last):
            return "place", Trust.CUE
        if head in vocabulary.TECHNOLOGY_HEADS:
            return "technology", Trust.CUE
        if head in vocabulary.FEATURE_HEADS:
            return "feature", Trust.CUE
    if (
        (numbered and not words[0].isupper())
        or words[0] in vocabulary.given_names()
        or (first and doc[first - 1].text.lower() in vocabulary.TITLES)
    ):
        return "person", Trust.CUE
    if len(words) == 1 and words[0].lower() in vocabulary.TIERS:
        return "product", Trust.RECOGNISER
    unclear = len(words[0]) > 1 and words[0] in vocabulary.words("technologies_ambiguous")
    if len(words) == 1 and unclear and (words[0] in _LANGUAGES or is_technical(doc)):
        return "technology", Trust.RECOGNISER
    context = kind_by_context(doc, first, last)
    if context is not None:
        return context, Trust.CUE
    if len(words) > 1 and (family := _of_first_word(words)) is not None:
        return family, Trust.RECOGNISER
    plain = all(language.is_word(word.lower()) for word in words)
    labels = [LABELS[token.ent_type_] for token in doc[first:last] if token.ent_type_ in LABELS]
    odd = (words[0].isupper() and len(words) == 1) or any(character.isdigit() for word in words for character in word)
    odd = odd or (first > 0 and doc[first - 1].lower_ == "the") or plain
    if plain and is_commercial(doc) and not any(word in vocabulary.given_names() for word in words):
        return "product", Trust.RECOGNISER
    mixed = len(words) == 1 and not words[0].isupper() and any(character.isupper() for character in words[0][1:])
    if labels[-1:] in (["organization"], ["person"]) and mixed and is_technical(doc) and "'" not in words[0]:
        return "technology", Trust.RECOGNISER
    if labels and not (odd and labels[-1] == "person"):
        return labels[-1], Trust.RECOGNISER
    if len(words) == 1 and words[0] in vocabulary.words("places_ambiguous"):
        return "place", Trust.RECOGNISER
    return _by_shape(doc, first, last), Trust.SHAPE


_NOBLE_TITLES = vocabulary.TITLES | frozenset(
    {"princess", "archduke", "archduchess", "infante", "grandduke", "landgravine", "margravine"}
)


def _is_of_somewhere(words: list[str]) -> bool:
    """Tell whether a name is a noble's: "Ermengarde of Mouchy", "Princess Feodora of Leiningen"."""
    titled = words[0].lower() in _NOBLE_TITLES
    own = words[1:] if titled else words
    if own[1:2] != ["of"] or own[0].lower() in vocabulary.OF_HEADS:
        return False
    return titled or own[0] in vocabulary.given_names() or not language.is_word(own[0].lower())


def _by_of(doc: Doc, first: int, words: list[str]) -> str | None:
    """Return what the "of" in a name says that it is: a noble's, or a work's that somebody made."""
    if _is_of_somewhere(words):
        return "person"
    return "work" if _is_owned_title(doc, first, words) else None


def _is_owned_title(doc: Doc, first: int, words: list[str]) -> bool:
    """Tell whether somebody's own is called so: "Ada Roe's Bend of the River"; an institution is nobody's."""
    owned = first > 1 and doc[first - 1].text in {"'s", "’s"} and doc[first - 2].ent_type_ == "PERSON"
    return owned and "of" in words[1:] and words[words.index("of") - 1].lower() not in vocabulary.OF_HEADS


_BEFORE_PLACES = vocabulary.wordset("the in at near on around to from of into through across over along toward towards")


def _is_full_name(doc: Doc, first: int, last: int) -> bool:
    """Tell whether two words are a person's, though the second names places as well: "CTO Todd Park"."""
    titled = first > 0 and doc[first - 1].lower_ in vocabulary.TITLES | vocabulary.TITLE_ROLES
    person = titled or all(token.ent_type_ == "PERSON" for token in doc[first:last])
    person = person or first == 0 or doc[first - 1].lower_ not in _BEFORE_PLACES
    return last - first == 2 and doc[first].text in vocabulary.given_names() and person


def _by_shape(doc: Doc, first: int, last: int) -> str:
    """Guess by the shape of a name that nothing else is known of: DKMS in a technical text, FEC in another."""
    text = doc[first:last].text
    if re.match(r"[OD]['’][A-Z]|(?:Mc|Mac)[A-Z]", text):
        return "person"
    shaped = any(character.isdigit() or character.isupper() for character in text[1:]) and last - first == 1
    if shaped and (not text.isupper() or is_technical(doc)):
        return "technology"
    if shaped and len(text) > 2:
        return "organization"
    after = doc[last] if last < len(doc) else None
    acts = after is not None and (after.tag_ == "VBD" or after.text in {"'s", "’s"})
    if is_technical(doc):
        return "technology" if last - first > 1 else "concept"
    unknown = not any(language.is_word(token.lower_) for token in doc[first:last])
    return "person" if acts and (last - first == 1 or (last - first == 2 and unknown)) else "concept"


def _of_first_word(words: list[str]) -> str | None:
    """Return what a longer name is whose first word is listed: "Redis Cluster" a technology, "Google Translate" a product."""
    kind = vocabulary.listed().get(words[0])
    if kind == "organization":
        return "product"
    return kind if kind in {"technology", "product"} else None
