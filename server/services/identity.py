"""Identity of names: match keys, types and relationship types in the one form that is compared and stored.

Pure rules on text. Which entity a key stands for, homonyms, aliases and locks are the business of resolution; likeness
of strings plays no part here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from server.errors import BadUserInput
from server.services.invisible import VISIBLE, without_invisible
from server.services.legal_forms import without_legal_form
from server.services.normalization import fold, trim_punctuation
from server.services.written_forms import written_alike

__all__ = [
    "EXCLUSIVE_TYPES",
    "clean_name",
    "clean_text",
    "clean_title",
    "exclude_each_other",
    "lookup_keys",
    "match_key",
    "normalise_type",
    "relation_type",
    "title_key",
]

EXCLUSIVE_TYPES = frozenset({"person", "organization", "place", "event"})
"""Nothing is two of these at once; any other pair of types may be two guesses at one thing."""

_NO_ORGANIZATION = EXCLUSIVE_TYPES - {"organization"}
_NAME_LIMIT = 500
_TYPE_LIMIT = 100
_TEXT_LIMIT = 10_000

# "a" and "an" only before a word, so that "A 4" and "A B" keep what tells them apart.
# A name that is nothing but articles keeps them: The The is a band.
_ARTICLE = re.compile(r"^(?!(?:the|an?)\s+(?:the|an)$)(?:the\s+(?=\S)|an?\s+(?=[^\W\d_]{2}))")
_GAP = re.compile(r"[\s-]+")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


@lru_cache(maxsize=8192)
def match_key(name: str, type: str | None = None) -> str:
    """Return the key under which all spellings of one name meet.

    NFKC, case folding, white space, surrounding punctuation, a leading article, spacing and hyphenation between letters, the form in
    which it is written ("and" for "&", "St." for "Saint"), and the legal form of an organization do not count; every other sign
    does ("C", "C++", "C#" are three, "mlp-332" and "mlp-333" two). `type`: person, place and event keep what looks like a legal
    form; "person" gives up titles, and "Curie, Marie" is Marie Curie; "organization" gives up also those that are words ("Foo
    Company"). Pass a type only where it is stated, not where it was guessed. Idempotent for one `type`;
    empty only for a blank name.
    """
    kind = None if type is None else fold(type)
    key, previous = fold(name), None
    while key != previous and not (key.isascii() and key.isalnum()):  # one plain word: nothing left to drop
        previous = key
        key = _without_frame(_ARTICLE.sub("", _without_frame(key, kind), count=1), kind)
        key = fold(_GAP.sub(_bridge, written_alike(key, person=kind == "person")))
    return key


def title_key(title: str) -> str:
    """Return the key under which a document is found by its title: its match key, without what stands behind it in parentheses.

    "Dark River (2017 film)" meets "Dark River". Empty only for a blank title.
    """
    return match_key(_ASIDE.sub("", title).strip() or title)


def _without_frame(text: str, kind: str | None) -> str:
    previous = None
    while text != previous:
        previous = text
        if kind not in _NO_ORGANIZATION:
            text = without_legal_form(text, organization=kind == "organization")
        text = trim_punctuation(text)
    return text


def _bridge(gap: re.Match[str]) -> str:
    """Nothing for a gap between two letters (a letter's marks belong to it); the gap as it is elsewhere."""
    text, left, right = gap.string, gap.start() - 1, gap.end()
    while left > 0 and unicodedata.category(text[left]).startswith("M"):
        left -= 1
    between_letters = left >= 0 and right < len(text) and text[left].isalpha() and text[right].isalpha()
    return "" if between_letters else gap.group()


def lookup_keys(name: str, type: str | None = None) -> tuple[str, ...]:
    """Return the keys under which `name` may be stored, in the order to try them, without repeats.

    The key as given comes first: with `type` that of the type, without it the one that keeps a legal form. A name stated to be a
    person, place or event has no other key. A hit under a later key rests on a legal form left out ("Bad Company" for "Bad"),
    so it should count only for what may be an organization.
    """
    if type is not None and fold(type) in _NO_ORGANIZATION:
        return (match_key(name, type),)
    literal, loose, wide = match_key(name, "place"), match_key(name), match_key(name, "organization")
    person = match_key(name, "person")
    keys = (literal, person, loose, wide) if type is None else (match_key(name, type), loose, wide, literal, person)
    return tuple(dict.fromkeys(keys))


def exclude_each_other(a: str, b: str) -> bool:
    """Return whether nothing can be both an `a` and a `b`: two different ones of EXCLUSIVE_TYPES, in any case."""
    pair = {fold(a), fold(b)}
    return len(pair) == 2 and pair <= EXCLUSIVE_TYPES


def normalise_type(text: str, argument: str = "type") -> str:
    """Return an entity type as case-folded words.

    Raises:
        BadUserInput: it is blank, longer than 100 characters, or holds what cannot be stored.
    """
    type = fold(clean_name(text, argument))
    if len(type) > _TYPE_LIMIT:
        raise BadUserInput(f"A type has at most {_TYPE_LIMIT} characters; this one has {len(type)}.", argument=argument)
    return type


def relation_type(text: str, argument: str = "type") -> str:
    """Return a relationship type or predicate in UPPER_SNAKE_CASE: "works at", "worksAt" and "Works-At" are WORKS_AT.

    Letters and digits of any script count, apostrophes vanish, everything else parts words; capitals part words only where nothing else
    does. Idempotent.

    Raises:
        BadUserInput: nothing is left, or more than 100 characters are.
    """
    _refuse_unstorable(text, argument)
    name, previous = text, None
    while name != previous:
        previous = name
        name = _upper_snake(name)
    if not name:
        raise BadUserInput('Name the relation by at least one letter or digit, such as "WORKS_AT".', argument=argument)
    if len(name) > _TYPE_LIMIT:
        raise BadUserInput(f"A relation has at most {_TYPE_LIMIT} characters; this has {len(name)}.", argument=argument)
    return name


def _upper_snake(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text)
    kept = "".join(_relation_sign(sign) for sign in plain)
    words = kept.split()
    if len(words) == 1:
        words = _camel_words(words[0])
    return unicodedata.normalize("NFKC", "_".join(words).upper())


def _relation_sign(sign: str) -> str:
    if sign in "'’ʼ":
        return ""
    category = unicodedata.category(sign)
    return "" if category == "Cf" else sign if category[0] in "LMN" else " "


def _camel_words(word: str) -> list[str]:
    """worksAt -> works At, HTTPServer -> HTTP Server; a word in one case stays whole."""
    starts = [0]
    for at in range(1, len(word)):
        before, sign, after = word[at - 1], word[at], word[at + 1 : at + 2]
        if sign.isupper() and (before.islower() or (not before.islower() and after.islower() and before.isalnum())):
            starts.append(at)
    return [word[start:end] for start, end in zip(starts, [*starts[1:], len(word)], strict=True)]


def clean_name(text: str, argument: str = "name") -> str:
    """Return a name as it is stored: trimmed, with each run of white space as one space, without signs that nobody sees.

    Raises:
        BadUserInput: it shows nothing, has more than 500 characters, or holds control characters or lone surrogates.
    """
    _refuse_unstorable(text, argument)
    if _CONTROL.search(text):
        raise BadUserInput(f"{argument} holds control characters: remove them.", argument=argument)
    if not VISIBLE.search(text):
        raise BadUserInput(f"{argument} is blank: give at least one visible character.", argument=argument)
    name = " ".join(without_invisible(text).split())
    if len(name) > _NAME_LIMIT:
        raise BadUserInput(f"{argument} has {len(name)} characters; at most {_NAME_LIMIT} fit.", argument=argument)
    return name


def clean_text(text: str, argument: str, limit: int = _TEXT_LIMIT) -> str:
    """Return `text` untouched where it can be stored.

    Raises:
        BadUserInput: it shows nothing, has more than `limit` code points, or holds NUL or lone surrogates.
    """
    if len(text) > limit:
        raise BadUserInput(f"{argument} has {len(text)} characters; at most {limit} fit.", argument=argument)
    _refuse_unstorable(text, argument)
    if not VISIBLE.search(text):
        raise BadUserInput(f"{argument} is blank: give at least one visible character.", argument=argument)
    return text


def clean_title(text: str, argument: str, limit: int) -> str:
    """Return a title as it is stored: trimmed, without signs that nobody sees.

    Raises:
        BadUserInput: as `clean_text`.
    """
    return without_invisible(clean_text(text, argument, limit)).strip()


def _refuse_unstorable(text: str, argument: str) -> None:
    if "\x00" in text:
        raise BadUserInput(f"{argument} holds a NUL character: remove it.", argument=argument)
    if _SURROGATE.search(text):
        raise BadUserInput(f"{argument} holds half a surrogate pair: send it as valid Unicode.", argument=argument)
