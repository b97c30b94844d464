"""Breadth-first execution: each field that a query selects is resolved once per level, for all its parents.

Mounted by `strawberry.Schema(execution_context_class=BreadthFirst)`, it answers what graphql-core answers: data, order of keys, errors.
A selection is planned once per document; a field's values are resolved and completed as one column. What is not known here
(introspection, @defer, other directives, middleware) graphql-core executes; the logger `schema.breadth` says so and why. Fields are
declared by `batched`, `attribute` and `computed`; any other works too, one call per parent. Nothing here knows our domain.
"""

from __future__ import annotations

from schema.breadth.declaring import BatchFunction, FieldOptions, attribute, batched, computed
from schema.breadth.executor import BreadthFirst
from schema.breadth.projection import needed, occurrences, remembered, selected

__all__ = [
    "BatchFunction",
    "BreadthFirst",
    "FieldOptions",
    "attribute",
    "batched",
    "computed",
    "needed",
    "occurrences",
    "remembered",
    "selected",
]
