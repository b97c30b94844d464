"""Layout: what each block of a page is by the heading and the lines that it stands among: a job, a skill, a row, a plan, a release.

Gives forms to blocks that are no prose; those without one are read as sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from spacy.tokens import Doc

from server.services.extraction import lexicon, vocabulary
from server.services.extraction.cast import Cast, Member
from server.services.extraction.draft import Draft
from server.services.extraction.fields import is_of_organization
from server.services.extraction.forms import Form, Mute, Named, Naming, is_capitalised, looks_like_person, name_at
from server.services.extraction.glosses import read_price_line
from server.services.extraction.infobox import read_field_line
from server.services.extraction.markup import Block, Kind
from server.services.extraction.names import Name
from server.services.extraction.posts import is_title, read_entries, read_headline, read_post
from server.services.extraction.releases import read_release, read_support
from server.services.extraction.sections import Section, is_of_resume, section_of
from server.services.extraction.skills import Certificate, SkillList, Tongues, lists_technologies, speaks
from server.services.extraction.tables import read_tables

_PSEUDO = 7
"""The level of a heading that is only a line of its own."""
_ABOUT_DOCUMENTS = re.compile(
    r"\s*(?:[|–—:·-]\s*)?\b(?:r[ée]sum[ée](?: of)?|curriculum vitae(?: of)?|cv(?: of)?|changelog|change log|release notes|releases|pricing|"
    r"readme|documentation|docs|user guide|handbook|history)\b\s*(?:[|–—:·-]\s*)?|\.(?:pdf|docx?|md|txt|html?)$",
    re.IGNORECASE,
)
_RESUME = re.compile(r"\b(?:r[ée]sum[ée]|curriculum vitae|cv)\b", re.IGNORECASE)
_CONTACT = re.compile(
    r"\S@\S+\.\w|\+\d[\d ()-]{7,}\d|\(\d{3}\) ?\d{3}|(?:linkedin|github)\.com|(?:^|\W)(?:LinkedIn|GitHub|Email|Phone)(?:\W|$)"
)
_CUT = re.compile(r"\s+[|–—·•-]\s+|,\s|\s*\(|\t|\s+(?=\S+@\S|\+?\d)")
_PLANNING = re.compile(
    r"(?:AI|A\.I\.|ACTIONS?|Action(?: items?| points?)?|TODOs?|To[- ]?do|Next steps?|Follow[- ]?ups?|Open questions?"
    r"|Agenda|Plan|Deadline|Due|Proposal|Idea)"
    r"\b\s*(?:\([^)]*\)|\[[^\]]*\]|-\s*\w+)?\s*:|@\w+:?\s+to\s|\[?TODO\]?\b"
)
_DENIED = re.compile(
    r"\b(?:not|n't|n’t|no longer|without|exclud\w+|except|lacks?|cannot|never|unlike|remov\w+|drop\w*|deprecat\w+|missing|unsupported)\b",
    re.IGNORECASE,
)
_WISHED = re.compile(
    r"\b(?:will|would|should|could|might|may|want|wish|plans? to|planning|planned|consider\w*|propos\w+|evaluat\w+|todo|if)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"(?:Attendees?|Participants?|Present|Attending|Invitees|Absent|Apologies|Regrets|Facilitator|Note ?taker|Scribe|Chair|Host|Hosts|Cc|To|From"
    r"|[Aa]uthors?|Owner|Reviewers?)\s*:\s+"
)
_CONTACT_FIELD = re.compile(
    r"(?:e-?mail|phone|tel|telephone|mobile|cell|fax|github|gitlab|linkedin|twitter|web|website|homepage|blog|portfolio|url|address|skype|licen[cs]e|version|repository)\s*:",
    re.IGNORECASE,
)
_STUDY_FIELD = re.compile(
    r"(?:relevant )?(?:gpa|thesis|courses?|coursework|grades?|minor|major|activities|modules|supervisor|advisor)\b[^:]{0,20}:",
    re.IGNORECASE,
)
_SKILL_FIELD = re.compile(
    r"(?:[\w&/-]+ ){0,2}(?:skills|tools|technologies|tech|stack|environment|languages|frameworks|databases|platforms|libraries)\s*:\s+",
    re.IGNORECASE,
)
_FIELD = re.compile(r"([A-Za-z][\w -]{1,30}):\s")
_NAME_FIELD = re.compile(r"(?:full )?name:\s+[\"']?([^\"'\n]{3,60}?)[\"']?$", re.IGNORECASE)
_OFFER = re.compile(
    r"((?:[A-Z][\w+]*\s){1,3}(?:Plan|Tier|Edition|Package))\s+(?:Includes|Adds|Features|Benefits|Pricing|Limits)\b"
)
_PERSON = re.compile(r"(?:(?!\sand\s)[^,;&|•])+")
_ASIDE = re.compile(r"\s*(?:[(\[<].*$|\s[-–—]\s.*$)")


@dataclass(frozen=True, slots=True)
class Around:
    """What the chunk stands under, from before it: the document's title, headings from the outermost, the heads of a table that goes on."""

    title: str = ""
    headings: tuple[str, ...] = ()
    table: str = ""


