"""Asides: what stands in brackets after a name: the dates of a life, or another form of the name.

The parser never sees them: "Teutberga (died 11 November 875) was a queen" reads as "Teutberga was a queen".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from server.services.extraction import vocabulary
from server.services.extraction.cast import Member
from server.services.extraction.draft import Draft
from server.services.extraction.kinds import Trust
from server.services.extraction.letters import ORDERS
from server.services.extraction.names import Name
from server.services.extraction.periods import Period, periods
from server.services.extraction.predicates import upper_snake
from server.services.extraction.protocol import ValueType

_BRACKET = re.compile(r"\s?\(\s?([^()]{1,120})\)")
_BIRTH = re.compile(r"\b(?:born|b\.)", re.IGNORECASE)
_DEATH = re.compile(r"\b(?:died|d\.)", re.IGNORECASE)
_RANGE = re.compile(r"\s*[–—-]\s*")
_SMALL = frozenset({"in", "at", "near", "of", "the", "de", "la"})
_TITLE_GAP = re.compile(
    r",?\s(?:\d{1,2}(?:st|nd|rd|th)|née|né|nee|of|(?:the\s)?(?:\d+(?:st|nd|rd|th)\s)?[A-Z]\w+(?:\s[A-Z]\w+)?(?:\s(?:of|de|von))?)\s"
)
"""What stands between a person's name and a title's place or a maiden name."""
_REALM_GAP = re.compile(r", (?:the )?(?:\d+(?:st|nd|rd|th) )?[A-Z]\w+(?: [A-Z]\w+)? of ")
"""What stands between a ruler and a realm, whatever that seems to be."""
_RANK = (
    r"(?:Earl|Baron|Baronet|Duke|Viscount|Marquess|Marquis|Lord|Count|Countess|Duchess|Baroness|Viscountess|Margrave|Margravine|Landgrave|"
    r"Prince|Princess|King|Queen|Elector|Electress|Emperor|Empress|Bishop|Archbishop|Marchioness|Dauphin|Infante|Infanta)"
)
_RANKED = re.compile(_RANK)
_REALM = r"[A-ZÀ-Þ][\w’'-]*(?:(?:-\s?|\s)[A-ZÀ-Þ][\w’'-]+){0,2}"
_TITLE = rf"\d{{1,2}}(?:st|nd|rd|th)\s{_RANK}\b(?:\s(?:of\s(?:the\s)?)?{_REALM}(?:\sof\s{_REALM})?)?"
_PEERAGE = re.compile(rf",\s?{_TITLE}(?:(?:,|,?\sand)\s{_TITLE})*(?:,?\s[A-Z]{{2,5}}(?=\s?[,(]))*")
"""The titles of a peer and the letters of the orders behind them: ", 5th Earl of York and 1st Baron Ash, KB, KG"."""
_LIFE_FOLLOWS = r"(?=\s?\(\s?(?:born|b\.|c\.|\d|[A-Z][a-z]+\s\d))"
_ORDERS = re.compile(
    rf",\s(?!CEO|CTO|CFO|COO|CIO|MP\b|MEP\b|USA|UK\b)[A-Z]{{2,6}}(?:,\s[A-Z]{{2,6}})*(?:{_LIFE_FOLLOWS}|(?=,?\s(?:is|was)\b))"
)
"""The letters of orders and degrees behind a person: ", KBE (1904-1963)", ", PE, MBA, is"."""
_HONOURS = re.compile(rf"(?:\s(?:{'|'.join(sorted(ORDERS))})\b)+(?:,?\s[A-Z]{{2,5}}\b)*(?=\s?[a-z(,.;])")
_BORN_AS = re.compile(
    rf",\s(?:born|née|nee|né)\s([A-ZÀ-ÞĀ-Ž][\w’'-]+(?:\s[A-ZÀ-ÞĀ-Ž][\w’'-]+){{0,2}})(?:{_LIFE_FOLLOWS}|(?=,\s(?:is|was)\b))"
)
"""What somebody was called at birth: ", born Lind (1920-1999)"."""
_EMPEROR = re.compile(
    r",\s(?:the\s)?(?:future\s|then\s|later\s)?(?:Holy Roman (?:Emperor|Empress)|Elector Palatine|Count Palatine)\b"
)
_AFTER_TITLE = re.compile(r",\s([a-z]+)")
_EXPLAINING = vocabulary.wordset(
    "a an the who whom whose which where when by of in at from with as known born heir heiress lord king queen"
)
_SECOND = re.compile(r"\sand\s([A-ZÀ-Þ][\w’'-]+)(?=\s?[(,.;])")
"""The second realm of a title: "Earl of Strathmore and Kinghorne"."""
_RULE = re.compile(
    rf",\s(?:the\s)?(?:future\s|then\s|later\s)?((?:(?:Crown|Grand|Hereditary|Titular)\s)?{_RANK}(?:\s(?:Palatine|consort))?)\sof\s(?:the\s)?{_REALM}"
)
_AFTER_DATE = re.compile(r"\d{3,4},?\s(?:(?:in|at|near)\s)?(?:the\s)?$")
_BEFORE_DATE = re.compile(r",\s(?:\d|[A-Z][a-z]+ \d)")
_KNOWN_AS = re.compile(r"(?:also known as|known as|aka|a\.k\.a\.|formerly|or|short for|abbreviated)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Aside:
    """A bracket at text[start:end] that follows a name; `alias` where it names the same, `dated` where it dates a life."""

    start: int
    end: int
    alias: str | None
    born: Period | None
    died: Period | None


def asides(text: str, names: Sequence[Name]) -> Iterator[tuple[int, Aside]]:
    """Yield each bracket that follows a name, with that name's index."""
    for index, name in enumerate(names):
        title = next(titles(text, (name,)), None)
        bracket = _BRACKET.match(text, title.end if title else name.end)
        if bracket is None:
            continue
        inside = bracket[1].strip()
        alias = _alias(name.text, inside)
        born, died = _life(inside)
        if alias or born or died:
            yield index, Aside(bracket.start(), bracket.end(), alias, born, died)


