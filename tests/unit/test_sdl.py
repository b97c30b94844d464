"""The schema as it is printed: committed, described throughout, and of one style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    is_introspection_type,
    is_specified_directive,
    is_specified_scalar_type,
    print_ast,
    print_type,
)
from graphql import build_schema as parse_schema

import schema as package
from schema import build_schema
from schema.limits import Limits

FILE = Path(package.__file__).with_name("schema.graphql")
SDL = build_schema(Limits()).as_str()
SCHEMA: GraphQLSchema = parse_schema(SDL)
TYPES = [t for t in SCHEMA.type_map.values() if not is_introspection_type(t) and not is_specified_scalar_type(t)]
MUTATIONS = SCHEMA.mutation_type.fields if SCHEMA.mutation_type else {}
INPUTS: dict[str, GraphQLInputObjectType] = {
    name: field.args["input"].type.of_type for name, field in MUTATIONS.items() if "input" in field.args
}

OF_A_VOLUME = {"createVolume", "deleteVolume"}
"""One makes a volume; the other asks for the name twice, so it must not guess it."""


def described() -> Iterator[tuple[str, str, str | None]]:
    """Yield (coordinate, name, description) of everything of ours that can have a description."""
    for type in TYPES:
        yield type.name, type.name, type.description
        yield from _members(type)
    for directive in SCHEMA.directives:
        if is_specified_directive(directive):
            continue
        yield f"@{directive.name}", directive.name, directive.description


def _members(type: GraphQLNamedType) -> Iterator[tuple[str, str, str | None]]:
    if isinstance(type, GraphQLEnumType):
        for name, value in type.values.items():
            yield f"{type.name}.{name}", name, value.description
    if isinstance(type, GraphQLInputObjectType):
        for name, member in type.fields.items():
            yield f"{type.name}.{name}", name, member.description
    if isinstance(type, GraphQLObjectType | GraphQLInterfaceType):
        for name, field in type.fields.items():
            yield f"{type.name}.{name}", name, field.description
            for argument, declared in field.args.items():
                yield f"{type.name}.{name}({argument}:)", argument, declared.description


def default(member: GraphQLArgument | GraphQLInputField) -> str | None:
    """Return a default value as it is printed."""
    node = member.ast_node.default_value if member.ast_node else None
    return print_ast(node) if node else None


def words(text: str) -> list[str]:
    """Return the words of a name or a sentence, without articles."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).replace("_", " ").lower()
    return [word.rstrip("s") for word in re.findall(r"[a-z0-9]+", spaced) if word not in {"the", "a", "an", "its"}]


def test_the_committed_file_is_the_schema() -> None:
    assert FILE.read_text() == SDL + "\n", "Run: loregraph sdl > schema/schema.graphql"


def test_everything_has_a_description() -> None:
    assert [where for where, _, text in described() if not text] == []


def test_descriptions_are_sentences_that_end() -> None:
    assert [where for where, _, text in described() if not re.fullmatch(r"\S.*[^.\s]\.", text or "", re.S)] == []


def test_a_description_says_more_than_the_name() -> None:
    assert [where for where, name, text in described() if words(text or "") == words(name)] == []


def test_a_description_names_no_argument_that_does_not_exist() -> None:
    """What stands in backticks is a field, an argument or a scalar of the schema."""
    names = {name for _, name, _ in described()}
    quoted = {(where, name) for where, _, text in described() for name in re.findall(r"`([^`]*)`", text or "")}
    assert [(where, name) for where, name in sorted(quoted) if name not in names] == []


