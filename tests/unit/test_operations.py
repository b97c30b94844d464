"""Operations from text to result: what is remembered of a document, and what is answered of one that is wrong."""

from __future__ import annotations

from unittest.mock import patch

import strawberry
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType

from schema import operations
from schema.limits import Limits
from schema.operations import CACHED_LENGTH, Schema


@strawberry.type
class Query:
    @strawberry.field
    def hello(self, name: str = "World") -> str:
        return f"Hello {name}"


async def times_read(*texts: str) -> int:
    """Return how often documents are parsed and validated while these are executed in turn."""
    schema = Schema(Query, limits=Limits())
    with (
        patch.object(operations, "read_document", wraps=operations.read_document) as parsed,
        patch.object(operations, "validate_document", wraps=operations.validate_document) as validated,
    ):
        for text in texts:
            await schema.execute(text)
    assert parsed.call_count == validated.call_count
    return parsed.call_count


async def test_a_document_is_parsed_and_validated_once() -> None:
    assert await times_read("{ hello }", "{ hello }", "{ b: hello }", "{ hello }") == 2


async def test_a_long_document_is_read_each_time() -> None:
    at_most = "{ hello }".ljust(CACHED_LENGTH)
    assert await times_read(at_most, at_most) == 1
    assert await times_read(at_most + " ", at_most + " ") == 2


async def test_two_schemas_remember_apart() -> None:
    few, many = Schema(Query, limits=Limits(fields=1)), Schema(Query, limits=Limits(fields=2))
    text = "{ hello b: hello }"
    assert (await many.execute(text)).data == {"hello": "Hello World", "b": "Hello World"}
    assert errors(await few.execute(text)) == [
        ("The document has 2 fields, fragments expanded; the limit is 1. Ask for less at once.", "LIMIT_EXCEEDED")
    ]


async def test_what_is_wrong_with_a_remembered_document_is_said_each_time() -> None:
    schema = Schema(Query, limits=Limits())
    wrong = [("Cannot query field 'goodbye' on type 'Query'.", "GRAPHQL_VALIDATION_FAILED")]
    assert errors(await schema.execute("{ goodbye }")) == wrong
    assert errors(await schema.execute("{ goodbye }")) == wrong


async def test_of_several_operations_the_named_one_runs() -> None:
    schema = Schema(Query, limits=Limits())
    text = "query A { hello } query B { b: hello }"
    assert (await schema.execute(text, operation_name="B")).data == {"b": "Hello World"}
    assert errors(await schema.execute(text, allowed_operation_types=[OperationType.QUERY])) == [
        ("The document has 2 operations: name the one to run as `operationName`.", "BAD_USER_INPUT")
    ]


def errors(result: ExecutionResult) -> list[tuple[str, str]]:
    assert result.data is None
    return [(error.message, (error.extensions or {})["code"]) for error in result.errors or ()]