@dataclass(frozen=True, slots=True)
class Owner:
    """The head of a résumé: whose it is, and what the same line calls them."""

    start: int
    name: str
    role: str

    def names(self, block: Block, doc: Doc) -> list[Name] | None:
        """Return the person."""
        found = name_at(doc, self.start, self.name, "person")
        return [replace(found, text=self.name.title() if self.name.isupper() else self.name)] if found else []

    def state(self, topic: Member | None, named: Named, cast: Cast, draft: Draft) -> None:
        """State the role."""
        if named and self.role:
            draft.state(named[0][1], self.role, "experience", "HAS_ROLE", importance=0.8)


@dataclass(slots=True)
class Laid:
    """A block with its form, if it has one, and the section that it stands in."""

    block: Block
    form: Form | None = None
    section: Section | None = None


def bare_title(title: str) -> str:
    """Return a title without the words that say what kind of document it is: "Jane Roe — Résumé" is about Jane Roe."""
    return _ABOUT_DOCUMENTS.sub(" ", title).strip(" -–—|:·,") if title else ""


def owner_of(title: str) -> str | None:
    """Return the person whose résumé the title names."""
    if not _RESUME.search(title.replace("_", " ").replace("-", " - ")):
        return None
    name = _CUT.split(bare_title(title))[0].strip()
    return name if looks_like_person(name) else None


def is_resume(page: Sequence[Block], around: Around) -> bool:
    """Tell whether the page is a résumé: by its title, or by its sections and the contacts at its head."""
    if _RESUME.search(around.title.replace("_", " ")) or (
        page and page[0].kind is not Kind.ITEM and _RESUME.search(page[0].text[:60])
    ):
        return True
    sections = {section_of(block.text) for block in page if len(block.text) < 40}
    sections |= {section_of(heading) for heading in around.headings}
    jobs = sum(is_of_resume(section) for section in sections)
    others = len(sections & {Section.SKILLS, Section.ABOUT, Section.LANGUAGES, Section.CERTIFICATES, Section.WORKS})
    contact = any(_CONTACT.search(block.text) for block in page[:5])
    head = around.headings[0] if around.headings else page[0].text if page and page[0].kind is not Kind.ITEM else ""
    of_person = looks_like_person(_CUT.split(bare_title(head))[0])
    return (jobs > 0 and (jobs + others > 1 or contact or of_person)) or (
        jobs + others > 0 and of_person and bool(around.headings)
    )


def lay_out(page: Sequence[Block], docs: Sequence[Doc], around: Around, *, resume: bool) -> list[Laid]:
    """Return the blocks in order, each with its form; lines that serve as headings have become some."""
    laid = [Laid(block) for block in page]
    _divide(laid, docs, around, resume=resume)
    if resume and not around.headings:
        _introduce(laid, docs)
    _entitle(laid)
    for index, form in read_tables([one.block for one in laid], docs, around.table).items():
        laid[index].form = form
    _form_sections(laid, docs, resume=resume)
    _silence(laid)
    for one, doc in zip(laid, docs, strict=True):
        if one.form is None:
            one.form = _form_of(one.block, doc)
    _hush_headings(laid)
    return laid


