"""The three queries, in our words and in PostGraphile's, which asks for the same nodes and fields under the same names.

PostGraphile's `rowId` is the primary key as it stands in the table; its global ids would cost it more.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FIRST", "QUERIES", "TINY", "Query"]

FIRST = 50
TINY = "{ __typename }"
_PAGE = "pageInfo { hasNextPage endCursor }"
_DEPTH = 4


class Query(NamedTuple):
    """One query. `by_id` says whether it starts from an entity, whose id is its variable."""

    name: str
    what: str
    ours: str
    postgraphile: str
    by_id: bool = True


def _ours(text: str) -> str:
    fields = {"FACTS": "facts", "OUT": "relationships", "TARGET": "target", "ID": "id", "ONWARD": ", direction: OUT"}
    return _filled(text, fields)


def _postgraphile(text: str) -> str:
    fields = {
        "FACTS": "facts: factsBySubjectId",
        "OUT": "relationships: relationshipsBySourceId",
        "TARGET": "target: entityByTargetId",
        "ID": "id: rowId",
        "ONWARD": "",
    }
    return _filled(text, fields)


def _filled(text: str, fields: dict[str, str]) -> str:
    for word, field in fields.items():
        text = text.replace(f"${word}", field)
    return text


_NESTED = f"""$ID name type
  $FACTS(first: 5) {{ nodes {{ $ID content importance }} {_PAGE} }}
  $OUT(first: 5$ONWARD) {{ nodes {{ $ID type $TARGET {{ $ID name
    $FACTS(first: 3) {{ nodes {{ content }} {_PAGE} }} }} }} {_PAGE} }}"""
_ONE = "$ID name type $FACTS(first: 3) { nodes { $ID content } }"
_DEEP = "$ID name $FACTS(first: 3) { nodes { content } }"
for _ in range(_DEPTH):
    _DEEP = f"$ID name $OUT(first: 3$ONWARD) {{ nodes {{ type $TARGET {{ {_DEEP} }} }} }}"

_OUR_LIST = """query Nested($first: Int!) { volume { entities(first: $first) {
  nodes { %s } %s } } }"""
_THEIR_LIST = """query Nested($first: Int!) { volume: volumeByName(name: "default") {
  entities: entitiesByVolumeId(first: $first, orderBy: [MATCH_KEY_ASC, PRIMARY_KEY_ASC]) { nodes { %s } %s } } }"""
_OUR_NODE = "query Node($id: ID!) { node(id: $id) { ... on Entity { %s } } }"
_THEIR_NODE = "query Node($id: UUID!) { node: entityByRowId(rowId: $id) { %s } }"


def _from_node(name: str, what: str, fields: str) -> Query:
    return Query(name, what, _OUR_NODE % _ours(fields), _THEIR_NODE % _postgraphile(fields))


QUERIES = (
    Query(
        "Q1",
        f"{FIRST} entities, 5 facts and 5 relationships each, each target's 3 facts",
        _OUR_LIST % (_ours(_NESTED), _PAGE),
        _THEIR_LIST % (_postgraphile(_NESTED), _PAGE),
        by_id=False,
    ),
    _from_node("Q2", "one entity by its id, with 3 facts", _ONE),
    _from_node("Q3", "five levels of entities deep, first 3 each", _DEEP),
)
