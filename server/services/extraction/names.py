"""Names: which words of a block are names, and what kind of thing each seems to be.

Evidence is the case of the words, the lists in data/, the tagger and the recogniser; a span needs the case and one more. The
grammar may correct a type later; this module never sees a parse.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from spacy.tokens import Doc, Token

from server.services.extraction import language, vocabulary
from server.services.extraction.capitals import (
    INCORPORATED,
    is_generic,
    is_odd,
    is_rank,
    is_titled,
    is_version,
    runs,
    trimmed,
)
from server.services.extraction.contexts import kind_by_definition, names_kind_after
from server.services.extraction.halves import is_surname, is_torn_off
from server.services.extraction.kinds import LABELS, Trust, kind_of
from server.services.extraction.letters import ORGANS, is_degree, is_held_degree
from server.services.extraction.lowercase import lower_case_names
from server.services.extraction.markup import Block, Kind
from server.services.extraction.shapes import is_capital, starts_sentence
from server.services.extraction.titles import quoted_titles
from server.services.extraction.towns import towns_on_waters
from server.services.extraction.works import defined_works

_GOES_ON = re.compile(r"[\w+#]|-\w|\.\w")
_RELEASE = re.compile(r"v?\d+(?:\.\d+)+")
_HANDLE = re.compile(r"@(\w{2,30})")
_YEAR = re.compile(r"(?:19|20)\d\d")
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)")
_ACRONYM = re.compile(r"[A-Z]{2,8}s?|[A-Z][A-Za-z]{0,3}[A-Z]")
_NUMERAL = re.compile(r"[IVX]{1,5}")
_SMALL = vocabulary.PARTICLES | {"of", "the", "and", "for", "in", "on", "to", "&"}
_SOLD = frozenset({"costs", "sells", "ships", "supports", "launched", "launches"})
"""What is said of numbered products, hardly of numbered lessons or days."""
_OFFERED = frozenset({"costs", "includes", "adds", "offers", "starts", "comes"})
_DETERMINERS = vocabulary.wordset("the a an our my your his her its their this that these those every each")
_STAFF = vocabulary.wordset("board cabinet team staff management assembly region area zone center site")
_PRICED = vocabulary.TIERS | {"paid"}
_PLANS = frozenset({"plans", "tiers", "editions"})
_STREETS = frozenset({"Street", "Avenue"})
_CHAMBERS = frozenset({"senate", "congress", "parliament"})
_AFTER_COMMA = vocabulary.wordset("inc inc. llc ltd ltd. plc corp. l.p.")
_PRESSED = vocabulary.wordset("click press select choose tap hit")


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a block: half-open token and character spans, and the type it seems to have."""

    first: int
    last: int
    start: int
    end: int
    text: str
    type: str
    trust: Trust


def spot(
    block: Block, doc: Doc, familiar: frozenset[str], title: str = "", title_kind: str | None = None
) -> list[Name]:
    """Return the names in a tagged block, in order, none overlapping.

    `familiar` holds names that the document used before: they are names wherever they stand, a sentence's start included; `title` is
    the name that it is about, which may be longer than any rule would find, and `title_kind` what it is said to be.
    """
    taken = dict(language.remembered(doc, (spot, title, title_kind), lambda: _certain(doc, title, title_kind)))
    for name in _shaped(block, doc, familiar, taken):
        taken |= dict.fromkeys(range(name.first, name.last), name)
    found = sorted(set(taken.values()), key=lambda name: name.first)
    return _versioned(doc, [_widened(doc, name) for name in found])


def _certain(doc: Doc, title: str, title_kind: str | None) -> dict[int, Name]:
    """Return the names that need nothing said elsewhere, by each token they take."""
    taken: dict[int, Name] = {}
    for name in (
        *_entitled(doc, title, title_kind),
        *(_name(doc, first, last, "work", Trust.CUE) for first, last in defined_works(doc)),
        *_expanded(doc),
        *_called(doc),
        *(_name(doc, first, last, "place", Trust.LIST) for first, last in towns_on_waters(doc)),
        *_tiers(doc),
        *_listed(doc),
        *_defined(doc),
    ):
        if not any(index in taken for index in range(name.first, name.last)):
            taken |= dict.fromkeys(range(name.first, name.last), name)
    return taken