@dataclass(frozen=True, slots=True)
class Title:
    """A title at text[start:end] behind the name of its bearer; `rank` where it is over places: "Duke"; `alias` where it is a maiden name."""

    start: int
    end: int
    bearer: Name
    rank: str | None
    alias: str | None = None


def titles(text: str, names: Sequence[Name]) -> Iterator[Title]:
    """Yield the titles that follow persons: ", 2nd Earl of Bute" and ", Duke of Savoy" belong to them and name nobody else."""
    for name in names:
        if name.type == "person" and (honours := _HONOURS.match(text, name.end)) is not None:
            yield Title(honours.start(), honours.end(), name, None)
        if text[name.end : name.end + 1] != "," or (name.type != "person" and name.trust > Trust.RECOGNISER):
            continue
        if (numbered := _PEERAGE.match(text, name.end)) is not None:
            yield Title(numbered.start(), _past_comma(text, _past_second(text, numbered.end())), name, None)
        elif (rule := _RULE.match(text, name.end)) is not None:
            yield Title(
                rule.start(),
                _past_comma(text, _past_second(text, _past_realms(text, names, rule.end()))),
                name,
                rule[1],
            )
        elif (office := _EMPEROR.match(text, name.end)) is not None:
            yield Title(office.start(), _past_comma(text, office.end()), name, None)
        elif len(name.text.split()) > 1 and (letters := _ORDERS.match(text, name.end)) is not None:
            yield Title(letters.start(), _past_comma(text, letters.end()), name, None)
        elif len(name.text.split()) > 1 and (maiden := _BORN_AS.match(text, name.end)) is not None:
            yield Title(maiden.start(), _past_comma(text, maiden.end()), name, None, maiden[1])


def _is_realm(name: Name) -> bool:
    return name.type == "place" and name.trust >= Trust.LIST


def _past_second(text: str, end: int) -> int:
    """Return the end past a second realm that a list of places lacks: "Earl of Strathmore and Kinghorne (1773"."""
    second = _SECOND.match(text, end)
    if second is None or second[1] in vocabulary.given_names():
        return end
    after = _AFTER_TITLE.match(text, second.end())
    if after is None and text.startswith(", ", second.end()):
        return end  # "and Johannetta, Countess of"
    person = after is not None and (after[1] in _EXPLAINING or after[1] in vocabulary.KIN)  # "and Cicely, daughter of"
    return end if person else second.end()


def _past_comma(text: str, end: int) -> int:
    """Return the end past a comma that only closes the title, before "and" or a verb; a noun or "who" explains the bearer further."""
    after = _AFTER_TITLE.match(text, end)
    return end + 1 if after is not None and after[1] not in _EXPLAINING and after[1] not in vocabulary.KIN else end


def _past_realms(text: str, names: Sequence[Name], end: int) -> int:
    """Return where the realms of a title end: "Count of Holland and Zeeland"."""
    for name in names:
        if name.start < end < name.end or (
            _is_realm(name) and name.start >= end and text[end : name.start] in {" and ", ", ", " and of "}
        ):
            end = name.end
    return end


def is_title(name: Name, found: Iterable[Title]) -> bool:
    """Tell whether a name is but the words of a title: Earl of Bute, and Alington; Bute is a place."""
    found = list(found)
    if not any(title.start < name.start < title.end for title in found):
        return False
    first, *_, last = name.text.split() * 2
    return (
        name.type == "person"
        or name.text.isupper()
        or any(title.alias == name.text for title in found)
        or first.lower() in vocabulary.TITLES
        or bool(_RANKED.fullmatch(first) or _RANKED.fullmatch(last))
    )


