"""Limits on documents and variables: what passes, what is refused with which words, and what a hostile text costs."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
from graphql import GraphQLSyntaxError, get_introspection_query
from hypothesis import given, settings
from hypothesis import strategies as st

from schema.limits import Limits, check_variables, read_document
from server.errors import BadUserInput, LimitExceeded, ServerError

LIMITS = Limits()


def refused(text: str, limits: Limits = LIMITS) -> str:
    with pytest.raises(LimitExceeded) as refusal:
        read_document(text, limits)
    return refusal.value.message


def nested(depth: int) -> str:
    return "{" + "a{" * (depth - 1) + "a" + "}" * depth


def test_a_document_at_every_limit_passes() -> None:
    read_document(nested(20), LIMITS)
    read_document("{" + " ".join(f"a{i}: a" for i in range(15)) + "}", LIMITS)
    read_document("{" + "a " * 300 + "}", LIMITS)
    read_document("{" + "a " * 998 + "}", Limits(fields=1000))
    read_document("{ a @x @x @x @x }", LIMITS)
    read_document("{" + "a @x " * 30 + "}", LIMITS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{" + "a " * 999 + "}",
            "The document has more than 1,000 tokens; the limit is 1,000. Move values to variables.",
        ),
        (
            "#\n" * 1001 + "{a}",
            "The document has more than 1,000 tokens; the limit is 1,000. Move values to variables.",
        ),
        (nested(21), "The document has 21 levels of fields; the limit is 20. Ask in several requests."),
        (nested(333), "The document has far more levels of nesting; the limit is 20. Ask in several requests."),
        (
            "{" + " ".join(f"a{i}: a" for i in range(16)) + "}",
            "The document has 16 aliases; the limit is 15. Ask in several requests.",
        ),
        (
            "{" + "a " * 301 + "}",
            "The document has 301 fields, fragments expanded; the limit is 300. Ask for less at once.",
        ),
        ("{ a" + " @x" * 5 + " }", "The document has 5 directives in one place; the limit is 4. Leave some out."),
        ("query" + " @x" * 5 + " { a }", "The document has 5 directives in one place; the limit is 4. Leave some out."),
        ("{" + "a @x " * 31 + "}", "The document has 31 directives; the limit is 30. Ask in several requests."),
    ],
)
def test_a_document_beyond_a_limit_is_refused_with_the_number_the_limit_and_a_way_out(text: str, message: str) -> None:
    assert refused(text) == message


def test_fields_count_as_often_as_fragments_repeat_them() -> None:
    fragments = "fragment f on T { a b { c ... on T { d } } }"
    read_document("{" + "...f " * 75 + "}" + fragments, LIMITS)
    assert "has 304 fields" in refused("{" + "...f " * 76 + "}" + fragments)


def test_depth_goes_through_fragments() -> None:
    assert "has 21 levels of fields" in refused("{ ...f } fragment f on T { ...g } fragment g on T " + nested(21))
    assert "has 21 levels of fields" in refused(
        "{ a { ...f } } fragment f on T { ... { b { ...g } } } fragment g on T " + nested(19)
    )
    read_document("{ a { ...f } } fragment f on T { ... { b { ...g } } } fragment g on T " + nested(18), LIMITS)


def test_a_bomb_of_fragments_is_counted_in_linear_time() -> None:
    bomb = (
        "{...f0}"
        + "".join(f"fragment f{i} on T {{...f{i + 1} ...f{i + 1}}}" for i in range(85))
        + "fragment f85 on T {a}"
    )
    began = time.process_time()
    assert "has 1,000,000 or more fields" in refused(bomb)
    assert time.process_time() - began < 0.5


def test_cycles_and_unknown_fragments_are_left_to_validation() -> None:
    for text in (
        "{...f} fragment f on T {...f}",
        "{...f} fragment f on T {...g} fragment g on T {...f}",
        "{...unknown}",
    ):
        assert read_document(text, LIMITS).definitions


def test_no_nesting_reaches_the_recursion_limit() -> None:
    generous = Limits(tokens=100_000, fields=10**6, depth=10**6, aliases=10**6)
    deep = 5_000
    chain = "{...f0}" + "".join(f"fragment f{i} on T {{...f{i + 1}}}" for i in range(1_500)) + "fragment f1500 on T {a}"
    texts = [
        "{" + "a{" * deep,
        "{" + "...{" * deep,
        "{a(b:" + "[" * deep,
        "{a(b:" + "{c:" * deep,
        "query($a:" + "[" * deep,
        "{a(b:" + "[" * 190 + "]" * 190 + ")}",
        chain,
    ]
    for text in texts:
        for limits in (LIMITS, generous):
            with suppress(ServerError, GraphQLSyntaxError):
                read_document(text, limits)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {
            "one_of": True,
            "input_value_deprecation": True,
            "specified_by_url": True,
            "schema_description": True,
            "directive_is_repeatable": True,
        },
    ],
)
def test_the_introspection_query_passes(options: dict[str, bool]) -> None:
    assert read_document(get_introspection_query(**options), LIMITS).definitions


def test_a_syntax_error_stays_one() -> None:
    with pytest.raises(GraphQLSyntaxError, match="Expected Name"):
        read_document("{ a( }", LIMITS)
    with pytest.raises(GraphQLSyntaxError, match="Expected Name"):
        read_document("{ a { } }", LIMITS)


def test_a_literal_that_cannot_be_stored_is_refused_under_its_argument() -> None:
    with pytest.raises(BadUserInput) as refusal:
        read_document(r'{ a(input: {tags: ["x", "\u0000"]}) }', LIMITS)
    assert refusal.value.argument == "tags"
    assert refusal.value.message == "tags holds the character U+0000, which cannot be stored. Remove it."
    read_document(r'{ a(input: {tags: ["x", "\\u0000"]}) }', LIMITS)


def test_a_literal_nested_deeper_than_the_limit_is_refused_under_its_argument() -> None:
    read_document("{a(b:" + "[" * 20 + "1" + "]" * 20 + ")}", LIMITS)
    with pytest.raises(BadUserInput) as refusal:
        read_document("{a(b:" + "[" * 21 + "1" + "]" * 21 + ")}", LIMITS)
    assert refusal.value.argument == "b"


@pytest.mark.parametrize(
    ("variables", "argument", "words"),
    [
        ({"name": "a\0"}, "name", "U+0000"),
        ({"name": "a\ud800b"}, "name", "surrogate"),
        ({"input": {"tags": ["fine", "\0"]}}, "tags", "U+0000"),
        ({"input": {"properties": {"a\0": 1}}}, "properties", "U+0000"),
    ],
)
def test_a_variable_that_cannot_be_stored_is_refused_under_its_name(variables: Any, argument: str, words: str) -> None:
    with pytest.raises(BadUserInput, match=words.replace("+", r"\+")) as refusal:
        check_variables(variables, 20)
    assert refusal.value.argument == argument


def test_variables_nested_deeper_than_the_limit_are_refused() -> None:
    value: Any = "x"
    for _ in range(20):
        value = [value]
    check_variables({"a": value}, 20)
    with pytest.raises(BadUserInput):
        check_variables({"a": [value]}, 20)
    for _ in range(100_000):
        value = {"b": value}
    with pytest.raises(BadUserInput, match="b is nested deeper than 20 levels"):
        check_variables({"a": value}, 20)
    while isinstance(value, dict):  # taken apart by hand: its own destructor would recurse
        value = value["b"]


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@settings(deadline=None)
@given(
    st.dictionaries(TEXTS, st.one_of(st.integers(), TEXTS, st.lists(TEXTS), st.dictionaries(TEXTS, TEXTS)), max_size=5)
)
def test_every_other_value_passes(variables: dict[str, Any]) -> None:
    check_variables(variables, 20)
