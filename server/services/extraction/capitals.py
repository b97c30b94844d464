"""Capitals: runs of words that their case binds together, and what a word's case and place say of it.

Case alone makes no name: this module proposes, names.py asks for a second witness.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import cache

from spacy.tokens import Doc, Token

from server.services.extraction import language, vocabulary
from server.services.extraction.institutions import NOBLE, pairs, past_fields
from server.services.extraction.letters import ORDERS
from server.services.extraction.shapes import is_capital, last_of_run, starts_sentence
from server.services.extraction.small_words import past_small_words

_INNER_CASE = re.compile(r"[a-zà-ÿ].*[A-Z]|[A-Z]{2,}.*[a-z]|[A-Z].*\d")
_ELIDED = re.compile(r"(?:d|l|dell|dall|all|nell)['’][A-ZÀ-Þ]")
_ROMAN = re.compile(r"[IVX]{1,5}")
_SUFFIXES = frozenset(
    {
        "Jr.",
        "Jr",
        "Sr.",
        "Sr",
        "Inc.",
        "Inc",
        "INC.",
        "INC",
        "LLC",
        "Ltd.",
        "Ltd",
        "LTD.",
        "S.A.",
        "N.V.",
        "plc",
        "Corp.",
        "L.P.",
    }
)
_FIRMS = frozenset({"Co.", "Inc.", "Corp.", "Ltd."})
INCORPORATED = vocabulary.wordset("Private Pvt Pvt. Pte Pte. Ltd Ltd. Limited LLC Inc Inc. Corp. GmbH Co Co.")
_CODE = re.compile(r"(?!(?:19|20)\d\d$)\d{2,5}")
_LETTERS = re.compile(r"(?!(?:USD|EUR|GBP|BC|AD|FM|AM)$)[A-Z]{2,5}")
_QUARTERS = vocabulary.wordset("north south east west native latin")
_TORN = re.compile(r"[a-z]{2} - [a-z]{2}")
_OWNERS = vocabulary.wordset("king queen people women men children workers farmers veterans")
_HELD_OF = vocabulary.wordset(
    "fellow member president professor director dean commander officer companion knight graduate"
)
_COMPOUNDED = vocabulary.wordset("based led born like era style type backed owned run made free only wide aged level")
_SECOND_PARTICLES = frozenset({"la", "los", "las", "de", "der", "den", "dem", "het"})
"""What stands between a particle and the name: van der Meer, de la Cruz."""
_LINKS = frozenset({"and", "of", "the", "&", "-", "for", "in"})
_SHORTENED = frozenset({"bros.", "intl.", "assn.", "dept."})
_MONTHLY = frozenset({"Will", "April", "May", "June", "August", "Art", "Sunday"})
_AWARDS = frozenset({"prize", "award", "medal", "oscar"})
_DEGREES = frozenset({"bachelor", "master", "doctor", "bachelors", "masters", "doctorate"})
_RANKS = vocabulary.wordset(
    "master staff lance petty warrant supreme chief senior vice deputy former acting interim executive general co- - "
    "financial artistic managing creative technical sporting musical medical commercial marketing"
)
_CALLINGS = vocabulary.wordset(
    "guitarist drummer bassist pianist violinist cellist saxophonist rapper broadcaster presenter detective inspector prosecutor "
    "comedian comic superstar "
    "striker midfielder defender goalkeeper substitute skipper veteran activist campaigner tycoon billionaire congressman congresswoman lawmaker"
)
_NUMBERED_THINGS = frozenset({"Flight", "Highway", "Route", "Interstate", "Resolution", "Proposition"})
_BOARDS = frozenset({"board", "directors", "trustees", "governors"})
_PARTIES = frozenset({"democratic", "republican", "majority", "minority"})
_MEMBERS = frozenset({"republican", "democrat", "democratic", "conservative", "labour", "tory", "liberal"})
"""What the party of a politician calls who belongs to it, before the name."""
_HONOURS = frozenset({"champion", "winner", "nominee", "laureate", "contender", "medalist", "medallist"})
_RANKING = re.compile(r"No\.? ?\d{0,3}")
_OF_A_FIELD = frozenset({"minister", "secretary", "commissioner", "representative", "envoy"})
"""Posts whose field stands before them: "Foreign Affairs Minister"."""
_TITLED = vocabulary.TITLES | vocabulary.TITLE_ROLES
_POSTS_AND_HONOURS = vocabulary.TITLE_ROLES | _HONOURS
_OF_A_TITLE = vocabulary.TITLE_ROLES | _RANKS | _PARTIES
_BEHIND_A_FIELD = _OF_A_FIELD | _HONOURS
_QUALITIES = vocabulary.wordset(
    "great first second third next last good right perfect time page night morning evening other same more most many all some any every "
    "where when how what who why never no not only yes hello god internet web earth note summary important "
    "another my our his her their your"
)
"""Words that are none alone, but open names inside a sentence: the Great Fire, the Second World War."""
_LOOSE_RANKS = vocabulary.wordset(
    "doctor general chief lord lady count saint justice judge king queen prince president minister earl sir bishop pope"
)
"""Ranks that open other names as well: General Motors, Queen Street."""
_CROWNS = frozenset({"King", "Queen"})


def runs(doc: Doc, taken: Container[int] = frozenset()) -> Iterator[tuple[int, int]]:
    """Yield half-open spans of words that the case binds together, over particles, "of" after an institution, and hyphens.

    No run enters a token of `taken`. What stands before and after a role is apart: "Acme CEO Bob Holm" is two runs.
    """
    index = 0
    while index < len(doc):
        opening = _opening(doc, index)
        if opening is None or index in taken:
            index = _past_degree(doc, index)
            continue
        end = index + opening
        while (reach := _joint(doc, index, end)) is not None and not any(one in taken for one in range(end, reach)):
            end = reach
        yield from _apart(doc, index, end)
        index = end


def _opening(doc: Doc, index: int) -> int | None:
    """Return how many tokens open a run here: one with a capital, three for "al-Qaeda", none for a degree."""
    token = doc[index]
    if is_capital(token):
        of = index + 1 < len(doc) and doc[index + 1].text == "of"
        return None if of and token.lower_ in _DEGREES else 1
    if token.text in {"al", "el"} and index + 2 < len(doc) and doc[index + 1].text == "-" and not token.whitespace_:
        return 3 if is_capital(doc[index + 2]) else None
    return None


def _past_degree(doc: Doc, index: int) -> int:
    """Return where to go on: past the subject of a degree, "Bachelor of Science", which names nothing."""
    if doc[index].lower_ not in _DEGREES or index + 2 >= len(doc) or doc[index + 1].text != "of":
        return index + 1
    index += 2
    while index < len(doc) and is_capital(doc[index]) and language.is_word(doc[index].lower_):
        index += 1
    return index


def _apart(doc: Doc, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the run, in two parts where a role stands between a company and a person, or a post's field before one."""
    if (holder := _holder(doc, first, last)) is not None:
        yield first, holder
        yield holder, last
        return
    for index in range(first + 1, last - 1):
        titled = doc[index].lower_ in vocabulary.TITLES and doc[first].text not in vocabulary.given_names()
        role = titled or doc[index].lower_ in _POSTS_AND_HONOURS or _RANKING.fullmatch(doc[index].text)
        after = doc[index + 1]
        if role and is_capital(after) and (after.text in vocabulary.given_names() or after.ent_type_ == "PERSON"):
            start = _title_start(doc, first, index)
            if start > first:
                yield first, start
            yield index + 1, last
            return
    yield first, last