def whose_life(text: str, names: Sequence[Name], index: int, aside: Aside) -> tuple[int, Aside]:
    """Return which name the dates after names[index] are of, and the aside with what stands between.

    In "Ada Roe, 2nd Earl of York, KG (1815–1852)" that is the first name.
    """
    if aside.born is None and aside.died is None:
        return index, aside
    while index > 0:
        gap = _RULE.sub("", _PEERAGE.sub("", text[names[index - 1].end : names[index].start]))
        full = names[index].type == "person" and len(names[index].text.split()) > 1
        if full and not _REALM_GAP.fullmatch(gap):
            break
        letters = names[index].text.isupper() and gap.strip() == ","
        if not letters and not _TITLE_GAP.fullmatch(gap):
            break
        index -= 1
    return index, replace(aside, start=names[index].end)


def state_life(member: Member, aside: Aside, draft: Draft) -> None:
    """Add when somebody was born and died."""
    for period, word in ((aside.born, "born"), (aside.died, "died")):
        if period is None:
            continue
        member.learn("person", Trust.CUE)
        draft.state(
            member,
            f"{word} {period.text}",
            "date",
            word.upper(),
            value=period.value,
            value_type=ValueType.DATE if period.value else ValueType.NONE,
            importance=0.6,
            when=period,
            event=True,
        )


def _is_between(words: str) -> bool:
    """Tell whether the words may stand between the two dates of a life: a dash, and places."""
    parts = re.findall(r"[^\s,–—-]+", words)
    return _RANGE.search(words) is not None and all(part in _SMALL or part[0].isupper() for part in parts)


def state_titles(found: Iterable[Title], members: Iterable[tuple[Name, Member]], draft: Draft) -> None:
    """Add over what places somebody's title is: "Albert, Duke of Bavaria"."""
    known = list(members)
    for title in found:
        bearer = next((member for name, member in known if name.start == title.bearer.start), None)
        for name, place in known:
            if bearer and title.rank and title.start < name.start < title.end and place.type == "place":
                draft.relate(bearer, upper_snake(title.rank, "of"), place)


def state_places(
    member: Member, aside: Aside, text: str, inside: Iterable[tuple[int, int, Member]], draft: Draft
) -> None:
    """Add where somebody was born and died, from the places right beside the dates; `inside`: characters and whom they name."""
    done: set[str] = set()
    for start, end, place in inside:
        before, after = text[max(text.rfind("(", aside.start, start), aside.start) : start], text[end : aside.end]
        beside = _AFTER_DATE.search(before) or (re.search(r"[(;–—-]\s?$", before) and _BEFORE_DATE.match(after))
        if place.type not in {"place", "concept"} or not beside:
            continue
        second = aside.born is not None and aside.died is not None and re.search(r"[–—-]", before) is not None
        word, when = ("DIED_IN", aside.died) if second or aside.born is None else ("BORN_IN", aside.born)
        if word not in done:
            place.learn("place", Trust.CUE)
            draft.relate(member, word, place, when, event=True)
            done.add(word)


def within(asides: Iterable[Aside], start: int) -> bool:
    """Tell whether a character belongs to an aside."""
    return any(aside.start <= start < aside.end for aside in asides)


def _alias(name: str, inside: str) -> str | None:
    """Return the other form of a name that a bracket gives: its initials, the words that they stand for, or what it is known as."""
    known_as = _KNOWN_AS.match(inside)
    if known_as and inside[known_as.end() :][:1].isupper() and not re.search(r"[,;\d]", inside) and len(inside) < 60:
        return inside[known_as.end() :].strip('"“” ')
    short, long = sorted((name, inside), key=len)
    initials = "".join(word[0] for word in re.findall(r"[A-Za-z]+", long)).upper()
    plain = re.sub(r"[^A-Za-z]", "", short).upper().removesuffix("S" if short.endswith("s") else "")
    fits = short.isupper() and 2 <= len(short) <= 8 and plain and (initials == plain or _abbreviates(plain, long))
    return inside if fits else None


def _abbreviates(letters: str, words: str) -> bool:
    """Tell whether `letters` can be read off the words' starts in order, small words skipped: "SAML", "MIT"."""
    starts = [
        word[0].upper()
        for word in re.findall(r"[A-Za-z]+", words)
        if word.lower() not in {"of", "the", "and", "for", "in"}
    ]
    return "".join(starts) == letters


def _life(inside: str) -> tuple[Period | None, Period | None]:
    dated = f"in {inside}" if inside[:1].isdigit() or inside[:1].isupper() else inside
    found = periods(dated)
    if not found or len(inside) > 90:
        return None, None
    birth, death = _BIRTH.search(inside), _DEATH.search(inside)
    if birth or death:
        first, last = found[0], found[-1]
        both = birth is not None and death is not None
        return (first if birth else None), (last if death and (both or not birth) else None)
    if len(found) == 2 and _is_between(dated[found[0].end : found[1].start]):
        return found[0], found[1]
    parts = _RANGE.split(inside)
    points = [periods(f"in {part}") for part in parts]
    if len(parts) == 2 and all(len(point) == 1 for point in points):
        return points[0][0], points[1][0]
    return None, None
