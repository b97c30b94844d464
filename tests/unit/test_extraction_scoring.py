"""The scoring of benchmarks/extraction.py on tiny cases with exact counts, and the form of the label files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from _scoring import SENTENCES, Edge, Fact, Found, Score, Thing, by_kind, load

FILES = sorted(SENTENCES.glob("*.jsonl"))
ADA, ACME, PARIS = Thing(("Ada",), "person"), Thing(("Acme, Inc.",), "organization"), Thing(("Paris",), "place")
LABEL: dict[str, Any] = {
    "id": "x-01",
    "kind": "x",
    "text": "Ada founded Acme in Paris in 1999 and left it in 2003.",
    "entities": [
        {"names": ["Ada", "Ada Roe"], "types": ["person"]},
        {"names": ["Acme"], "types": ["organization", "company"]},
    ],
    "optional_entities": [{"names": ["Paris"], "types": ["place"]}],
    "relationships": [
        {"source": "Ada", "target": "Acme", "types": ["FOUNDED"], "inverse": ["FOUNDED_BY"]},
        {"source": "Ada", "target": "Acme", "types": ["WORKS_AT"], "ended": True},
    ],
    "optional_relationships": [{"source": "Acme", "target": "Paris", "types": ["LOCATED_IN"]}],
    "facts": [{"subject": "Acme", "value": "1999", "values": ["1999"], "predicates": ["FOUNDED_IN"]}],
    "optional_facts": [
        {"subject": "Ada", "value": "founder of Acme", "values": ["founder of Acme"], "predicates": ["IS"]}
    ],
}


def counts(found: Found) -> dict[str, tuple[int, int, int]]:
    score = Score()
    score.add(LABEL, found)
    return {measure: (t.right, t.false, t.missed) for measure, t in score.tallies.items()}


def errors(found: Found) -> list[tuple[str, str]]:
    score = Score()
    score.add(LABEL, found)
    return [(p.error, p.item) for p in score.problems if p.error != "missed"]


def test_nothing_found_misses_everything_required_and_nothing_optional() -> None:
    assert counts(Found()) == {"entities": (0, 0, 2), "relationships": (0, 0, 2), "facts": (0, 0, 1)}


def test_entities_match_by_match_key_against_names_and_aliases_and_optional_ones_count_for_nothing() -> None:
    found = Found([Thing(("A. Roe", "Ada Roe"), "person"), ACME, PARIS])
    assert counts(found)["entities"] == (2, 0, 0)


def test_an_entity_that_is_not_labelled_is_false_and_one_that_comes_twice_is_so_once() -> None:
    found = Found([ADA, Thing(("Ada Roe",), "person"), Thing(("Monday",), "event")])
    assert counts(found)["entities"] == (1, 2, 1)
    assert errors(found) == [("twice", "Ada Roe (person)"), ("false", "Monday (event)")]


def test_a_name_matches_before_an_alias_does() -> None:
    found = Found([Thing(("The Roes", "Ada"), "organization"), ADA])
    score = Score()
    score.add(LABEL, found)
    assert score.type_accuracy == 1.0


def test_a_type_that_is_not_accepted_lowers_the_accuracy_of_types_alone() -> None:
    score = Score()
    score.add(LABEL, Found([Thing(("Ada",), "place"), ACME]))
    assert (score.type_accuracy, score.tallies["entities"].precision) == (0.5, 1.0)


@pytest.mark.parametrize("edge", [Edge(0, "FOUNDED", 1), Edge(1, "FOUNDED_BY", 0), Edge(0, "founded", 1)])
def test_a_relationship_counts_in_its_direction_or_by_its_inverse(edge: Edge) -> None:
    assert counts(Found([ADA, ACME], [edge]))["relationships"] == (1, 0, 1)


@pytest.mark.parametrize(
    ("edge", "error"),
    [
        (Edge(1, "FOUNDED", 0), "direction or type"),
        (Edge(0, "SOLD", 1), "type"),
        (Edge(0, "LIVES_IN", 2), "not said"),
        (Edge(0, "FOUNDED", 3), "an end is no entity"),
        (Edge(0, "WORKS_AT", 1), "ended, but without an end"),
    ],
)
def test_a_false_relationship_is_counted_with_its_kind_of_error(edge: Edge, error: str) -> None:
    found = Found([ADA, ACME, PARIS, Thing(("Foo",), "place")], [edge])
    assert counts(found)["relationships"] == (0, 1, 2)
    assert errors(found)[-1][0] == error


@pytest.mark.parametrize("edge", [Edge(0, "WORKS_AT", 1, ended=True), Edge(0, "IS_WORKS_AT", 1, ended=True)])
def test_what_has_ended_counts_with_an_end(edge: Edge) -> None:
    assert counts(Found([ADA, ACME], [edge]))["relationships"] == (1, 0, 1)


def test_an_optional_relationship_and_one_said_twice_count_for_nothing() -> None:
    edges = [Edge(1, "LOCATED_IN", 2), Edge(0, "FOUNDED", 1), Edge(1, "FOUNDED_BY", 0)]
    assert counts(Found([ADA, ACME, PARIS], edges))["relationships"] == (1, 0, 1)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (Fact(1, "FOUNDED_IN", "1999"), (1, 0, 0)),
        (Fact(1, "SOLD_IN", "1999"), (0, 1, 1)),
        (Fact(1, "FOUNDED_IN", "2003"), (0, 1, 1)),
        (Fact(0, "ROLE", "Founder"), (0, 0, 1)),
        (Fact(0, None, None, "Ada left."), (0, 0, 1)),
    ],
)
def test_facts_match_by_subject_value_and_predicate(fact: Fact, expected: tuple[int, int, int]) -> None:
    assert counts(Found([ADA, ACME], facts=[fact]))["facts"] == expected


@pytest.mark.parametrize(
    ("expected", "value"),
    [("1963-04-24", "April 24, 1963"), ("5 USD", "$5"), ("12", "12.0"), ("film director", "French film director")],
)
def test_values_are_alike_across_spellings(expected: str, value: str) -> None:
    fact = {"subject": "Ada", "value": expected, "values": [expected], "predicates": ["IS"]}
    score = Score()
    score.add(LABEL | {"facts": [fact]}, Found([ADA], facts=[Fact(0, "IS", value)]))
    assert score.tallies["facts"].right == 1


def test_numbers_are_not_alike_by_their_words() -> None:
    fact = {"subject": "Ada", "value": "12 guidelines", "values": ["12 guidelines"], "predicates": ["HAS"]}
    score = Score()
    score.add(LABEL | {"facts": [fact]}, Found([ADA], facts=[Fact(0, "HAS", "guidelines")]))
    assert score.tallies["facts"].right == 0


def test_precision_and_recall_over_sentences_are_micro_and_kinds_are_kept_apart() -> None:
    other = LABEL | {"id": "y-01", "kind": "y"}
    score = Score()
    pairs = [(LABEL, Found([ADA, ACME, Thing(("Foo",), "place")])), (other, Found([ADA]))]
    for label, found in pairs:
        score.add(label, found)
    assert (score.tallies["entities"].precision, score.tallies["entities"].recall) == (0.75, 0.75)
    assert [s.row(k)["names R"] for k, s in by_kind(pairs).items()] == [1.0, 0.5]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_label_is_well_formed(path: Path) -> None:
    labels = load(path)
    assert len({label["id"] for label in labels}) == len(labels)
    for label in labels:
        required = {e["names"][0] for e in label["entities"]}
        known = required | {e["names"][0] for e in label["optional_entities"]}
        text = " ".join(label["text"].split())
        assert [n for n in known if " ".join(n.split()) not in text] == [], label["id"]
        assert len(known) == len(label["entities"]) + len(label["optional_entities"]), label["id"]
        assert all(e["names"] and e["types"] for e in label["entities"] + label["optional_entities"]), label["id"]
        for r in label["relationships"]:
            assert {r["source"], r["target"]} <= required, label["id"]
        for r in label["relationships"] + label["optional_relationships"]:
            assert {r["source"], r["target"]} <= known, label["id"]
            assert r["types"], label["id"]
        for f in label["facts"] + label["optional_facts"]:
            assert f["subject"] in known, label["id"]
            assert f["values"], label["id"]
        assert label["source"], label["id"]
        assert label["licence"], label["id"]


def test_no_sentence_is_in_both_halves() -> None:
    texts = [label["text"] for path in FILES for label in load(path)]
    assert len(set(texts)) == len(texts)