def _holder(doc: Doc, first: int, last: int) -> int | None:
    """Return where the person begins whose post a run ends: "Secretary of State John Kerry", "Dean of the Faculty Ada Roe"."""
    of = first - (2 if first > 1 and doc[first - 1].text == "the" else 1)
    if of < 1 or doc[of].text != "of":
        return None
    if doc[of - 1].lower_ not in _TITLED and doc[of - 1].lower_ not in vocabulary.words("roles"):
        return None
    for index in range(first + 1, last - 1):
        field = doc[first:index]
        known = field.text in vocabulary.listed() or all(language.is_word(one.lower_) for one in field if one.is_alpha)
        head = doc[last - 1].lower_ in vocabulary.HEADS
        if doc[index].text in vocabulary.given_names() and doc[first].text not in vocabulary.given_names():
            return index if known and not head else None
    return None


def _title_start(doc: Doc, first: int, index: int) -> int:
    """Return where the title begins that ends at doc[index]: at "Chief" in "Acme Chief Financial Officer", at once in "Health Minister"."""
    start = index
    while start > first:
        before = doc[start - 1]
        if before.lower_ in _OF_A_TITLE or not is_capital(before):
            start -= 1
        elif start - 2 >= first and doc[start - 2].lower_ == "chief":
            start -= 2
        else:
            break
    of_a_field = doc[index].lower_ in _BEHIND_A_FIELD or _RANKING.fullmatch(doc[index].text)
    return _realm_end(doc, first, start) if of_a_field else start


