"""Posts: the lines of a résumé that hold a role or a degree, a place and dates without a verb.

"Senior Engineer, Fjordline Analytics (2019–2023)" under a person's name is employment; "MSc in Physics, University of Oslo, 2015" is
education. Role, employer and dates may stand on lines of their own; an employer may stand above several roles. Such lines are taken
whole, so their capitals make no other names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spacy.tokens import Doc

from server.services.extraction import lexicon, vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.dates import stated
from server.services.extraction.draft import Draft
from server.services.extraction.forms import Named, is_capitalised, looks_like_person, name_at
from server.services.extraction.kinds import Trust
from server.services.extraction.markup import Block, Kind
from server.services.extraction.names import Name
from server.services.extraction.periods import Period

_LONGEST = 150
_SEPARATOR = re.compile(r"\s+(?:at|—|–|-|\||·|•|/)\s+|\s+@\s*|[,;|]\s+|\s*[()]\s*|:\s+|\s+(?=in [A-Z]\w+$)")
_DEGREE = re.compile(
    r"(?<!\w)(?:B\.?\s?Sc|M\.?\s?Sc|Ph\.?\s?D|B\.?A|M\.?A|B\.S|M\.S|BS|MS|MBA|BBA|B\.?\s?Eng|M\.?\s?Eng|B\.?\s?Tech|M\.?\s?Tech|B\.?E"
    r"|LL\.?[BM]|"
    r"D\.?\s?Phil|M\.?\s?Phil|M\.?D|J\.?D|Bachelors?|Bachelor['’]s|Masters?|Master['’]s|Diploma|Doctorate|Doctor of|Abitur|Baccalaureate"
    r"|Licentiate|Magister"
    r")\b(?!\w)",
)
_FINITE = frozenset({"VBZ", "VBP", "MD"})
_DEEDS = frozenset({"VBD", "VBN", "VBG", "VB"})
_ROLE_ENDING = re.compile(r"(?:ologist|ographer|ician|architect|eer|ist)s?$", re.IGNORECASE)
_MORE_ROLES = vocabulary.wordset(
    "sre devops hacker contractor volunteer marketer trader banker barista clerk receptionist waiter cashier freelance internship"
)
_ROLES = vocabulary.words("roles") | _MORE_ROLES
_TERMS = re.compile(
    r"(?:full|part)[- ]?time|contract|permanent|temporary|freelance|remote|hybrid|on[- ]?site|internship|self[- ]employed|expected|gpa.*"
    r"|with honou?rs|"
    r"(?:summa |magna )?cum laude|first class.*|\d+(?:\.\d+)?(?:/\d+)?|\d+ (?:yrs?|years?|mos?|months?).*|[A-Z]{2}|u\.?s\.?a?\.?|uk",
    re.IGNORECASE,
)
_NO_ENTRY = re.compile(
    r"(?:gpa|thesis|courses?|coursework|relevant coursework|grade|minor|major|honou?rs|activities|stack|tech(?:nologies)?|tools|skills|"
    r"environment|responsibilities|achievements|supervisor|advisor|location|languages|key|project|team|summary|description)\b[^:]{0,25}:\s",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"\S@\S+\.\w|\+\d[\d ()-]{7,}\d|\(\d{3}\)\s?\d{3}|\d{3}[- ]\d{3}[- ]\d{3}|(?:www\.|https?:|linkedin\.|github\.)",
    re.IGNORECASE,
)
_PART = re.compile(r"(?:Department|Dept\.?|Faculty|Division|Chair|Section) (?:of|for)\b")
_REST = re.compile(r"\s+(?:working|responsible|focus\w+|speciali[sz]\w+|who|with an?)\b|\.$")
"""Where a role goes on with what it was about."""
_LABEL = re.compile(r"(?:current |job )?(?:role|position|title|job|occupation)", re.IGNORECASE)
_REMARK = re.compile(r"(?:(?<=[^\W\d_]{4})|(?<=\d{4}))\.\s+(?=[A-Z])")
"""Where a line goes on with a sentence: "University of Cambridge, 2014. Thesis: ..." """
_STRONG = frozenset({"@", "at"})
_MOST_LINES = 4


@dataclass(slots=True)
class Entry:
    """What a few lines say: a role or a degree, where, when. `where`: block, first character and words of a name that these lines state."""

    title: str | None = None
    degree: bool = False
    where: tuple[int, int, str] | None = None
    when: Period | None = None
    town: bool = False
    """Whether `where` may be a town as well."""
    employer: str | None = None
    """The name that the lines above have for it, where these have none."""


@dataclass(frozen=True, slots=True)
class Post:
    """A line of an entry; the first one states it, all of them keep their capitals from making other names."""

    entry: Entry
    first: Block
    last: Block
    own: tuple[int, str] | None = None
    """The institution that this very line names: first character and words."""
    states: bool = True
    person: tuple[int, str] | None = None
    """Whose post it is, where the line says so itself: "Mona Berg — CTO, Acme"."""

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the institution, and the person where the line names one."""
        person = name_at(doc, *self.person, "person") if self.person else None
        name = name_at(doc, *self.own, "organization", Trust.STATED) if self.own else None
        return [one for one in (person, name) if one is not None]

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """Add what the entry says, if the page is a person's."""
        if self.person and named:
            topic, named = named[0][1], named[1:]
        if topic is None or topic.type != "person" or not self.states:
            return
        draft.quote = draft.quote_between(self.first, self.last)
        where = self.entry.where[2] if self.entry.where else self.entry.employer
        institution = named[0][1] if named else cast.find(where) if where else None
        _state(topic, self.entry, institution, draft)