def _versioned(doc: Doc, found: list[Name]) -> list[Name]:
    """Take releases into the names of a text that tells two of one name apart: "WCAG 2.0, which superseded WCAG 1.0"."""
    releases: dict[str, set[str]] = {}
    for name in found:
        if name.last < len(doc) and _RELEASE.fullmatch(doc[name.last].text):
            releases.setdefault(name.text, set()).add(doc[name.last].text)
    apart = {text for text, versions in releases.items() if len(versions) > 1}
    return [
        _name(doc, name.first, name.last + 1, name.type, name.trust)
        if name.text in apart and name.last < len(doc) and _RELEASE.fullmatch(doc[name.last].text)
        else name
        for name in found
    ]


def _entitled(doc: Doc, title: str, title_kind: str | None) -> Iterator[Name]:
    """Yield the places where the document's title stands as a name: "Mafalda of Savoy"."""
    for match in re.finditer(rf"(?<!\w){re.escape(title)}(?!\w)", doc.text) if title else ():
        span = doc.char_span(*match.span())
        if span is not None and not _goes_on(doc, span.end) and not is_surname(doc, span.start, span.end):
            kind, trust = (title_kind, Trust.CUE) if title_kind else kind_of(doc, span.start, span.end)
            yield _name(doc, span.start, span.end, kind, trust)


def _goes_on(doc: Doc, index: int) -> bool:
    """Tell whether a capitalised word follows that belongs to the name: "Mariela González Torres"."""
    return index < len(doc) and is_capital(doc[index]) and doc[index].is_alpha and not _is_plain_word(doc[index])


def _is_plain_word(token: Token) -> bool:
    return token.lower_ in vocabulary.words("not_names")


def _expanded(doc: Doc) -> Iterator[Name]:
    """Yield the words that a bracket abbreviates: "Security Assertion Markup Language (SAML)"."""
    for index in range(2, len(doc) - 2):
        letters = doc[index + 1].text
        if doc[index].text != "(" or doc[index + 2].text not in {")", ",", ";"} or not _ACRONYM.fullmatch(letters):
            continue
        first = _abbreviated(doc, index, letters.removesuffix("s").upper())
        if first is not None and sum(is_capital(token) for token in doc[first:index]) > 1:
            kind, trust = kind_of(doc, first, index)
            listed = vocabulary.listed().get(letters)
            yield _name(doc, first, index, *((listed, Trust.LIST) if listed else (kind, trust)))


def _abbreviated(doc: Doc, end: int, letters: str) -> int | None:
    """Return where the words before `end` begin that `letters` abbreviates, or None; small words may be left out of it."""
    index, rest = end, letters
    while rest and index > 0 and doc[index - 1].text[0] not in ".,;:()":
        index -= 1
        token = doc[index]
        if token.text[0].upper() == rest[-1] and (token.text[0].isupper() or token.lower_ not in _SMALL):
            rest = rest[:-1]
        elif token.lower_ not in _SMALL and token.text != "-":
            return None
    return index if not rest and is_capital(doc[index]) else None


def _called(doc: Doc) -> Iterator[Name]:
    """Yield the titles in quotation marks and the names in lower case."""
    for span, is_work in quoted_titles(doc):
        kind, trust = kind_of(doc, span.start, span.end)
        if is_work and trust < Trust.LIST:
            kind, trust = "work", Trust.CUE
        yield _name(doc, span.start, span.end, kind, trust)
    yield from _handles(doc)
    for first, last, kind, trust in lower_case_names(doc):
        yield _name(doc, first, last, kind, trust)