def _realm_end(doc: Doc, first: int, last: int) -> int:
    """Return where the realm ends that stands before a minister's field: after "UK" in "UK Health", at once in "Israeli Foreign"."""
    for end in range(last, first, -1):
        if doc[first:end].text in vocabulary.listed():
            return end
    end = first
    while end < last and not language.is_word(doc[end].lower_) and doc[end].lower_ not in _demonyms():
        end += 1
    return end


@cache
def _demonyms() -> frozenset[str]:
    return vocabulary.words("adjectives")


def _joint(doc: Doc, start: int, end: int) -> int | None:
    """Return where the run goes on to, or None where it ends."""
    if end >= len(doc):
        return None
    token, after = doc[end], doc[end + 1] if end + 1 < len(doc) else None
    if is_capital(token) and not _ends_run(doc[end - 1]) and not _is_after_firm(token):
        return end + 1
    if _ELIDED.match(token.text) and doc[end - 1].whitespace_:
        return end + 1
    if after is None:
        return end + 1 if is_version(token, None) else None
    if token.text == "," and after.text in _SUFFIXES:
        return end + 2
    if token.text == "(" and end + 3 < len(doc) and doc[end + 2].text == ")" and doc[end + 3].text in INCORPORATED:
        return end + 4  # Acme Labs (India) Private Limited
    if token.text in {"'s", "’s"} and is_capital(after) and _owns(doc, start, end):
        return end + 2
    if (
        token.text == "-"
        and token.whitespace_
        and doc[end - 1].whitespace_
        and is_capital(after)
        and _is_torn(doc, end)
    ):
        return end + 2
    if (reach := past_small_words(doc, start, end) or _past_award(doc, start, end)) is not None:
        return reach
    if token.text in {"of", "for"}:
        reach = _past_of(doc, start, end)
        if reach is not None:
            return reach
    if token.text == "at" and is_capital(after) and doc[start].text == "University" and after.ent_type_ != "ORG":
        return end + 2  # University of Texas at Austin
    if token.text == "the" and end - start < 3 and _is_epithet(doc, end):
        return end + 2
    bound = token.text in vocabulary.PARTICLES or token.text == "&"
    hyphen = token.text in {"-", "–"} and not doc[end - 1].whitespace_ and not token.whitespace_
    if (bound or hyphen) and is_capital(after):
        return end + 2
    if token.text == "and" and is_capital(after) and pairs(doc, start, end):
        return end + 2
    if token.text == "," and (reach := past_fields(doc, start, end)) is not None:
        return reach
    third = doc[end + 2] if end + 2 < len(doc) else None
    particle = token.text in vocabulary.PARTICLES and third is not None and is_capital(third)
    if particle and (after.text in _SECOND_PARTICLES or (after.text == "-" and not after.whitespace_)):
        return end + 3
    if hyphen and end - start > 1 and after.is_alpha and _ends_given_name(doc[end - 1], after):
        return end + 2
    scored = end - start > 1 and doc[start].text in vocabulary.given_names()  # "beat Bo Roe 4 and 3"
    return end + 1 if is_version(token, after) and not scored else None


