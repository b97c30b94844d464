"""The vocabulary of a volume: the names that extraction is to prefer."""

from __future__ import annotations

import strawberry

from schema.breadth import attribute
from server.services.extraction.protocol import Term
from server.services.extraction.protocol import Vocabulary as Preferred


@strawberry.type(description="A name that a volume prefers.")
class VocabularyTerm:
    name: str = attribute("term.name", description="The name, in the form in which types or predicates are stored.")
    description: str | None = attribute("term.description", description="What it means in this volume.")
    term: strawberry.Private[Term]


def _types(vocabulary: Vocabulary) -> list[VocabularyTerm]:
    return [VocabularyTerm(term=term) for term in vocabulary.preferred.types]


def _predicates(vocabulary: Vocabulary) -> list[VocabularyTerm]:
    return [VocabularyTerm(term=term) for term in vocabulary.preferred.predicates]


@strawberry.type(
    description="The names that extraction is to prefer in a volume. Others are kept, and noted on the ingestion. Claude is asked "
    "to use them; what reads offline has names of its own, of which those that are not here are noted too."
)
class Vocabulary:
    entity_types: list[VocabularyTerm] = attribute(_types, description="Entity types; empty where any will do.")
    predicates: list[VocabularyTerm] = attribute(
        _predicates, description="Predicates and relationship types; empty where any will do."
    )
    preferred: strawberry.Private[Preferred]