def _tiers(doc: Doc) -> Iterator[Name]:
    """Yield the plans that a plural noun gathers: "the Team and Enterprise plans"."""
    for token in doc:
        index = token.i - 1
        if token.text not in _PLANS or index < 2 or not is_capital(doc[index]):
            continue
        tiers = []
        while index >= 0 and (is_capital(doc[index]) or doc[index].text in {"and", "or", ",", "&"}):
            if is_capital(doc[index]) and not starts_sentence(doc[index]):
                tiers.append(index)
            index -= 1
        apart = all(later - sooner > 1 for later, sooner in pairwise(tiers))
        if len(tiers) > 1 and apart:
            yield from (_name(doc, one, one + 1, "product", Trust.CUE) for one in tiers)


def _handles(doc: Doc) -> Iterator[Name]:
    """Yield whom a post addresses by a handle: "@maria", "@18F"; a decorator of a program addresses nobody."""
    for token in doc:
        handle = _HANDLE.fullmatch(token.text)
        if handle is None or (token.i + 1 < len(doc) and doc[token.i + 1].text in {"(", "."}):
            continue
        name = handle[1]
        if name.capitalize() in vocabulary.given_names():
            kind = "person"
        elif name.islower():
            continue
        else:
            kind = "organization"
        start = token.idx + 1
        yield Name(token.i, token.i + 1, start, token.idx + len(token.text), name, kind, Trust.CUE)


def _listed(doc: Doc) -> Iterator[Name]:
    """Yield the listed names that no longer capitalised run contains."""
    types, by_word = vocabulary.listed(), vocabulary.listed_by_word()
    end, text = 0, doc.text
    for token in doc:
        names = by_word.get(vocabulary.first_word(token.text), ()) if token.idx >= end else ()
        name = next((one for one in names if _stands_at(text, one, token.idx)), None)
        span = doc.char_span(token.idx, token.idx + len(name)) if name else None
        if span is not None:
            end = span.end_char
            if not _inside_longer(doc, span.start, span.end) and not is_held_degree(token):
                yield _name(
                    doc, span.start, _past_number(doc, span.end, types[span.text]), types[span.text], Trust.LIST
                )
    for token in doc:
        if token.text in vocabulary.words("technologies_ambiguous") and _is_ambiguous_technology(token):
            yield _name(doc, token.i, token.i + 1, "technology", Trust.LIST)


def _past_number(doc: Doc, end: int, kind: str) -> int:
    """Return where a product's name ends: behind a number that tells it from its like, iPhone 15."""
    after = doc[end + 1] if end + 1 < len(doc) else None
    numbered = kind == "product" and end < len(doc) and re.fullmatch(r"\d{1,2}", doc[end].text) is not None
    return end + 1 if numbered and is_version(doc[end], after) else end


def _stands_at(text: str, name: str, start: int) -> bool:
    """Tell whether the name stands at the character as whole words, no part of a path or of another word."""
    before = text[start - 1 : start]
    whole = not (before.isalnum() or before in {"_", ".", "/", "-"})
    return whole and text.startswith(name, start) and _GOES_ON.match(text, start + len(name)) is None


def _is_ambiguous_technology(token: Token) -> bool:
    """Tell whether a word such as Go or R names the technology here: alone, capitalised inside a sentence and tagged as a name."""
    after = token.nbor() if token.i + 1 < len(token.doc) else None
    listed = after is not None and after.text == "," and len(token.text) > 1
    if token.i and (token.nbor(-1).text[-1] in "°-" or token.nbor(-1).text[-1].isdigit()):
        return False  # 38 °C
    if starts_sentence(token) and not (listed and token.i and token.nbor(-1).text == ":"):
        paired = after is not None and after.text in {"and", ","} and token.i + 2 < len(token.doc)
        return paired and _is_technology(token.nbor(2).text)
    alone = (after is None or not after.text[:1].isupper()) and not token.nbor(-1).text[:1].isupper()
    initial = len(token.text) == 1 and after is not None and after.text == "."  # John R. Smith
    return alone and not initial and (len(token.text) > 1 or token.tag_.startswith("NN"))