def _divide(laid: list[Laid], docs: Sequence[Doc], around: Around, *, resume: bool) -> None:
    """Give each block its section, and make headings of the lines that serve as such."""
    above: list[tuple[int, Section | None]] = []
    for level, heading in enumerate(around.headings, 1):
        above.append((level, section_of(heading)))
    items = False
    for one in laid:
        block = one.block
        level = block.level if block.kind is Kind.HEADING else _PSEUDO if _is_pseudo(block, resume=resume) else 0
        if level:
            while above and above[-1][0] >= level:
                above.pop()
            section = section_of(block.text)
            above.append((level, section or (Section.OTHER if level == _PSEUDO else None)))
            if section is not None or level == _PSEUDO:
                one.block = replace(block, kind=Kind.HEADING, level=max(level, 2) if resume else level)
                one.form = Mute(nameless=section is not None)
            items = False
        elif items and block.kind is Kind.PROSE and above and above[-1][0] == _PSEUDO and not resume:
            above.pop()
        items = items or block.kind is Kind.ITEM
        one.section = next((section for _, section in reversed(above) if section is not None), None)


def _is_pseudo(block: Block, *, resume: bool) -> bool:
    """Tell whether a line by itself serves as a heading: a section's name in capitals, with a colon, or on a résumé; any word with a colon."""
    text = block.text
    if block.kind is not Kind.PROSE or len(text) > 40 or block.speaker is not None:
        return False
    section = section_of(text)
    if section is None:
        return text.endswith(":") and len(text.split()) == 1 and text[0].isupper() and lexicon.is_plain(text)
    return text.isupper() or text.endswith(":") or (resume and text[0].isupper())


def _introduce(laid: list[Laid], docs: Sequence[Doc]) -> None:
    """Find whose résumé it is at the head of the page, and what the line below calls them."""
    for index, one in enumerate(laid[:3]):
        text = one.block.text
        words = bare_title(text)
        name = _CUT.split(words)[0].strip() if words else ""
        shown = name.title() if name.isupper() else name
        if one.block.kind in {Kind.HEADING, Kind.PROSE} and looks_like_person(shown) and one.form is None:
            rest = text[text.index(name) + len(name) :]
            one.block = replace(one.block, kind=Kind.HEADING, level=0)
            rest = rest.strip(" |–—-,·")
            one.form = Owner(text.index(name), name, rest if is_title(rest) else "")
            if index + 1 < len(laid) and laid[index + 1].form is None and laid[index + 1].block.kind is not Kind.ITEM:
                laid[index + 1].form = read_headline(laid[index + 1].block, docs[index + 1])
            return


def _entitle(laid: list[Laid]) -> None:
    """Take a heading above an organization's fields as its name, and make one of the field that names a person: "name: Jane Roe"."""
    for one, after in pairwise(laid):
        offer = _OFFER.match(one.block.text) if one.block.kind is Kind.HEADING and one.form is None else None
        if offer:
            one.form = Naming(((0, offer[1], "product"),))
        field = _FIELD.match(after.block.text)
        if field and is_of_organization(field[1]) and one.block.kind is Kind.HEADING and one.form is None:
            name = bare_title(one.block.text)
            if is_capitalised(name) and len(name.split()) < 5 and not lexicon.is_plain(name) and name in one.block.text:
                one.form = Naming(((one.block.text.index(name), name, "organization"),))
    if len(laid) < 2 or laid[0].form is not None or not _FIELD.match(laid[1].block.text):
        return
    match = _NAME_FIELD.match(laid[0].block.text)
    if match and looks_like_person(match[1]):
        laid[0].block = replace(laid[0].block, kind=Kind.HEADING, level=1)
        laid[0].form = Naming(((match.start(1), match[1], "person"),))


def _form_sections(laid: list[Laid], docs: Sequence[Doc], *, resume: bool) -> None:
    for section, places in _stretches(laid):
        for index in places if resume and section is Section.SKILLS else ():
            if (cells := laid[index].block.cells) and len(cells) == 2 and not laid[index].block.level:
                laid[index].form = SkillList(laid[index].block, cells[1][0])
        free = [index for index in places if laid[index].form is None]
        if resume and section in {Section.JOBS, Section.STUDIES}:
            page = [one.block for one in laid]
            for index, post in read_entries(page, docs, free, studies=section is Section.STUDIES).items():
                laid[index].form = post
        for index in free:
            if laid[index].form is None:
                laid[index].form = _form_in(section, laid[index].block, docs[index], resume=resume)


