"""Identity: which spellings are one name, and what names, types and relations are refused."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from server.errors import BadUserInput
from server.services.identity import (
    clean_name,
    clean_text,
    exclude_each_other,
    lookup_keys,
    match_key,
    normalise_type,
    relation_type,
)

PIECES = st.sampled_from(
    ["the", "a", "an", "Inc", "Inc.", ", Inc.", "Co", "Co.", "& Co.", "GmbH", "S.A.", "株式会社", "有限公司", "(株)",
     " ", "-", "–", "3", "x", "É", "e\u0301", ".", ",", '"', "“", "’", "(", ")", "+", "#", "™", "\u200b",
     "東京", "हिन्दी", "🎉", "ß", "İ", "ﬁ", "Ⅳ", "½", "´"]
)  # fmt: skip
NAMES = st.one_of(
    st.text(max_size=30), st.lists(PIECES, max_size=9).map("".join), st.lists(PIECES, max_size=9).map(" ".join)
)
TYPES = st.sampled_from([None, "organization", "person", "concept"])


@pytest.mark.parametrize(
    "spellings",
    [
        (
            "OpenAI",
            "Open AI",
            "Open-AI",
            "open ai",
            "OPENAI",
            "  OpenAI  ",
            "Open\u2011AI",
            "“OpenAI”",
            "(OpenAI)",
            "OpenAI™",
            "OpenAI.",
        ),
        (
            "OpenAI",
            "OpenAI, Inc.",
            "OpenAI Inc",
            "OpenAI Incorporated",
            "(OpenAI, Inc.)",
            '"OpenAI, Inc."',
            "The OpenAI Corporation",
        ),
        (
            "Acme",
            "ＡＣＭＥ",
            "Acme GmbH",
            "Acme Pty Ltd",
            "Acme Co., Ltd.",
            "Acme S.A.",
            "Acme S. A.",
            "Acme GmbH & Co. KG",
            "Acme sp. z o.o.",
            "Acme s.r.o.",
            "Acme S/A",
            "Acme A.Ş.",
            "Acme Nyrt.",
            "Acme ehf.",
            "Acme S.L.",
            "Acme d.d.",
            "Acme e.V.",
            "Acme S.A. de C.V.",
            "Acme Private Limited",
            "Acme Α.Ε.",
        ),
        ("トヨタ自動車", "トヨタ自動車株式会社", "株式会社トヨタ自動車", "㈱トヨタ自動車", "株式会社 トヨタ自動車"),
        ("华为技术", "华为技术有限公司", "华为技术股份有限公司"),
        ("Café Noir", "Cafe\u0301 Noir", "CAFÉ NOIR"),
        ("O'Reilly", "O’Reilly", "O＇Reilly"),
        ("The Beatles", "Beatles", "the  beatles"),
        ("Ромашка", "ООО «Ромашка»", "ООО Ромашка"),
        ("Straße", "STRASSE"),
        ("C", "c", "C,"),
        ("mlp-332", "MLP–332", "mlp\u2212332"),
        ("Marks & Spencer", "Marks and Spencer", "Marks and Spencer plc", "Marks und Spencer"),
        ("Saint Petersburg", "St. Petersburg", "St.Petersburg"),
        ("Mount Everest", "Mt. Everest"),
        ("Warner Brothers", "Warner Bros.", "Warner Bros"),
        ("International Business School", "Intl. Business School", "Int'l Business School"),
        ("Ministry of Finance", "Finance Ministry", "the Ministry of the Finance"),
        ("SAP Labs (India)", "SAP Labs India"),
        ("John Doe Jr.", "John Doe, Jr.", "John Doe, Jr"),
    ],
)
def test_spellings_of_one_name_share_a_key(spellings: tuple[str, ...]) -> None:
    assert {match_key(name) for name in spellings} == {match_key(spellings[0])}


@pytest.mark.parametrize(
    "names",
    [
        ("C", "C++", "C#", "C--", "C*"),
        (".NET", "NET"),
        ("東京大学", "京都大学"),
        ("Rev A", "Rev B"),
        ("mlp-332", "mlp-333"),
        ("Windows 11", "Windows 1 1", "Windows 111"),
        ("A 4", "4", "B 4", "A4"),
        ("O+", "O-", "O"),
        ("-5", "5"),
        ("Go", "Google"),
        ("हिन्दी", "हन्द"),
        ("นำ", "นา"),
        ("🎉", "🎊", "!!!"),
        ("Team", "The A Team"),
        ('12"', "12"),
        ("f(x)", "f(y)", "f"),
        ("Denver", "Denver, CO"),
        ("Bad", "Bad Company"),
        ("Tiffany", "Tiffany & Co."),
        ("Smith", "Smith & Sons Ltd"),
        ("M&A", "Manda", "M"),
        ("Washington University", "University of Washington"),
        ("Main St", "Main Saint"),
        ("John Doe Jr.", "John Doe", "John Doe Sr."),
        ("The The", "The"),
    ],
)
def test_signs_that_tell_names_apart_stay_in_the_key(names: tuple[str, ...]) -> None:
    assert len({match_key(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The", "the"),
        ("The The", "thethe"),
        ("A The", "athe"),
        ("The A Team", "ateam"),
        ("Inc.", "inc"),
        ("The Limited", "limited"),
        ("株式会社", "株式会社"),
        ("!!!", "!!!"),
        ("( )", "( )"),
        ("™", "tm"),
        ("Tiffany & Co., Inc.", "tiffany & co"),
        ("Smith & Sons Ltd", "smith & sons"),
        ("Windows   11", "windows 11"),
        ("", ""),
    ],
)
def test_a_key_is_exactly(name: str, key: str) -> None:
    assert match_key(name) == key


@pytest.mark.parametrize("type", ["person", "place", "event", " Person "])
def test_a_name_that_is_stated_to_be_no_organization_keeps_what_looks_like_a_legal_form(type: str) -> None:
    assert match_key("Park Limited", type) == "parklimited"


@pytest.mark.parametrize(
    "name",
    ["Marie Curie", "Curie, Marie", "Dr. Marie Curie", "Prof. Dr. Marie Curie", "Mme Marie Curie", "Marie Curie, PhD"],
)
def test_titles_and_the_order_of_an_index_do_not_count_in_the_name_of_a_person(name: str) -> None:
    assert match_key(name, "person") == "mariecurie"
    assert "mariecurie" in lookup_keys(name)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Dr. Weiss", "dr. weiss"),
        ("Weiss, Dr.", "weiss, dr"),
        ("Marie S. Curie", "maries. curie"),
        ("Doe, Jr.", "doejr"),
        ("Smith, Jones, Doe", "smith, jones, doe"),
    ],
)
def test_what_a_persons_name_would_not_be_one_without_stays(name: str, key: str) -> None:
    assert match_key(name, "person") == key


@pytest.mark.parametrize("name", ["Acme Company", "Acme Co", "Acme AG", "Acme SA", "Acme, AB", "Acme AS", "Acme KK"])
def test_legal_forms_that_are_words_go_only_for_an_organization(name: str) -> None:
    assert match_key(name, "organization") == "acme"
    assert match_key(name) != "acme"


@given(NAMES, TYPES)
def test_a_key_is_its_own_key(name: str, type: str | None) -> None:
    key = match_key(name, type)
    assert match_key(key, type) == key


@given(NAMES, TYPES)
def test_normal_form_case_and_outer_white_space_do_not_count(name: str, type: str | None) -> None:
    assume("ı" not in name)  # its capital is I, whose small letter is i
    key = match_key(name, type)
    for form in ("NFC", "NFD"):
        assert match_key(unicodedata.normalize(form, name), type) == key
    assert match_key(name.casefold(), type) == key
    assert match_key(f"\n {name}\t", type) == key


@given(st.text(max_size=20), TYPES)
def test_upper_case_does_not_count(name: str, type: str | None) -> None:
    assume(name.upper().casefold() == name.casefold())
    assert match_key(name.upper(), type) == match_key(name, type)


@given(NAMES, TYPES)
def test_no_name_is_emptied(name: str, type: str | None) -> None:
    assert bool(match_key(name, type)) == bool(name.strip())


@given(NAMES, TYPES)
def test_digits_are_never_lost(name: str, type: str | None) -> None:
    digits = [sign for sign in unicodedata.normalize("NFKC", name) if sign.isdigit()]
    assert [sign for sign in match_key(name, type) if sign.isdigit()] == digits


def test_a_look_up_without_type_tries_the_name_with_its_legal_form_first() -> None:
    assert lookup_keys("OpenAI, Inc.") == ("openai, inc", "openai")
    assert lookup_keys("Acme Co.") == ("acmeco", "acme")
    assert lookup_keys("OpenAI") == ("openai",)


def test_a_look_up_with_a_type_starts_at_the_key_of_that_type() -> None:
    assert lookup_keys("Acme Co", "organization") == ("acme", "acmeco")
    assert lookup_keys("Acme Co", "concept") == ("acmeco", "acme")
    assert lookup_keys("Park Limited", "person") == ("parklimited",)


@given(NAMES, TYPES)
def test_whatever_type_a_thing_was_stored_with_an_untyped_look_up_tries_its_key(name: str, type: str | None) -> None:
    assert match_key(name, type) in lookup_keys(name)


@pytest.mark.parametrize(
    ("a", "b", "excluded"),
    [
        ("person", "organization", True),
        ("Place", "EVENT", True),
        ("person", "person", False),
        ("person", "concept", False),
        ("x", "y", False),
    ],
)
def test_only_two_of_the_exclusive_types_exclude_each_other(a: str, b: str, excluded: bool) -> None:
    assert exclude_each_other(a, b) is exclude_each_other(b, a) is excluded


def test_a_type_is_case_folded_words() -> None:
    assert normalise_type("  Programming\n Language ") == "programming language"
    assert normalise_type("x" * 100) == "x" * 100


@pytest.mark.parametrize("text", ["", " \t", "x" * 101, "a\x00b", "a\ud800", "\u200b"])
def test_a_type_that_is_blank_long_or_broken_is_refused(text: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        normalise_type(text)
    assert refusal.value.argument == "type"


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("works at", "WORKS_AT"),
        ("worksAt", "WORKS_AT"),
        ("WorksAt", "WORKS_AT"),
        ("Works-At", "WORKS_AT"),
        ("WORKS_AT", "WORKS_AT"),
        ("WoRkS aT", "WORKS_AT"),
        (" works  at ", "WORKS_AT"),
        ("__works.at__", "WORKS_AT"),
        ("isA", "IS_A"),
        ("runsHTTPServer", "RUNS_HTTP_SERVER"),
        ("doesn't use", "DOESNT_USE"),
        ("arbeitet für", "ARBEITET_FÜR"),
        ("arbeitet fu\u0308r", "ARBEITET_FÜR"),
        ("работает в", "РАБОТАЕТ_В"),
        ("で働く", "で働く"),
        ("के लिए", "के_लिए"),
        ("heißt", "HEISST"),
    ],
)
def test_a_relation_is_upper_snake_case_in_any_script(text: str, relation: str) -> None:
    assert relation_type(text) == relation


@given(st.text(max_size=40))
def test_a_relation_is_its_own_form_or_refused(text: str) -> None:
    try:
        relation = relation_type(text)
    except BadUserInput:
        assume(False)
    assert relation_type(relation) == relation
    assert relation == relation.strip("_")
    assert "__" not in relation


@pytest.mark.parametrize("text", ["", "  ", "--", "'", "x" * 101, "a\x00b", "a\ud800"])
def test_a_relation_without_words_too_long_or_broken_is_refused(text: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        relation_type(text, "predicate")
    assert refusal.value.argument == "predicate"


def test_a_name_is_trimmed_and_its_white_space_collapsed_and_nothing_else() -> None:
    assert clean_name(" Ada \n Lovelace\u3000(é) ") == "Ada Lovelace (é)"
    assert clean_name("x" * 500) == "x" * 500
    assert clean_name("ان\u200cجا") == "ان\u200cجا"


@pytest.mark.parametrize(
    "text", ["", " \n", "\u200b\u200e", "x" * 501, "a\x00b", "a\ud800b", "a\x07b", "a\x1fb", "a\x9fb"]
)
def test_a_blank_long_or_broken_name_is_refused(text: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        clean_name(text, "alias")
    assert refusal.value.argument == "alias"
    assert refusal.value.code == "BAD_USER_INPUT"


def test_a_text_is_left_as_it_is() -> None:
    assert clean_text("  a\r\n\x07b ", "content") == "  a\r\n\x07b "
    assert clean_text("x" * 50, "content", limit=50) == "x" * 50


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "x" * 51, "a\x00b", "a\udfffb"])
def test_a_text_that_is_blank_too_long_or_broken_is_refused(text: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        clean_text(text, "content", limit=50)
    assert refusal.value.argument == "content"