def _state(person: Member, entry: Entry, institution: Member | None, draft: Draft) -> None:
    when = entry.when
    if entry.title is not None:
        words = [entry.title, *(["at", institution.name] if institution else []), *([when.text] if when else [])]
        if entry.degree:
            draft.state(person, " ".join(words), "education", "HAS_DEGREE", importance=0.7, when=when, event=True)
        else:
            draft.state(person, " ".join(words), "experience", "HAS_ROLE", importance=0.8, when=when)
    if institution is not None and institution is not person:
        kind = "STUDIED_AT" if entry.degree else "WORKS_AT"
        until_then = entry.degree and when is not None and not when.is_range
        draft.relate(person, kind, institution, None if until_then else when, entry.title)


def read_post(block: Block, doc: Doc) -> Post | None:
    """Return the post that a block by itself is, on whatever page; None where it is anything else."""
    text = block.text
    top = block.kind is Kind.HEADING and block.level == 1
    if top or len(text) > _LONGEST or text.endswith((".", "?", "!", ":")) or any(one.tag_ in _FINITE for one in doc):
        return None
    entry, count = _read(block, doc, 0, studies=False)
    if entry.title is None or (count < 2 and entry.when is None):
        return None
    start, first, _ = next(part for part in _segments(text, entry.when) if not _LABEL.fullmatch(part[1]))
    whose = (start, first) if looks_like_person(first) and first.split()[0] not in vocabulary.listed() else None
    if whose and entry.where and entry.where[2] == first:
        entry.where = None
    if entry.degree and entry.where is not None and not _is_institution(entry.where[2]):
        entry.where = None
    return Post(entry, block, block, entry.where[1:] if entry.where else None, person=whose)


def read_headline(block: Block, doc: Doc) -> Post | None:
    """Return the role that the line below a person's name gives, with or without an employer."""
    text = block.text
    if len(text) > 80 or text.endswith((".", "?", "!", ":")) or _CONTACT.search(text):
        return None
    entry, _ = _read(block, doc, 0, studies=False)
    if entry.when is not None or block.kind is Kind.HEADING:
        return read_post(block, doc)
    if entry.title is None or entry.degree:
        return None
    strong = re.search(r"\s(?:at|@)\s", text) is not None
    if not strong:
        entry.where, entry.title = None, text
    return Post(entry, block, block, entry.where[1:] if entry.where else None)


def read_entries(
    page: Sequence[Block], docs: Sequence[Doc], places: Sequence[int], *, studies: bool
) -> dict[int, Post]:
    """Return the posts of a section whose blocks stand at `places`, by their place: jobs, or studies."""
    found: dict[int, Post] = {}
    entry, lines, employer = Entry(), list[int](), Entry()
    for index in [*places, None]:
        block = page[index] if index is not None else None
        new = (
            _read(block, docs[index], index, studies=studies)[0]
            if block and index is not None and _is_line(block, docs[index])
            else None
        )
        if (
            new is not None
            and lines
            and len(lines) < _MOST_LINES
            and _fits(entry, new)
            and (_goes_on(page, lines, index or 0) or _is_degree_of(entry, new, index == lines[-1] + 1))
        ):
            _join(entry, new)
            lines.append(index or 0)
            continue
        if lines:
            employer = _close(entry, lines, page, employer, found, studies=studies)
        entry, lines = (new, [index or 0]) if new is not None else (Entry(), [])
    return found


