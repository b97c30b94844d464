"""Signs that nobody sees: which of them names lose, and which they keep."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from server.errors import BadUserInput
from server.services.identity import clean_name, clean_title, match_key
from server.services.invisible import without_invisible
from server.services.normalization import fold

HIDDEN = "\u00ad\u034f\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2066\u2067\u2069\u206a\ufeff\ufff9\u3164"
TAGS = "".join(chr(0xE0000 + ord(sign)) for sign in "ignore")

KEPT = {
    "می\u200cخواهم": "a Persian word",
    "HTML\u200cها": "a Persian ending of a Latin word",
    "۲۰\u200cساله": "a Persian ending of a number",
    "क्\u200dष": "a half form in Hindi",
    "क्\u200cष": "a visible virama",
    "അവന്\u200d": "a Malayalam chillu at the end of a word",
    "ශ්\u200dරී ලංකා": "Sinhala",
    "👩\u200d👩\u200d👧\u200d👦 family": "a family",
    "👩🏽\u200d💻": "a tone of skin",
    "❤\ufe0f\u200d🔥": "a heart on fire",
    "🙂\u200d↔\ufe0f": "a shaken head",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": "the flag of England",
    "葛\U000e0100城": "a form of a Japanese sign",
    "ᠮᠣᠨᠭᠭᠣᠯ\u180eᠠ": "Mongolian",
}


@pytest.mark.parametrize("name", KEPT, ids=KEPT.values())
def test_what_words_and_pictures_need_stays(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u202eevil", "evil"),
        ("Ada\u200b Lind\u2060", "Ada Lind"),
        ("Ad\u200da", "Ada"),
        ("Zo\u0301\u200ce", "Zo\u0301e"),
        ("東\u200c京", "東京"),
        ("می\u200c\u200d\u200cخواهم", "می\u200cخواهم"),
        ("خانه\u200c", "خانه"),
        ("\u200d👩", "👩"),
        (f"Ada{TAGS}", "Ada"),
        (f"👩{TAGS}", "👩"),
        ("A\ufe01\ufe02\ufe03", "A\ufe01"),
        ("مرحبا \u202eevil\u202c", "مرحبا evil"),
        ("\ufeffAda", "Ada"),
    ],
)
def test_what_hides_or_turns_words_goes(name: str, shown: str) -> None:
    assert clean_name(name) == clean_title(name, "title", 200) == shown
    assert match_key(name) == match_key(shown)


@pytest.mark.parametrize("sign", [*HIDDEN, *"\u115f\u1160\uffa0\u2800\u200c\u200d\ufe0f", TAGS, "\u200b \u202e"])
def test_a_name_or_title_that_shows_nothing_is_refused(sign: str) -> None:
    for clean in (clean_name, lambda text: clean_title(text, "name", 200)):
        with pytest.raises(BadUserInput, match=r"^name is blank: give at least one visible character\.$"):
            clean(sign)


visible = st.text(
    st.sampled_from("aZé1 -'+#東京アمیहक्ന\u0301👩💻❤🏽") | st.characters(categories=("L", "N", "P")),
    min_size=1,
    max_size=12,
)


@given(visible, st.lists(st.tuples(st.integers(0, 12), st.sampled_from(HIDDEN)), max_size=6))
def test_hidden_signs_anywhere_change_neither_a_name_nor_its_key(name: str, hidden: list[tuple[int, str]]) -> None:
    assume(any(unicodedata.category(sign)[0] in "LN" for sign in name))
    assume(without_invisible(name) == name)
    spoilt = name
    for at, sign in hidden:
        spoilt = spoilt[:at] + sign + spoilt[at:]
    assert clean_name(spoilt) == clean_name(name)
    assert match_key(spoilt) == match_key(name)


@given(
    st.text(
        st.sampled_from("aé東مह्👩❤🏽\ufe0f\u200c\u200d\u180e\u200b\u202e\ufe01\U000e0061\U000e007f\U0001f3f4 ")
        | st.characters()
    )
)
def test_what_is_left_loses_nothing_more(text: str) -> None:
    once = without_invisible(text)
    assert without_invisible(once) == once
    assert fold(fold(text)) == fold(text)
