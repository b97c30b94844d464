"""Vocabularies: the entity types and predicates that a volume prefers, as input, as they are stored, and as extraction takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from server.errors import BadUserInput
from server.services.checks import optional_text
from server.services.extraction.protocol import Term, Vocabulary
from server.services.identity import normalise_type, relation_type

__all__ = ["clean_vocabulary", "stored_vocabulary", "vocabulary_of"]

_MOST = 200
_DESCRIPTION = 500


def clean_vocabulary(given: Vocabulary) -> Vocabulary:
    """Return a vocabulary with its names in the form in which types and predicates are stored.

    Raises:
        BadUserInput: a name cannot be one, a name comes twice, or there are more than 200 of a kind.
    """
    types = _clean(given.types, "entityTypes", normalise_type)
    return Vocabulary(types, _clean(given.predicates, "predicates", relation_type))


def _clean(terms: Iterable[Term], kind: str, clean_name: Callable[[str, str], str]) -> tuple[Term, ...]:
    found = [_cleaned(one, f"{kind}[{n}]", clean_name) for n, one in enumerate(terms)]
    names = [one.name for one in found]
    twice = next((name for n, name in enumerate(names) if name in names[:n]), None)
    if twice is not None:
        raise BadUserInput(f"{twice} comes twice in the vocabulary.", argument="vocabulary")
    if len(found) > _MOST:
        raise BadUserInput(
            f"A vocabulary has at most {_MOST} names of a kind; there are {len(found)}.", argument="vocabulary"
        )
    return tuple(found)


def _cleaned(one: Term, where: str, clean_name: Callable[[str, str], str]) -> Term:
    """Return a term as it is stored. `where` it stands is said of one that cannot be one."""
    try:
        description = optional_text(one.description, f"{where}.description", _DESCRIPTION)
        return Term(clean_name(one.name, f"{where}.name"), description)
    except BadUserInput as error:
        named = "" if error.message.startswith(where) else f"{where}.name: "
        raise BadUserInput(f"{named}{error.message}", argument="vocabulary") from error


def stored_vocabulary(vocabulary: Vocabulary) -> dict[str, Any] | None:
    """Return a vocabulary as the volume's column holds it; an empty one is None."""
    lists = {"types": vocabulary.types, "predicates": vocabulary.predicates}
    stored = {name: [[one.name, one.description] for one in terms] for name, terms in lists.items() if terms}
    return stored or None


def vocabulary_of(stored: Mapping[str, Any] | None) -> Vocabulary:
    """Return the vocabulary that a column holds."""
    kinds = ((stored or {}).get(name, ()) for name in ("types", "predicates"))
    return Vocabulary(*(tuple(Term(name, description) for name, description in terms) for terms in kinds))