def _close(
    entry: Entry, lines: list[int], page: Sequence[Block], above: Entry, found: dict[int, Post], *, studies: bool
) -> Entry:
    """Keep an entry if it says enough; return the employer under whom later roles without one stand."""
    entry.degree = entry.degree or studies
    head = page[lines[0]]
    if head.kind is Kind.HEADING and above.where is not None and head.level <= page[above.where[0]].level:
        above = Entry()
    if entry.where is None and above.where is not None and entry.title and not studies:
        entry.employer = above.where[2]
    stated_place = (entry.where or entry.employer) and (entry.title or entry.when)
    says = bool(stated_place or (entry.title and entry.when))
    heads = entry.where is not None and entry.title is None and not studies
    if says or heads:
        for line in lines:
            own = entry.where[1:] if entry.where and entry.where[0] == line else None
            found[line] = Post(entry, page[lines[0]], page[lines[-1]], own, states=says and line == lines[0])
    if heads or (entry.where and page[lines[0]].kind is Kind.HEADING):
        return entry
    return above if entry.where is None else Entry()


def _is_line(block: Block, doc: Doc) -> bool:
    """Tell whether a block may be a line of an entry: no sentence, no deed, no field."""
    text = block.text
    if (
        len(text) > _LONGEST
        or text.endswith(("?", "!", ":"))
        or _NO_ENTRY.match(text)
        or block.cells
        or _CONTACT.search(text)
    ):
        return False
    if text.endswith(".") and any(token.tag_ in _FINITE or token.tag_ == "VBD" for token in doc):
        return False
    first = next((token for token in doc if token.is_alpha), None)
    if first is None:
        return stated(text) is not None
    if block.kind is Kind.HEADING:
        return True
    when = stated(text)
    titled = any(is_title(words) for _, words, _ in _segments(text, when))
    if (block.kind is Kind.ITEM or text.endswith(".")) and when is None and not titled:
        return False
    deed = (
        first.tag_ in _DEEDS
        and lexicon.is_common(first.text)
        and not is_title(first.text)
        and not (titled and when is not None)
    )
    return not deed and (titled or when is not None or (is_capitalised(text) and len(text.split()) < 9))


def _is_degree_of(entry: Entry, new: Entry, adjacent: bool) -> bool:
    """Tell whether an item below a university is the degree that was taken there."""
    return adjacent and new.degree and entry.title is None and new.where is None


def _goes_on(page: Sequence[Block], lines: list[int], index: int) -> bool:
    """Tell whether a line follows the lines of an entry at once; an item and most headings start one of their own."""
    before, block = page[lines[-1]], page[index]
    if index != lines[-1] + 1 or block.kind is Kind.ITEM:
        return False
    return block.kind is not Kind.HEADING or (before.kind is Kind.HEADING and block.level > before.level)


def _fits(entry: Entry, new: Entry) -> bool:
    """Tell whether a line adds to an entry without saying anything of it again."""
    below = entry.title and entry.where and new.where and not new.title
    if below and (new.town or (new.when and not entry.when)):
        new.where = None  # the town below role and employer
    return not ((entry.title and new.title) or (entry.where and new.where) or (entry.when and new.when))


def _join(entry: Entry, new: Entry) -> None:
    entry.title, entry.degree = entry.title or new.title, entry.degree or new.degree
    entry.where, entry.when = entry.where or new.where, entry.when or new.when


def _read(block: Block, doc: Doc, index: int, *, studies: bool) -> tuple[Entry, int]:
    """Return what one line says, and how many parts it has beside its date."""
    text = _REMARK.split(block.text)[0]
    when = stated(text)
    segments = [part for part in _segments(text, when) if not _LABEL.fullmatch(part[1])]
    title = next((words for _, words, _ in segments if is_title(words)), None)
    degree = title is not None and _DEGREE.search(title) is not None
    said = title
    title = _without_place(_REST.split(title)[0]) if title and not degree else title
    rest = [(start, words, joint) for start, words, joint in segments if words != said]
    where = _institution(doc, rest, studies=studies or degree)
    if degree and title is not None and len(title.split()) < 3:
        field = next((words for _, words, _ in rest if (where is None or words != where[1]) and _is_field(words)), None)
        title = f"{title} {field}" if field else title
    after = next((words for start, words, _ in rest if where is not None and start > where[0]), "")
    town = where is not None and (vocabulary.listed().get(after) == "place" or _is_labelled_place(doc, *where))
    return Entry(title, degree, (index, *where) if where else None, when, town), len(segments)


