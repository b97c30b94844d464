"""Random operations that are valid against a schema, drawn from the schema alone: the same ones for the same seed.

What arguments hold is drawn by their types; `Values` gives the scalars. Operations have fragments of all kinds, fields that merge,
aliases, @skip and @include, and variables at any depth: with and without defaults, null, absent, and now and then wrong.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple, cast

from graphql import (
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_abstract_type,
    is_leaf_type,
    is_required_argument,
    is_required_input_field,
    parse,
    validate,
)

__all__ = ["MUTATION", "QUERY", "Frame", "Operation", "Values", "draw"]

Composite = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType
Values = Callable[[Random, str, str], Any]
"""Gives a scalar by the name of its argument, after its field's name and a dot, or of its input field; and the scalar's name."""

TRUTH = GraphQLNonNull(GraphQLBoolean)


class Operation(NamedTuple):
    query: str
    variables: dict[str, Any]


class Frame(NamedTuple):
    """What is written around a selection of a type: `around` has a * in its place."""

    kind: str
    type: str
    around: str = "*"


QUERY, MUTATION = Frame("query", "Query"), Frame("mutation", "Mutation")


def draw(
    schema: GraphQLSchema, values: Values, seed: int, frames: Sequence[Frame] = (QUERY,), levels: int = 5
) -> Operation:
    """Return the operation of a seed, valid against the schema and at most so deep; its variables may be wrong."""
    random = Random(seed)
    while True:
        operation = _Writer(schema, values, random).write(random.choice(frames), levels)
        if not validate(schema, parse(operation.query)):
            return operation


class _Writer:
    """Writes one operation."""

    def __init__(self, schema: GraphQLSchema, values: Values, random: Random) -> None:
        self.schema, self.values, self.random = schema, values, random
        self.budget = random.choice([6, 12, 25, 60])
        self.declared: list[str] = []
        self.variables: dict[str, Any] = {}
        self.fragments: dict[str, str] = {}
        self.fragment_types: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.types = _types_by_field(schema)

    def write(self, frame: Frame, levels: int) -> Operation:
        body = frame.around.replace("*", self.selection(cast("Composite", self.schema.type_map[frame.type]), levels))
        declared = f"({', '.join(self.declared)})" if self.declared else ""
        text = " ".join([f"{frame.kind} Q{declared} {body}", *self.fragments.values()])
        return Operation(text, self.variables)

    def chance(self, of: float) -> bool:
        return self.random.random() < of

    def selection(self, type_: Composite, levels: int) -> str:
        parts = [self.part(type_, levels) for _ in range(self.random.choice([1, 2, 2, 3, 4, 6]))]
        return "{" + " ".join(parts) + "}"

    def part(self, type_: Composite, levels: int) -> str:
        self.budget -= 1
        if levels and self.chance(0.4 if is_abstract_type(type_) else 0.12):
            return self.fragment(type_, levels)
        if isinstance(type_, GraphQLUnionType) or self.chance(0.06):
            return self.random.choice(["__typename", "__typename", "t: __typename"])
        fields = list(type_.fields.items())
        deep = [(name, field) for name, field in fields if not is_leaf_type(get_named_type(field.type))]
        if levels <= 1 or self.budget <= 0:
            fields = [pair for pair in fields if pair not in deep]
        elif deep and self.chance(0.4):
            fields = deep
        if not fields:
            return "__typename"
        name, field = self.random.choice(fields)
        return self.field(name, field, levels)

    def field(self, name: str, field: GraphQLField, levels: int) -> str:
        named = get_named_type(field.type)
        given = [
            f"{key}: {self.literal(argument.type, f'{name}.{key}', argument.default is not None)}"
            for key, argument in field.args.items()
            if is_required_argument(argument) or self.chance(0.4)
        ]
        call = name + (f"({', '.join(given)})" if given else "")
        if given or len(self.types[name]) > 1 or self.chance(0.1):
            key = self.keys.setdefault(f"{call} {field.type}", f"a{len(self.keys)}")
            call = f"{key}: {call}"
        call += self.directives()
        return call if is_leaf_type(named) else call + self.selection(cast("Composite", named), levels - 1)

    def fragment(self, type_: Composite, levels: int) -> str:
        on = self.random.choice(self.overlapping(type_))
        if self.chance(0.5):
            condition = f"on {on.name} " if self.chance(0.8) or on is not type_ else ""
            return f"... {condition}{self.directives()}{self.selection(on, levels)}"
        known = [name for name, of in self.fragment_types.items() if of == on.name]
        if known and self.chance(0.5):
            return f"...{self.random.choice(known)}{self.directives()}"
        name = f"F{len(self.fragments)}"
        self.fragments[name] = ""
        self.fragments[name] = f"fragment {name} on {on.name} {self.selection(on, levels)}"
        self.fragment_types[name] = on.name
        return f"...{name}{self.directives()}"

    def overlapping(self, type_: Composite) -> list[Composite]:
        """Return the types on which a fragment may be spread here."""
        possible = set(self.possible(type_))
        composites = [t for t in self.schema.type_map.values() if isinstance(t, Composite) and t.name[:2] != "__"]
        return [t for t in composites if possible & set(self.possible(t))]

    def possible(self, type_: Composite) -> Sequence[GraphQLObjectType]:
        return [type_] if isinstance(type_, GraphQLObjectType) else self.schema.get_possible_types(type_)

    def directives(self) -> str:
        if not self.chance(0.1):
            return ""
        names = self.random.choice([["skip"], ["include"], ["skip", "include"], ["include", "skip"]])
        return "".join(f" @{name}(if: {self.literal(TRUTH, 'if', False)})" for name in names) + " "

    def literal(self, type_: GraphQLInputType, name: str, has_default: bool, level: int = 0) -> str:
        """Return a value as it is written in a document, with variables in it."""
        if self.chance(0.25):
            return self.variable(type_, name, has_default)
        inner: Any = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
        if inner is type_ and self.chance(0.1):
            return "null"
        if isinstance(inner, GraphQLList) and self.chance(0.8):
            items = [self.literal(inner.of_type, name, False, level) for _ in range(self.random.randrange(3))]
            return f"[{', '.join(items)}]"
        if isinstance(inner, GraphQLInputObjectType):
            given = self.given(inner, level)
            texts = [f"{key}: {self.literal(t, key, d, level + 1)}" for key, t, d in given]
            return "{" + ", ".join(texts) + "}"
        return _text(self.json(GraphQLNonNull(inner), name, level), inner)

    def given(self, type_: GraphQLInputObjectType, level: int) -> list[tuple[str, GraphQLInputType, bool]]:
        """Return which fields of an input object are given, each with its type and whether it has a default."""
        if type_.is_one_of:
            key = self.random.choice(list(type_.fields))
            return [(key, GraphQLNonNull(type_.fields[key].type), False)]
        return [
            (key, field.type, field.default is not None)
            for key, field in type_.fields.items()
            if is_required_input_field(field) or self.chance(0.35 if level < 2 else 0.05)
        ]

    def variable(self, type_: GraphQLInputType, name: str, has_default: bool) -> str:
        variable = f"v{len(self.declared)}"
        self.declared.append("")
        inner: Any = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
        declared, default = type_, ""
        if self.chance(0.4):
            declared, value = inner, self.json(GraphQLNonNull(inner), name)
            default = f" = {_text(value, inner)}"
        elif has_default or inner is type_:
            declared = self.random.choice([inner, GraphQLNonNull(inner)])
        self.declared[int(variable[1:])] = f"${variable}: {declared}{default}"
        if isinstance(declared, GraphQLNonNull) or self.chance(0.75):
            self.variables[variable] = {"wrong": []} if self.chance(0.01) else self.json(declared, name)
        return f"${variable}"

    def json(self, type_: GraphQLInputType, name: str, level: int = 0) -> Any:
        """Return a value as a client sends it."""
        if isinstance(type_, GraphQLNonNull):
            inner = type_.of_type
        elif self.chance(0.15):
            return None
        else:
            inner = type_
        if isinstance(inner, GraphQLList):
            items = [self.json(inner.of_type, name, level) for _ in range(self.random.randrange(3))]
            return items[0] if items and items[0] is not None and self.chance(0.3) else items
        if isinstance(inner, GraphQLInputObjectType):
            return {key: self.json(t, key, level + 1) for key, t, _ in self.given(inner, level)}
        if isinstance(inner, GraphQLEnumType):
            return self.random.choice(list(inner.values))
        if inner is GraphQLBoolean:
            return self.chance(0.5)
        return self.values(self.random, name, cast("GraphQLNamedType", inner).name)


def _types_by_field(schema: GraphQLSchema) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for type_ in schema.type_map.values():
        if isinstance(type_, GraphQLObjectType | GraphQLInterfaceType):
            for name, field in type_.fields.items():
                found[name].add(str(field.type))
    return found


def _text(value: Any, type_: Any) -> str:
    """Return a client's value as a literal of a document."""
    inner = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
    if isinstance(value, list):
        item = inner.of_type if isinstance(inner, GraphQLList) else inner
        return f"[{', '.join(_text(one, item) for one in value)}]"
    if isinstance(inner, GraphQLList):
        return _text(value, inner.of_type)
    if isinstance(value, dict) and isinstance(inner, GraphQLInputObjectType):
        return "{" + ", ".join(f"{key}: {_text(one, inner.fields[key].type)}" for key, one in value.items()) + "}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(one, inner)}" for key, one in value.items()) + "}"
    return value if isinstance(inner, GraphQLEnumType) and isinstance(value, str) else json.dumps(value)