def _is_technology(word: str) -> bool:
    return word in vocabulary.words("technologies_ambiguous") or vocabulary.listed().get(word) == "technology"


def _inside_longer(doc: Doc, first: int, last: int) -> bool:
    """Tell whether a capitalised run without joints reaches beyond the span: "Google Translate Team" is not Google."""
    after = doc[last] if last < len(doc) else None
    before = doc[first - 1] if first else None
    if after is not None and after.text == "," and last + 1 < len(doc) and doc[last + 1].lower_ in _AFTER_COMMA:
        return True  # Docker, Inc. is a company
    if after is not None and after.text == ")" and last + 1 < len(doc) and doc[last + 1].text in INCORPORATED:
        return True  # Acme Labs (India) Private Limited
    beyond = after is not None and is_capital(after) and after.text.lower() not in vocabulary.words("not_names")
    if (
        after is not None
        and beyond
        and after.text not in vocabulary.listed()
        and after.text not in vocabulary.given_names()
    ):
        return True
    if before is None or before.text in vocabulary.listed():
        return False
    if before.text in {"of", "the"} and first > 1:
        head = (
            doc[first - 2]
            if before.text == "of"
            else doc[first - 3]
            if first > 2 and doc[first - 2].text == "of"
            else None
        )
        if head is not None and is_capital(head) and _takes_of(head, article=before.text == "the"):
            return True
    if before.text in vocabulary.PARTICLES and first > 1 and doc[first - 2].text in vocabulary.given_names():
        return True  # Louis de Luxembourg
    if is_rank(before) or not is_capital(before):
        return False
    unknown = before.is_alpha and not language.is_word(before.lower_)
    whole = (
        doc[first].ent_iob_ == "I" and not _is_plain_word(before) and not language.is_verb(before.lower_)
    )  # Ratan Tata
    return before.text in vocabulary.given_names() or is_odd(before) or unknown or whole or not starts_sentence(before)


def _takes_of(head: Token, *, article: bool) -> bool:
    """Tell whether a name goes on after "of": Bank of America, Margaret of Scotland, but not Duke of York."""
    if head.lower_ in vocabulary.OF_HEADS and head.lower_ not in vocabulary.TITLES:
        return True
    ruler = head.nbor(-1) if head.i and _NUMERAL.fullmatch(head.text) else None
    if ruler is not None and (ruler.text in vocabulary.given_names() or ruler.ent_type_ == "PERSON"):
        return not article  # Margaret I of Flanders
    lone = head.i == 0 or not is_capital(head.nbor(-1)) or is_rank(head.nbor(-1))
    related = head.i > 1 and head.nbor(-1).text == "of" and head.nbor(-2).lower_ in vocabulary.KIN
    return not article and lone and head.text in vocabulary.given_names() and (related or head.ent_type_ != "ORG")


def _shaped(block: Block, doc: Doc, familiar: frozenset[str], taken: Container[int]) -> Iterator[Name]:
    """Yield the runs of capitalised words that something else, too, speaks for, outside what is taken already."""
    titled = block.kind is Kind.HEADING or (is_titled(doc) and not block.text.endswith((".", "!", "?")))
    for first, last in runs(doc, taken):
        if last - first == 1 or doc[first:last].text.casefold() not in familiar:
            first, last = trimmed(doc, first, last)
        if first < last and _is_name(doc, first, last, familiar, titled):
            kind, trust = kind_of(doc, first, last)
            if (
                kind == "event"
                or doc[first].text in _STREETS
                or (trust <= Trust.RECOGNISER and kind not in {"person", "place"})
            ):
                first, last, kind = _with_year(doc, first, last, kind)
            yield _name(doc, first, last, kind, trust)