def _without_place(title: str) -> str:
    """Return a role without the place that a converted page has at the end of its line: "Senior programmer Philadelphia"."""
    words = title.split()
    for count in (2, 1):
        if len(words) > count and vocabulary.listed().get(" ".join(words[-count:])) == "place":
            return " ".join(words[:-count]) if words[-count - 1] not in {"of", "for", "in"} else title
    return title


def _is_field(words: str) -> bool:
    """Tell whether a part of a line is a field of study."""
    return (
        is_capitalised(words)
        and lexicon.is_plain(words)
        and not _TERMS.fullmatch(words)
        and words not in vocabulary.listed()
    )


def _institution(doc: Doc, parts: list[tuple[int, str, str]], *, studies: bool) -> tuple[int, str] | None:
    """Return the part that names an institution: by a word in it, by "at" before it, else the first that is no place and no common word."""
    followers = [*(words for _, words, _ in parts[1:]), ""]
    able = [
        part
        for part, after in zip(parts, followers, strict=False)
        if _may_be_institution(part[1])
        and not (_is_state(after) and not _is_institution(part[1]))
        and not (part[2] == "(" and _is_specialty(part[1]))
        and (not studies or _is_institution(part[1]) or not lexicon.is_plain(part[1]))
    ]
    towns = {
        part[0] for part, after in zip(parts, followers, strict=False) if vocabulary.listed().get(after) == "place"
    }
    ranked = sorted(able, key=lambda part: (2 * (part[0] in towns) - _weight(doc, *part), part[0]))
    return ranked[0][:2] if ranked else None


def _weight(doc: Doc, start: int, words: str, joint: str) -> int:
    known = words in vocabulary.listed()
    place = _is_labelled_place(doc, start, words)
    return (
        4 * _is_institution(words)
        - 3 * bool(_PART.match(words))
        + 3 * (joint in _STRONG)
        + known
        + (not lexicon.is_plain(words))
        - place
    )


def _is_labelled_place(doc: Doc, start: int, words: str) -> bool:
    labels = {token.ent_type_ for token in doc if start <= token.idx < start + len(words)}
    return labels == {"GPE"} and words not in vocabulary.listed() and not _is_institution(words)


def _is_state(words: str) -> bool:
    """Tell whether a part of the line is a state in two letters, so that what stands before it is a town: "Austin, TX"."""
    return re.fullmatch(r"[A-Z]{2}", words) is not None


def _is_specialty(words: str) -> bool:
    """Tell whether a bracket tells more of a role: "Engineer (Frontend React.js)"."""
    return any(lexicon.is_technology(word) for word in words.split()) or lexicon.is_common(words.split()[0])


def _may_be_institution(words: str) -> bool:
    """Tell whether a part of the line is a name: capitalised throughout, no place, no person, no terms of employment."""
    parts = words.split()
    if (
        not is_capitalised(words)
        or len(parts) > 7
        or _TERMS.fullmatch(words)
        or is_title(words)
        or not re.search(r"[^\W\d_]{2}", words)
    ):
        return False
    if _is_institution(words):
        return True
    listed = vocabulary.listed().get(words, "organization")
    known = parts[0] in vocabulary.given_names() and len(parts) > 1
    return listed in {"organization", "product"} and not known


def _segments(text: str, when: Period | None) -> Iterator[tuple[int, str, str]]:
    """Yield the parts of the line with their places and the joint before each, its date left out."""
    if when is not None:
        text = text[: when.start] + " " * (when.end - when.start) + text[when.end :]
    position, joint = 0, ""
    for separator in (*_SEPARATOR.finditer(text), None):
        part = text[position : separator.start() if separator else len(text)]
        words = part.strip().strip("-–—|·•,").strip()
        if words:
            yield text.index(words, position), words, joint
        position, joint = (separator.end(), separator[0].strip()) if separator else (position, "")


def is_title(words: str) -> bool:
    """Tell whether a part of a line is a role or a degree."""
    if _DEGREE.search(words) is not None:
        return True
    plain = re.findall(r"[\w-]+", words)
    if any(word.lower() in _ROLES for word in plain):
        return (
            plain[-1].lower() not in vocabulary.ORGANIZATION_HEADS
            and plain[0].lower() not in vocabulary.ORGANIZATION_OPENERS
        )
    return (
        bool(plain) and len(plain) < 5 and _ROLE_ENDING.search(plain[-1]) is not None and lexicon.is_common(plain[-1])
    )


def _is_institution(words: str) -> bool:
    heads, parts = vocabulary.ORGANIZATION_HEADS, [word.lower().strip(".,") for word in words.split()]
    return any(word in heads for word in parts) and not words.islower() and parts[-1] not in _ROLES