def _past_award(doc: Doc, start: int, end: int) -> int | None:
    """Return where an award's name goes on to: over what it is for, and the part that it was won in."""
    token, after = doc[end], doc[end + 1]
    if token.text in {"in", "for", "of"} and doc[end - 1].lower_ in _AWARDS and is_capital(after):
        return end + 2 if token.text != "for" or after.text not in vocabulary.given_names() else None
    if token.text != "in" or after.text not in {"a", "an"} or end + 2 >= len(doc):
        return None
    return end + 3 if is_capital(doc[end + 2]) and any(one.lower_ in _AWARDS for one in doc[start:end]) else None


def _is_epithet(doc: Doc, index: int) -> bool:
    """Tell whether "the" at the index opens what a ruler is called: Charles the Bold, Suleiman the Magnificent."""
    before, after = doc[index - 1], doc[index + 1]
    named = before.text in vocabulary.given_names() or before.ent_type_ == "PERSON" or _ROMAN.fullmatch(before.text)
    known = after.lower_ in _TITLED or after.text in vocabulary.listed()
    third = doc[index + 2] if index + 2 < len(doc) else None
    ends = third is None or not (is_capital(third) or third.tag_.startswith("NN") or third.text == "-")
    return bool(named) and is_capital(after) and after.is_alpha and not known and ends


def _owns(doc: Doc, start: int, end: int) -> bool:
    """Tell whether a possessive stands inside a name: "St Paul's Cathedral", "Women's World Cup"."""
    head = last_of_run(doc, end + 1)
    heads = vocabulary.ORGANIZATION_HEADS | vocabulary.PLACE_HEADS | vocabulary.EVENT_HEADS
    saint = end - start > 1 and doc[start].text in {"St", "St.", "Saint"}
    return (saint and head in heads) or (end - start == 1 and doc[start].lower_ in _OWNERS)


def _is_torn(doc: Doc, index: int) -> bool:
    """Tell whether the text sets spaces around every hyphen ("two - year"), so that this one binds: "Saxe - Coburg"."""
    listed = vocabulary.listed()
    apart = doc[index - 1].text in listed or doc[index + 1].text in listed
    return not apart and _TORN.search(doc.text) is not None


def _ends_given_name(before: Token, after: Token) -> bool:
    """Tell whether a hyphen binds the second half of a given name: Bong Joon-ho, Chiu Man-cheuk."""
    person = before.ent_type_ == "PERSON" or not language.is_word(before.lower_)
    person = person and len(after.text) < 6 and after.lower_ not in _COMPOUNDED
    return person or not language.is_word(after.lower_)


def _past_of(doc: Doc, start: int, end: int) -> int | None:
    """Return where the run goes on to after "of": over an institution's or a treaty's realm, or a ruler's."""
    head, after = doc[end - 1], doc[end + 1]
    article = after.text == "the" and end + 2 < len(doc)
    if article:
        after = doc[end + 2]
    if not is_capital(after):
        return None
    reach = end + 3 if article else end + 2
    if head.lower_ in vocabulary.OF_HEADS and head.lower_ not in vocabulary.TITLES:
        return reach
    if doc[end].text != "of" or article:
        return None
    across = bool(doc[end].ent_type_) and head.ent_type_ == doc[end].ent_type_ == after.ent_type_
    ruler = _ROMAN.fullmatch(head.text) is not None
    lone = end - start == 1 and head.text in vocabulary.given_names() and head.ent_type_ != "ORG"
    lone = lone or (end - start == 2 and doc[start].lower_ in NOBLE)
    return reach if across or ruler or lone else None