def _with_year(doc: Doc, first: int, last: int, kind: str) -> tuple[int, int, str]:
    """Take the year or the number of an event into its name, for it tells it from others: 2018 Winter Olympics, PyCon 2023."""
    before = doc[first - 1].text if first else ""
    numbered = kind == "event" or doc[first].text in _STREETS  # the 16th Street Theater
    if numbered and (_YEAR.fullmatch(before) or _ORDINAL.fullmatch(before)):
        return first - 1, last, kind
    if (
        last < len(doc)
        and _YEAR.fullmatch(doc[last].text)
        and not (last + 1 < len(doc) and doc[last + 1].text in "-–/")
    ):
        return first, last + 1, "event"
    return first, last, kind


def _defined(doc: Doc) -> Iterator[Name]:
    """Yield lower-case names that a sentence starts with to say what they are: "asyncio is a library"."""
    for token in doc[: len(doc) - 3]:
        word = token.text
        starts = token.i == 0 or doc[token.i - 1].text in {".", "!", "?"}
        if not starts or not re.fullmatch(r"[a-z][\w.-]{2,30}", word) or word in vocabulary.words("not_names"):
            continue
        rest = [one.lower_ for one in doc[token.i + 1 : token.i + 8]]
        kinds = [vocabulary.TYPE_NOUNS[one] for one in rest[2:] if one in vocabulary.TYPE_NOUNS]
        if rest[:1] == ["is"] and rest[1:2] in (["a"], ["an"], ["the"]) and kinds:
            yield _name(doc, token.i, token.i + 1, kinds[0], Trust.CUE)


def _is_name(doc: Doc, first: int, last: int, familiar: frozenset[str], titled: bool) -> bool:
    text = doc[first:last].text
    if text.casefold() in ORGANS:
        return False
    if text.casefold() in familiar and (last - first > 1 or _is_used_again(doc, first)):
        return True
    head = doc[first]
    recognised = any(token.ent_type_ in LABELS for token in doc[first:last])
    odd = any(is_odd(token) for token in doc[first:last])
    if text.isupper() and not odd and sum(t.is_upper for t in doc if t.is_alpha) > len(doc) // 2 > 1:
        return False  # shouting
    if titled:
        if last - first > 1 and doc[last - 1].text.lower() in vocabulary.PLAN_NOUNS:
            return True
        if doc[first].text in vocabulary.given_names() and last - first in {2, 3}:
            return True
        return (recognised and all(token.tag_.startswith("NNP") for token in doc[first:last] if token.is_alpha)) or (
            odd and last - first == 1
        )
    if last < len(doc) and doc[last].text in vocabulary.PLAN_NOUNS and head.text.lower() in vocabulary.TIERS:
        return True
    if last - first == 1:
        return _is_lone_name(doc, first, recognised, odd)
    if not starts_sentence(head):
        return True
    sold = last < len(doc) and doc[last - 1].text[0].isdigit() and doc[last].text in _SOLD  # "Widget 3 costs $4"
    named = recognised or odd or sold or head.tag_.startswith("NNP") or not language.is_word(head.lower_)
    return named or doc[last - 1].text.lower() in vocabulary.PLAN_NOUNS


def _is_used_again(doc: Doc, index: int) -> bool:
    """Tell whether a word that the document used as a name is one here too; a common word has to act or to be tagged as one."""
    token = doc[index]
    return not language.is_word(token.lower_) or token.tag_.startswith("NNP") or _acts(doc, index + 1)