def test_names_are_spelled_alike() -> None:
    for type in TYPES:
        assert re.fullmatch(r"[A-Z][A-Za-z]*", type.name), type.name
        pattern = r"[A-Z][A-Z_]*" if isinstance(type, GraphQLEnumType) else r"[a-z][A-Za-z]*"
        members = getattr(type, "values", None) or getattr(type, "fields", {})
        assert [f"{type.name}.{name}" for name in members if not re.fullmatch(pattern, name)] == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_takes_its_input_and_gives_its_payload_or_null(name: str) -> None:
    field = MUTATIONS[name]
    title = name[0].upper() + name[1:]
    assert {argument: str(declared.type) for argument, declared in field.args.items()} == {"input": f"{title}Input!"}
    assert str(field.type) == f"{title}Payload"


@pytest.mark.parametrize("name", sorted(MUTATIONS.keys() - OF_A_VOLUME))
def test_an_input_names_its_volume_and_takes_the_default_one(name: str) -> None:
    volume = INPUTS[name].fields["volume"]
    assert str(volume.type) == "String!"
    assert default(volume) == '"default"'


@pytest.mark.parametrize("name", [n for n in MUTATIONS if re.match("create|ingest|import", n)])
def test_what_makes_things_takes_an_idempotency_key(name: str) -> None:
    assert str(INPUTS[name].fields["idempotencyKey"].type) == "String"


@pytest.mark.parametrize("name", [n for n in MUTATIONS if n.startswith("update")])
def test_an_update_takes_the_version_that_was_seen_and_tells_null_from_left_out(name: str) -> None:
    fields = INPUTS[name].fields
    assert str(fields["expectedVersion"].type) == "Int"
    changed = fields.keys() - {"id", "volume", "expectedVersion"}
    assert changed
    assert [n for n in changed if isinstance(fields[n].type, GraphQLNonNull) or default(fields[n]) is not None] == []


@pytest.mark.parametrize(
    "name", [n for n in MUTATIONS if re.match("(create|update|retract|supersede|restore|delete)[A-Z]", n)]
)
def test_a_payload_holds_the_thing_or_the_id_that_it_had(name: str) -> None:
    payload = SCHEMA.type_map[f"{name[0].upper()}{name[1:]}Payload"]
    assert isinstance(payload, GraphQLObjectType)
    verb, thing = re.findall("^[a-z]+|[A-Z].*", name)
    if verb == "delete":
        assert str(payload.fields["deletedId"].type) == "ID!"
    else:
        assert str(payload.fields[thing[0].lower() + thing[1:]].type) == f"{thing}!"


@pytest.mark.parametrize("type", [t for t in TYPES if t.name.endswith("Connection")], ids=str)
def test_a_connection_is_that_of_the_relay_specification(type: GraphQLObjectType) -> None:
    edge = type.name.removesuffix("Connection") + "Edge"
    shape = {name: str(field.type) for name, field in type.fields.items()}
    node = SCHEMA.type_map[edge].fields["node"].type  # type: ignore[union-attr]
    assert shape == {"nodes": f"[{node}]!", "edges": f"[{edge}!]!", "pageInfo": "PageInfo!", "totalCount": "Int!"}
    assert str(SCHEMA.type_map[edge].fields["cursor"].type) == "String!"  # type: ignore[union-attr]


def test_every_field_that_answers_a_connection_is_paged_alike() -> None:
    first = {"Volume.predicates": 100, "Volume.changes": 50}
    paged = {
        f"{type.name}.{name}": field
        for type in TYPES
        if isinstance(type, GraphQLObjectType)
        for name, field in type.fields.items()
        if str(field.type).endswith("Connection!")
    }
    assert len(paged) > 30
    for where, field in paged.items():
        assert str(field.args["first"].type) == "Int!"
        assert default(field.args["first"]) == str(first.get(where, 20)), where
        assert str(field.args["after"].type) == "String"


def test_a_list_never_holds_null_but_where_ids_ask() -> None:
    loose = re.findall(r"^  (\w+)(?:\(.*)?: \[\w+\]", SDL, re.M) + re.findall(r"^  \): (\[\w+\])", SDL, re.M)
    assert loose == ["[Node]"]
    assert "): [Node]!" in print_type(SCHEMA.type_map["Query"])