def is_version(token: Token, after: Token | None) -> bool:
    """Tell whether a number belongs to the name before it (Widget 3): short, no year, no count of something.

    A release, "Loki 3.0", is no name of its own; where the digits do tell names apart (SAML 2.0), the name is listed.
    """
    if _CODE.fullmatch(token.text) and token.i and _LETTERS.fullmatch(token.nbor(-1).text):
        return True  # PEP 481
    if token.i and token.nbor(-1).text in _NUMBERED_THINGS and re.fullmatch(r"\d{1,4}", token.text):
        return True  # Flight 587
    if not re.fullmatch(r"\d{1,2}|[IVX]{1,4}", token.text):
        return False
    if after is not None and after.text in {"and", "&"} and after.i + 1 < len(after.doc) and after.nbor().is_digit:
        return False  # "beat Roe 5 and 4"
    if after is not None and after.text == "costs":
        return True  # a verb here, which the tagger often takes for a noun
    return after is None or not (after.tag_.startswith("NN") or (after.text in "%:/-,–" and after.text != ","))


def _is_after_firm(token: Token) -> bool:
    """Tell whether somebody's name begins a sentence behind a firm's: "left Acme Co. Bob Roe, who"."""
    before = token.nbor(-1)
    return before.text in _FIRMS and bool(before.whitespace_) and token.text in vocabulary.given_names()


def _ends_run(token: Token) -> bool:
    return (
        token.text.endswith(".")
        and len(token.text) > 3
        and token.text.lower() not in vocabulary.TITLES | vocabulary.LEGAL_FORMS | _SHORTENED
        and not re.fullmatch(r"(?:[A-Z]\.)+", token.text)
    )


def trimmed(doc: Doc, first: int, last: int) -> tuple[int, int]:
    """Drop articles, ranks, roles, nationalities and plain words from the ends of a run: "CEO Tim Cook" is Tim Cook."""
    if last - first > 1 and doc[last - 1].lower_ in _OF_A_FIELD:
        last = _title_start(doc, first, last - 1)  # "the Israeli Foreign Minister, Ada Roe"
        if last == first:
            return first, last
    roles = [index for index in range(first, last) if doc[index].text.lower() in vocabulary.TITLE_ROLES]
    if roles and doc[first].text not in vocabulary.given_names():
        first = roles[-1] + 1
    given = doc[first].text in vocabulary.given_names() if first < last else False
    opens = last - first > 1 and starts_sentence(doc[first]) and not given
    if opens and doc[first].tag_ in {"VB", "VBP", "RB", "UH", "IN", "WRB"}:
        first += 1  # an imperative before a name: "Use HTTPS"
    if last - first > 2 and doc[first].lower_ in _HELD_OF and doc[first + 1].text == "of":
        first += 2  # a Fellow of Trinity College
    while first < last and _opens_before(doc, first, last):
        first += 1
    if last - first > 1 and doc[last - 1].lower_ in _TITLED and doc[last - 2].lower_ in {"vice", "deputy"}:
        last -= 2  # "the Senior Vice President, Ada Roe"
        while last > first and doc[last - 1].lower_ in _RANKS:
            last -= 1
    person = doc[first].text in vocabulary.given_names() if first < last else False
    while person and last - first > 2 and doc[last - 1].text in ORDERS:
        last -= 1
    while first < last and _is_loose_end(doc, first, last, person):
        last -= 1
    nameless = _nameless(longer=last - first > 1)
    named = any(_bare(token) not in nameless and token.text[0].isalnum() for token in doc[first:last])
    return (first, last) if named else (last, last)


@cache
def _nameless(*, longer: bool) -> frozenset[str]:
    """Return the words that make no name by themselves, however many stand together."""
    words = vocabulary.words("not_names") | vocabulary.words("adjectives") | vocabulary.words("subjects")
    words |= vocabulary.PLAN_NOUNS | vocabulary.TITLES | _LINKS | _BOARDS
    return words | _QUARTERS if longer else words


def _opens_before(doc: Doc, first: int, last: int) -> bool:
    """Tell whether the first word of a run stands before the name: an article, a rank, a nationality before a person."""
    token, after = doc[first], doc[first + 1] if first + 1 < last else None
    if _is_plain(token) and not _opens_a_person(token, after):
        return after is None or token.lower_ not in _QUALITIES or starts_sentence(token)
    if token.lower_ == "former":
        return True
    given = after is not None and after.text in vocabulary.given_names()
    personal = given or (after is not None and after.ent_type_ == "PERSON")
    if is_rank(token):
        return personal or after is None or token.lower_ not in _LOOSE_RANKS or is_rank(after)
    if token.lower_ in vocabulary.words("adjectives") or token.lower_ in _MEMBERS:
        return given
    if token.lower_ in vocabulary.words("roles") or token.lower_ in _CALLINGS:
        return personal
    if given and last - first > 2 and _is_of_people(token):
        return True
    return not is_capital(token) and not (token.text in {"al", "el"} and after is not None and after.text == "-")