def _is_lone_name(doc: Doc, index: int, recognised: bool, odd: bool) -> bool:
    """Tell whether a capitalised word that stands alone is a name; one that dictionaries lack needs less to speak for it."""
    token, after = doc[index], doc[index + 1] if index + 1 < len(doc) else None
    if "_" in token.text or is_generic(token) or is_degree(token) or len(token.text) == 1:
        return False  # a constant of a program, an abbreviation of a common noun, a degree, a mere letter
    if odd or token.text in vocabulary.given_names():
        return True
    if is_torn_off(doc, index):
        return False
    unknown = not language.is_word(token.lower_)
    before = doc[index - 1].lower_ if index else ""
    if not starts_sentence(token):
        if unknown:
            return recognised or token.tag_.startswith(("NN", "FW", "JJ"))
        if before in _PRESSED:
            return False
        if before in _DETERMINERS or _is_common_head(token):
            return (recognised or names_kind_after(doc, index + 1) is not None) and not _is_common_head(token)
        return recognised or token.tag_.startswith("NNP")
    if token.tag_ == "NNS" and after is not None and (after.tag_ == "VBZ" or after.text == "was"):
        return not token.text.endswith("ics")  # a plural that takes a singular verb: Lanternworks was
    if unknown and len(token.text) > 2 and token.is_alpha:
        return token.tag_ not in {"UH", "VB", "VBN", "VBG", "RB", "MD"} or _acts(doc, index + 1)
    if token.lower_ in vocabulary.TIERS and after is not None and after.text in _OFFERED:
        return True
    if after is not None and kind_by_definition(doc, index + 1) == "work" and _is_dated(doc, index + 2):
        return True
    named = token.tag_ in {"NN", "NNP"} and kind_by_definition(doc, index + 1) in {"technology", "organization"}
    if after is not None and after.text in {"is", "was"} and named and not _is_common_head(token):
        return True  # Orion is a database
    if not token.tag_.startswith("NNP") or _is_common_head(token):
        return token.lower_ in _CHAMBERS and recognised
    owns = after is not None and (after.tag_ == "POS" or after.text in {"'", "’"})
    does = after is not None and after.tag_ == "VBD" and after.text not in {"was", "were"}
    defined = (
        after is not None and after.text == "," and kind_by_definition(doc, index + 1) in {"technology", "organization"}
    )
    return (recognised and not language.is_verb(token.lower_)) or owns or does or defined


def _is_dated(doc: Doc, index: int) -> bool:
    """Tell whether a year stands among the next words: "is a 2019 film"."""
    return any(_YEAR.fullmatch(token.text) for token in doc[index : index + 4])


def _is_common_head(token: Token) -> bool:
    """Tell whether the word names a kind of institution, place or event, so that alone it names none: "the Board"."""
    word, known = token.lower_, _common_heads()
    return word in known or word.removesuffix("s") in known


@cache
def _common_heads() -> frozenset[str]:
    return vocabulary.HEADS | _STAFF | vocabulary.words("roles") | vocabulary.words("subjects")


def _acts(doc: Doc, index: int) -> bool:
    """Tell whether what follows treats the word before it as a name: a finite verb, a possessive, a bracket."""
    return index < len(doc) and (doc[index].tag_ in {"VBZ", "VBD", "MD", "POS"} or doc[index].text == "(")


def _widened(doc: Doc, name: Name) -> Name:
    """Take a following "plan" or "tier" into the name of a plan: "the Enterprise plan"."""
    after = doc[name.last] if name.last < len(doc) else None
    second = doc[name.last + 1] if name.last + 1 < len(doc) else None
    if after is not None and second is not None and after.lower_ in _PRICED and second.text in vocabulary.PLAN_NOUNS:
        return _name(doc, name.first, name.last + 2, "product", Trust.CUE)  # the Workers paid plan
    if after is None or after.text.lower() not in vocabulary.PLAN_NOUNS or name.trust is Trust.LIST:
        return name
    return _name(doc, name.first, name.last + 1, "product", Trust.CUE)


def _name(doc: Doc, first: int, last: int, kind: str, trust: Trust) -> Name:
    span = doc[first:last]
    return Name(first, last, span.start_char, span.end_char, span.text, kind, trust)


def texts(names: Iterable[Name]) -> frozenset[str]:
    """Return the names' texts, case-folded; a plan's short form is one of them, and so is a person's surname."""
    names = list(names)
    found = {name.text.casefold() for name in names}
    found |= {
        name.text.split()[-1].casefold() for name in names if name.type == "person" and len(name.text.split()[-1]) > 2
    }
    short = {text.rsplit(" ", 1)[0] for text in found if text.rsplit(" ", 1)[-1] in vocabulary.PLAN_NOUNS}
    return frozenset(found | short)