def _stretches(laid: list[Laid]) -> Iterator[tuple[Section | None, list[int]]]:
    """Yield the runs of blocks that stand in one section."""
    start = 0
    for index in range(1, len(laid) + 1):
        if index == len(laid) or laid[index].section is not laid[start].section:
            yield laid[start].section, list(range(start, index))
            start = index


def _form_in(section: Section | None, block: Block, doc: Doc, *, resume: bool) -> Form | None:
    """Return the form that the section gives to a block."""
    sentence = block.text.endswith(".") and any(token.tag_ in {"VBZ", "VBP", "VBD", "MD"} for token in doc)
    if section in {Section.PLANS, Section.ABSENT} and block.kind is not Kind.HEADING:
        known = any(word.strip(".,:;()") in vocabulary.listed() for word in block.text.split())
        return Mute(nameless=not known and lexicon.is_plain(block.text))
    if resume and block.kind is Kind.HEADING and _SKILL_FIELD.match(block.text):
        return SkillList(block)
    if section is Section.PEOPLE and block.kind is not Kind.HEADING and not sentence:
        return _people(block.text, 0)
    if not resume or sentence or block.kind is Kind.HEADING:
        return None
    if _CONTACT.search(block.text) and len(block.text) < 200:
        return Mute()
    if _STUDY_FIELD.match(block.text):
        return Mute(nameless=True)
    if section in {Section.JOBS, Section.WORKS} and (_SKILL_FIELD.match(block.text) or lists_technologies(block.text)):
        return SkillList(block)
    if section is Section.SKILLS:
        return SkillList(block)
    if section is Section.LANGUAGES:
        return Tongues(block) if speaks(block.text) else SkillList(block)
    return Certificate(block) if section is Section.CERTIFICATES else None


def _people(text: str, start: int) -> Naming:
    """Return the people that a list names, without what brackets and dashes add to each."""
    found = []
    for match in _PERSON.finditer(text, start):
        name = _ASIDE.sub("", match[0]).strip(" *@.").removeprefix("and ")
        if name and looks_like_person(name, full=False):
            found.append((text.index(name, match.start()), name, "person"))
    return Naming(tuple(found))


def _silence(laid: list[Laid]) -> None:
    """Leave unsaid what stands under a line that denies it or only plans it: "It does not include:"."""
    for index, one in enumerate(laid):
        text = one.block.text
        if one.block.kind is not Kind.PROSE or not text.endswith(":") or one.block.cells:
            continue
        last = re.split(r"[.!?]\s", text)[-1]
        if _DENIED.search(last) or _WISHED.search(last):
            for after in laid[index + 1 :]:
                if after.block.kind is not Kind.ITEM:
                    break
                after.form = after.form or Mute()


def _hush_headings(laid: list[Laid]) -> None:
    """Take the names from headings of common words that nothing else on the page repeats: "Feature Comparison"."""
    for one in laid:
        text = one.block.text
        if one.block.kind is not Kind.HEADING or one.form is not None or not lexicon.is_plain(text):
            continue
        if not bare_title(text):
            one.form = Mute(nameless=True)
            continue
        words = {word.lower() for word in text.split()}
        known = (
            text in vocabulary.listed()
            or words & (vocabulary.PLAN_NOUNS | vocabulary.TIERS | vocabulary.LEGAL_FORMS)
            or lexicon.is_technology(text)
        )
        given = text.split()[0] in vocabulary.given_names()
        if not known and not given and not any(text in other.block.text for other in laid if other is not one):
            one.form = Mute(nameless=True)


def _form_of(block: Block, doc: Doc) -> Form | None:
    """Return the form that a block has by itself."""
    if block.task or _PLANNING.match(block.text):
        return Mute()
    if _CONTACT_FIELD.match(block.text) and len(block.text) < 120:
        return Mute(nameless=True)
    if match := _PEOPLE.match(block.text):
        return _people(block.text, match.end()) if len(block.text) < 600 and not block.text.endswith(".") else None
    if block.kind is Kind.HEADING and section_of(block.text) is not None:
        return Mute(nameless=True)
    if field := read_field_line(block):
        return field
    return read_release(block) or read_support(block) or read_price_line(block) or read_post(block, doc)