def _is_of_people(token: Token) -> bool:
    """Tell whether a word says what somebody is, or several are: "Geneticist Ada Roe", "Presidents Bo Roe and"."""
    one = token.lower_.removesuffix("s")
    posts = one != token.lower_ and (one in _TITLED or one in _CALLINGS or one in vocabulary.words("roles"))
    return posts or (token.lower_.endswith(("ist", "person", "woman", "ician")) and language.is_word(token.lower_))


def _is_loose_end(doc: Doc, first: int, last: int, person: bool) -> bool:
    """Tell whether the last word of a run is no part of the name; a person's surname may be any word: Larry Page."""
    word = doc[last - 1]
    ordinal = last - first > 1 and word.text == "I"  # the number of a ruler, no pronoun
    epithet = last - first > 2 and doc[last - 2].text == "the"  # Alexander the Great
    kept = ordinal or epithet or word.text.lower() in vocabulary.PLAN_NOUNS or (person and last - first == 2)
    kept = kept or (word.text in _CROWNS and last - first > 1 and not _is_said_of_a_ruler(doc[last - 2]))
    side = last - first > 1 and word.lower_ in _PARTIES  # the Senate Democratic leader
    return not kept and (side or _is_plain(word) or word.text.endswith("-"))


def _is_said_of_a_ruler(token: Token) -> bool:
    """Tell whether the word before "King" says which king it is, "Swedish", "Former": Burger King is none."""
    words = vocabulary.words("adjectives") | vocabulary.words("not_names") | vocabulary.TITLES | _RANKS
    return _bare(token) in words or token.text in vocabulary.listed() or token.ent_type_ in {"NORP", "GPE"}


def _is_plain(token: Token) -> bool:
    partial = token.text.endswith("-") and _bare(token) in vocabulary.words("adjectives")
    return partial or (_bare(token) in vocabulary.words("not_names") and token.text != "US")


def _bare(token: Token) -> str:
    return token.text.lower().strip("-")


def is_odd(token: Token) -> bool:
    """Tell whether the word's very shape is a name's: FastAPI, SSO, GPT-3; a common word that is only shouted is none: FIXED."""
    text = token.text
    if len(text) < 2 or "_" in text or is_generic(token):
        return False
    if text.isupper():
        return not (
            len(text) > 3 and text.isalpha() and language.is_word(token.lower_) and text not in vocabulary.listed()
        )
    return bool(_INNER_CASE.search(text))


def _opens_a_person(token: Token, after: Token | None) -> bool:
    """Tell whether a month's or a verb's name is a given name here: Jan Garbarek, Will Smith."""
    if after is not None and after.text in vocabulary.PARTICLES and token.text in vocabulary.given_names():
        return True  # Jan van der Meer
    if after is None or not after.text[0].isupper() or after.text in vocabulary.listed():
        return False
    return token.text in vocabulary.given_names() or (
        token.text in _MONTHLY and token.ent_type_ == after.ent_type_ == "PERSON"
    )


def is_generic(token: Token) -> bool:
    """Tell whether the word is an abbreviation of a common noun, or its plural: API, CDs."""
    generic = vocabulary.words("not_names")
    return token.lower_ in generic or (token.text[:-1].isupper() and token.lower_.removesuffix("s") in generic)


def is_rank(token: Token) -> bool:
    return token.text.lower() in vocabulary.TITLES


def is_titled(doc: Doc) -> bool:
    """Tell whether the block is set like a title, so that capitals say nothing."""
    words = [token for token in doc if token.is_alpha and len(token.text) > 3]
    return len(words) > 3 and sum(is_capital(token) for token in words) > 0.7 * len(words)
