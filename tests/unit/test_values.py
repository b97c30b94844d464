"""Values: which literals say the same, what is stored of them, and what instants and intervals mean."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadUserInput
from server.services.extraction.protocol import Instant
from server.services.values import (
    check_interval,
    content_key,
    end_of,
    format_instant,
    normalise_value,
    parse_instant,
    parse_value,
    type_of,
)
from server.terms import Precision, ValueType

TYPES = st.sampled_from(list(ValueType))


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ("$349/month", "349 USD/month"),
        ("349 USD per month", "349 USD/month"),
        ("USD 349.00 / mo", "349 USD/month"),
        ("349 dollars a month", "349 USD/month"),
        ("US$349 monthly", "349 USD/month"),
        ("＄３４９／month", "349 USD/month"),
        ("$349 per annum", "349 USD/year"),
        ("$349 p.a.", "349 USD/year"),
        ("$10 per user per month", "10 USD/user/month"),
        ("10 USD/month/user", "10 USD/user/month"),
        ("€1.234,56", "1234.56 EUR"),
        ("1 234,56 €", "1234.56 EUR"),
        ("CHF 1'000", "1000 CHF"),
        ("₹1,00,000", "100000 INR"),
        ("1,000円", "1000 JPY"),
        ("£2.5m", "2500000 GBP"),
        ("$1.2 million", "1200000 USD"),
        ("5 million US dollars", "5000000 USD"),
        ("-$5", "-5 USD"),
        ("A$5", "5 AUD"),
        ("$5 CAD", "5 CAD"),
        ("12 USD/sec", "12 USD/second"),
        ("$99.", "99 USD"),
    ],
)
def test_money_is_the_same_by_amount_currency_and_period(value: str, canonical: str) -> None:
    assert normalise_value(value, ValueType.MONEY) == parse_value(value, ValueType.MONEY) == canonical


@pytest.mark.parametrize("value", ["349", "USD", "cheap", "€5 USD", "$", "$5 billed yearly", "20 xyz", "$" + "9" * 200])
def test_an_amount_without_a_clear_currency_or_figure_is_refused(value: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        parse_value(value, ValueType.MONEY)
    assert refusal.value.argument == "value"


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ("1,000", "1000"),
        ("1000.0", "1000"),
        ("1 000", "1000"),
        ("1_000", "1000"),
        ("1.234.567", "1234567"),
        ("12,34,567", "1234567"),
        ("1,5", "1.5"),
        ("0,123", "0.123"),
        ("007", "7"),
        ("-0.0", "0"),
        ("\u22125", "-5"),
        ("+5", "5"),
        ("1e6", "1000000"),
        ("1.5e-3", "0.0015"),
        ("1.2 million", "1200000"),
        ("3k", "3000"),
        ("50 percent", "50%"),
        ("50%", "50%"),
        ("१२३", "123"),
    ],
)
def test_numbers_are_the_same_by_quantity(value: str, canonical: str) -> None:
    assert normalise_value(value, ValueType.NUMBER) == parse_value(value, ValueType.NUMBER) == canonical


@pytest.mark.parametrize("value", ["many", "1,000,00", "1.2.3", "5 m", "5 users", "1e999999999", "inf", "nan", "--5"])
def test_what_is_no_number_is_refused_and_compared_as_text(value: str) -> None:
    assert normalise_value(value.upper(), ValueType.NUMBER) == value
    with pytest.raises(BadUserInput):
        parse_value(value, ValueType.NUMBER)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12))
def test_a_number_keeps_its_quantity_however_it_is_grouped(number: Decimal) -> None:
    assert Decimal(parse_value(f"{number:,}", ValueType.NUMBER)) == number
    assert Decimal(parse_value(f"{number:f}", ValueType.NUMBER)) == number


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ("2024", "2024"),
        ("2024-03", "2024-03"),
        ("2024-03-05", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("5 March 2024", "2024-03-05"),
        ("Sept. 3rd, 2021", "2021-09-03"),
        ("May 2024", "2024-05"),
        ("2024-03-05T10:00:00+02:00", "2024-03-05T08:00:00Z"),
    ],
)
def test_dates_are_the_same_by_day_and_precision(value: str, canonical: str) -> None:
    assert normalise_value(value, ValueType.DATE) == parse_value(value, ValueType.DATE) == canonical


@pytest.mark.parametrize("value", ["soon", "2024-02-30", "February 30, 2024", "0000", "10000"])
def test_what_is_no_date_is_refused(value: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        parse_value(value, ValueType.DATE)
    assert refusal.value.argument == "value"


def test_booleans_are_true_or_false() -> None:
    assert [parse_value(value, ValueType.BOOLEAN) for value in ("Yes", "TRUE", "no", "0")] == [
        "true",
        "true",
        "false",
        "false",
    ]
    with pytest.raises(BadUserInput):
        parse_value("maybe", ValueType.BOOLEAN)


def test_text_is_stored_as_written_and_compared_folded() -> None:
    assert parse_value("  Senior  Engineer ", ValueType.TEXT) == "Senior  Engineer"
    assert normalise_value("  Senior  ＥＮＧＩＮＥＥＲ", ValueType.TEXT) == "senior engineer"


@pytest.mark.parametrize("value", ["", "  ", "a\x00", "a\ud800", "x" * 2001])
@pytest.mark.parametrize("value_type", list(ValueType))
def test_a_blank_long_or_broken_value_is_refused_whatever_its_type(value: str, value_type: ValueType) -> None:
    with pytest.raises(BadUserInput) as refusal:
        parse_value(value, value_type)
    assert refusal.value.argument == "value"


def test_a_value_without_type_is_refused() -> None:
    with pytest.raises(BadUserInput):
        parse_value("349", ValueType.NONE)


@given(st.text(max_size=30) | st.text(st.sampled_from("$€ 0123456789.,/'-kmperyUSD%"), max_size=14), TYPES)
def test_a_canonical_value_is_its_own_canonical_form(value: str, value_type: ValueType) -> None:
    canonical = normalise_value(value, value_type)
    assert normalise_value(canonical, value_type) == canonical


@given(st.text(max_size=40))
def test_a_content_key_is_its_own_and_blank_only_for_blank_text(text: str) -> None:
    key = content_key(text)
    assert bool(key) == bool(text.strip())
    assert content_key(f" {text.casefold()}\n") == key


def test_a_content_key_leaves_case_space_and_outer_punctuation_out() -> None:
    assert (
        content_key("“Built  distributed\nsystems.”")
        == "built distributed systems"
        == content_key("Built distributed systems")
    )
    assert content_key("Knows C++.") == "knows c++"


@pytest.mark.parametrize(
    ("text", "at", "precision"),
    [
        ("2024", datetime(2024, 1, 1, tzinfo=UTC), Precision.YEAR),
        ("0001", datetime(1, 1, 1, tzinfo=UTC), Precision.YEAR),
        ("2024-03", datetime(2024, 3, 1, tzinfo=UTC), Precision.MONTH),
        (" 2024-03-05 ", datetime(2024, 3, 5, tzinfo=UTC), Precision.DAY),
        ("2024-03-05T10:30", datetime(2024, 3, 5, 10, 30, tzinfo=UTC), Precision.INSTANT),
        ("2024-03-05 10:30:15.5z", datetime(2024, 3, 5, 10, 30, 15, 500_000, tzinfo=UTC), Precision.INSTANT),
        ("2024-03-05T00:30:00+02:00", datetime(2024, 3, 4, 22, 30, tzinfo=UTC), Precision.INSTANT),
    ],
)
def test_an_instant_is_utc_with_the_precision_it_was_stated_with(text: str, at: datetime, precision: Precision) -> None:
    instant = parse_instant(text)
    assert instant == Instant(at, precision)
    assert instant.at.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    "text",
    ["", "24", "2024-13", "2024-02-30", "0000", "20240305", "2024-W10", "yesterday", "2024-03-05T25:00", "2024-03-05T10", "٢٠٢٤", "10000-01-01",
     "0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00"],
)  # fmt: skip
def test_what_is_no_instant_between_the_years_1_and_9999_is_refused(text: str) -> None:
    with pytest.raises(BadUserInput) as refusal:
        parse_instant(text, "validTo")
    assert refusal.value.argument == "validTo"


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_is_read_back_from_its_text(at: datetime) -> None:
    assert parse_instant(format_instant(Instant(at, Precision.INSTANT))) == Instant(at, Precision.INSTANT)
    day = Instant(at.replace(hour=0, minute=0, second=0, microsecond=0), Precision.DAY)
    assert parse_instant(format_instant(day)) == day


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2024", datetime(2025, 1, 1, tzinfo=UTC)),
        ("2024-12", datetime(2025, 1, 1, tzinfo=UTC)),
        ("2024-02", datetime(2024, 3, 1, tzinfo=UTC)),
        ("2024-02-28", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2024-12-31", datetime(2025, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_an_imprecise_end_means_the_end_of_what_it_names(text: str, end: datetime) -> None:
    assert end_of(parse_instant(text)) == end


@pytest.mark.parametrize("text", ["9999", "9999-12", "9999-12-31"])
def test_an_end_beyond_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(BadUserInput, match="open end") as refusal:
        end_of(parse_instant(text))
    assert refusal.value.argument == "validTo"


@pytest.mark.parametrize(
    ("valid_from", "valid_to"),
    [(None, None), ("2024", None), (None, "2024"), ("2024", "2024"), ("2024-03-05", "2024"), ("2021", "2024")],
)
def test_an_interval_that_holds_time_passes(valid_from: str | None, valid_to: str | None) -> None:
    check_interval(valid_from and parse_instant(valid_from), valid_to and parse_instant(valid_to))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("valid_from", "valid_to", "said"),
    [
        ("2024", "2023", r"^validTo \(2023\) is before validFrom \(2024\)\.$"),
        ("2025", "2023", r"^validTo \(2023\) is before validFrom \(2025\)\.$"),
        ("2024-03-06", "2024-03-05", r"^validTo \(2024-03-05\) is before validFrom \(2024-03-06\)\.$"),
        ("2024-01-01T00:00", "2023-12", r"^validTo \(2023-12\) is before validFrom \(2024-01-01T00:00:00Z\)\.$"),
        ("2024-03-05T10:00", "2024-03-05T10:00", "is empty"),
        ("2024", "9999", "open end"),
    ],
)
def test_an_interval_that_holds_no_time_is_refused(valid_from: str, valid_to: str, said: str) -> None:
    with pytest.raises(BadUserInput, match=said) as refusal:
        check_interval(parse_instant(valid_from), parse_instant(valid_to))
    assert refusal.value.argument == "validTo"


def test_an_instant_in_another_zone_is_written_in_utc() -> None:
    at = datetime(2024, 3, 5, 1, tzinfo=timezone(timedelta(hours=2)))
    assert format_instant(Instant(at, Precision.INSTANT)) == "2024-03-04T23:00:00Z"


@pytest.mark.parametrize(
    ("value", "predicate", "expected"),
    [
        ("$10/month", "COSTS", ValueType.MONEY),
        ("349 USD", None, ValueType.MONEY),
        ("5 euros a year", "COSTS", ValueType.MONEY),
        ("3 try", "HAS_RULE", ValueType.TEXT),
        ("12 pounds", "WEIGHS", ValueType.TEXT),
        ("about $10", "COSTS", ValueType.TEXT),
        ("1,000", "EMPLOYEE_COUNT", ValueType.NUMBER),
        ("-2.50", None, ValueType.NUMBER),
        ("12 percent", "HAS_SHARE", ValueType.NUMBER),
        ("1.2 million", "POPULATION", ValueType.NUMBER),
        ("2024", "POPULATION", ValueType.NUMBER),
        ("2024", "FOUNDED_IN", ValueType.DATE),
        ("1815", "BORN_ON", ValueType.DATE),
        ("March 5, 2024", None, ValueType.DATE),
        ("2024-03-05", "RELEASE_DATE", ValueType.DATE),
        ("Oslo", "BORN_IN", ValueType.TEXT),
        ("1.10", "LATEST_VERSION", ValueType.TEXT),
        ("2024-03", "HAS_VERSION", ValueType.TEXT),
        ("5551234", "PHONE_NUMBER", ValueType.TEXT),
        ("12", "NUMBER_OF_SEATS", ValueType.NUMBER),
        ("0071", "HAS_MARK", ValueType.TEXT),
        ("12E4", "HAS_MARK", ValueType.TEXT),
        ("+4712345678", None, ValueType.TEXT),
        ("yes", "HAS_SSO", ValueType.BOOLEAN),
        ("False", "IS_OPEN", ValueType.BOOLEAN),
        ("NO", "COUNTRY", ValueType.TEXT),
        ("on", "IN_STATE", ValueType.TEXT),
        ("blue", "HAS_COLOUR", ValueType.TEXT),
    ],
)
def test_a_value_without_a_type_is_what_all_of_it_is_where_that_is_sure(
    value: str, predicate: str | None, expected: ValueType
) -> None:
    assert type_of(value, predicate) is expected
    assert parse_value(value, type_of(value, predicate))
