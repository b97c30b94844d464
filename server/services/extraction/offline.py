"""The offline extractor: spaCy's small model and rules, precise rather than greedy, without network or key.

A chunk goes through one line of steps: blocks, names, folding, parse, and for each asserted clause the rules in order. Each step
lives in a module of its own; this one only leads through them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from spacy.tokens import Doc, Token
from spacy.tokens import Span as SpacySpan

from server.services.extraction import OFFLINE, document_title, language, names, vocabulary
from server.services.extraction.appositions import appositions
from server.services.extraction.asides import (
    Aside,
    Title,
    asides,
    is_title,
    state_life,
    state_places,
    state_titles,
    titles,
    whose_life,
)
from server.services.extraction.bonds import bound
from server.services.extraction.cast import Cast, Member
from server.services.extraction.certainty import Witness
from server.services.extraction.clauses import Clause, clauses
from server.services.extraction.coreference import Discourse, is_pronoun
from server.services.extraction.draft import Draft
from server.services.extraction.employment import employment
from server.services.extraction.fields import read_field
from server.services.extraction.foreign import foreign_spans, is_foreign
from server.services.extraction.forms import Form
from server.services.extraction.glosses import joint_of, read_gloss
from server.services.extraction.interruptions import dateline, interruptions, later_datelines
from server.services.extraction.kinds import Trust
from server.services.extraction.layout import Around, bare_title, is_resume, lay_out, owner_of
from server.services.extraction.literals import dates, populations, prices
from server.services.extraction.markup import Block, Kind, blocks
from server.services.extraction.money import amounts
from server.services.extraction.names import Name
from server.services.extraction.nominals import nominals
from server.services.extraction.outline import Lead, Outline, lead_of, lowered, opening
from server.services.extraction.periods import periods
from server.services.extraction.protocol import ChunkText, Extraction, Span
from server.services.extraction.quotations import quoted
from server.services.extraction.reading import Meaning, Piece, Reading, fold, spaced
from server.services.extraction.relations import bereaved, edges, skills, types
from server.services.extraction.rows import are_apart, is_list
from server.services.extraction.sentence import Scene
from server.services.extraction.statements import definitions, statements
from server.services.extraction.talk import Talk, speaks_of_self, voiced

_RULES: tuple[Callable[[Scene, Draft], None], ...] = (
    types,
    bereaved,
    employment,
    skills,
    edges,
    prices,
    populations,
    definitions,
    dates,
    statements,
)
_REFERS = re.compile(r"\b(?:s?he|it|they|the|this|that|his|her|its|their)\b", re.IGNORECASE)
"""Words that may refer to somebody named before; a block without them and without names says nothing of anybody."""
_NOT_ENGLISH = "It does not seem to be English, which is all that the offline extractor reads."
_PLANS = re.compile(r"\b(?:plan|tier|edition|subscription)s?\b", re.IGNORECASE)


class OfflineExtractor:
    """Reads English prose with rules over spaCy's small model. Deterministic; what plainly is not English is rejected."""

    name = OFFLINE

    def extract(self, chunk: ChunkText) -> Extraction:
        """Return what `chunk` says; linear in its length, a few milliseconds a sentence once the model is loaded."""
        return _Chunk(chunk).extraction()


@dataclass(slots=True)
class _Passage:
    """A block on its way through the steps."""

    block: Block
    doc: Doc
    foreign: list[tuple[int, int]] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    asides: list[tuple[Member, Aside]] = field(default_factory=list)
    titles: list[Title] = field(default_factory=list)
    form: Form | None = None
    topic: Member | None = None
    speaker: Member | None = None

    def is_foreign(self, start: int) -> bool:
        """Tell whether the character at `start` belongs to a sentence that is not English."""
        return any(first <= start < last for first, last in self.foreign)


class _Chunk:
    """The state of one extraction."""

    def __init__(self, chunk: ChunkText) -> None:
        self._chunk = chunk
        self._cast = Cast(chunk.known)
        self._draft = Draft(chunk.text)
        self._lead: Lead | None = None
        self._speaker: Member | None = None

    def extraction(self) -> Extraction:
        page = blocks(self._chunk.text)
        among_foreign = is_foreign(self._chunk.text)
        foreign = [foreign_spans(block.text, among_foreign=among_foreign) for block in page]
        if page and all(spans == [(0, len(block.text))] for block, spans in zip(page, foreign, strict=True)):
            self._draft.quote = self._draft.quote_of(page[0], 0, len(page[0].text))
            self._draft.reject("chunk", {}, _NOT_ENGLISH)
            return self._draft.extraction(self._cast)
        self._cast.plans = self._cast.plans or any(_PLANS.search(block.text) for block in page)
        titled = self._title_blocks()
        tagged = language.tag(
            block.text for block in (*page, *titled)
        )  # at once: a short text alone costs as much as a page
        tagged, of_title = tagged[: len(page)], tagged[len(page) :]
        headings = tuple(block.text for line in self._chunk.headings for block in blocks(f"# {line}"))
        around = Around(self._chunk.title, headings, self._chunk.table)
        self._resume = is_resume(page, around)
        laid = lay_out(page, tagged, around, resume=self._resume)
        passages = [
            _Passage(one.block, doc, spans, form=None if spans else one.form)
            for one, doc, spans in zip(laid, tagged, foreign, strict=True)
        ]
        self._name(passages)
        root = self._title_member(titled, of_title)
        self._outline(passages, Outline(root), headings)
        self._root = root
        self._discourse = Discourse(self._cast, root)
        for passage in passages:
            self._read(passage)
        return self._draft.extraction(self._cast)

    def _title_blocks(self) -> list[Block]:
        """Return the document's title as a heading to find names in, unless it says itself whose document it is."""
        title = self._chunk.title
        return blocks(f"# {bare_title(title)}") if title.strip() and owner_of(title) is None else []

    def _title_member(self, page: list[Block], tagged: list[Doc]) -> Member | None:
        """Return what the document's title names, if it is one thing."""
        owner = owner_of(self._chunk.title) if self._chunk.title.strip() else None
        if owner is not None:
            return self._cast.meet(owner, "person", Trust.CUE)
        found = [
            self._cast.meet(name.text, name.type, name.trust)
            for block, doc in zip(page, tagged, strict=True)
            for name in names.spot(block, doc, self._cast.familiar)
        ]
        return found[0] if len(found) == 1 else None

    def _name(self, passages: list[_Passage]) -> None:
        """Find the names in two rounds: what is a name in the middle of a sentence is one at its start and in a heading too."""
        familiar = self._cast.familiar
        title = document_title.of_title(bare_title(self._chunk.title), self._chunk.text)
        kind = document_title.kind_of_title(self._chunk.title)
        for _ in range(2):
            for passage in passages:
                passage.names = _names(passage, familiar, title, kind)
            familiar |= names.texts(name for passage in passages for name in passage.names)
        for passage in passages:
            passage.titles = list(titles(passage.block.text, passage.names))
            bearers = [title.bearer for title in passage.titles]
            passage.names = [
                replace(name, type="person", trust=Trust.CUE) if name in bearers and name.type != "person" else name
                for name in passage.names
                if not is_title(name, passage.titles)
            ]
        for maiden in (one for passage in passages for one in passage.titles if one.alias):
            self._cast.equate(maiden.bearer.text, maiden.alias or "")
        beside = [dict(asides(passage.block.text, passage.names)) for passage in passages]
        for passage, found in zip(passages, beside, strict=True):
            for index, aside in found.items():
                if aside.alias:
                    self._cast.equate(passage.names[index].text, aside.alias)
        for passage, found in zip(passages, beside, strict=True):
            self._meet(passage, found)

    def _meet(self, passage: _Passage, beside: dict[int, Aside]) -> None:
        if (spoken := passage.block.speaker) is not None:
            passage.speaker = self._cast.meet(spoken.name, "person", Trust.CUE)
            passage.speaker.spans.append(Span(spoken.start, spoken.end))
            passage.speaker.quote = passage.speaker.quote or spoken.name
        for index, name in enumerate(passage.names):
            another = _OF_KIN.search(passage.block.text, max(name.start - 40, 0), name.start) is not None
            member = self._cast.meet(name.text, name.type, name.trust, another=another)
            first, last = passage.block.place(name.start, name.end)
            member.spans.append(Span(first, last))
            member.quote = member.quote or self._chunk.text[first:last]
            passage.members.append(member)
            if index in beside:
                whose, aside = whose_life(passage.block.text, passage.names, index, beside[index])
                passage.asides.append((passage.members[whose], aside))

    def _outline(self, passages: list[_Passage], outline: Outline, headings: tuple[str, ...]) -> None:
        for level, heading in enumerate(headings, 1):
            outline.stand_under(level, self._cast.find(bare_title(heading)))
        for passage in passages:
            lone = passage.form is None and passage.speaker is None and passage.block.kind is Kind.PROSE
            if lone and [name.text for name in passage.names] == [passage.block.text]:
                passage.block = replace(passage.block, kind=Kind.HEADING, level=1)  # a name on a line of its own
            if passage.block.kind is Kind.HEADING:
                outline.enter(passage.block, list(dict.fromkeys(passage.members)))
            passage.topic = passage.speaker or outline.topic

    def _read(self, passage: _Passage) -> None:
        block = passage.block
        if block.kind is not Kind.ITEM:
            self._lead = None
        if passage.speaker is not self._speaker:
            self._speaker = passage.speaker
            self._discourse = Talk(passage.speaker) if passage.speaker else Discourse(self._cast, self._root)
        for start, end in passage.foreign:
            self._draft.quote = self._draft.quote_of(block, start, end)
            self._draft.reject("sentence", {}, _NOT_ENGLISH)
        if passage.foreign == [(0, len(block.text))]:
            return
        self._draft.quote, self._draft.witness = self._draft.quote_of(block, 0, len(block.text)), None
        if passage.form is not None:
            pairs = list(zip(passage.names, passage.members, strict=True))
            passage.form.state(passage.topic, pairs, self._cast, self._draft)
            if block.kind is Kind.HEADING:
                self._discourse.head(passage.topic)
            return
        if block.kind is Kind.HEADING:
            self._discourse.head(passage.topic)
            return
        named = [(name.start, member) for name, member in zip(passage.names, passage.members, strict=True)]
        cited = quoted(passage.doc)
        if passage.titles and not cited:
            state_titles(passage.titles, zip(passage.names, passage.members, strict=True), self._draft)
        for member, aside in passage.asides:
            if not any(passage.doc[index].idx == aside.start for index in cited):
                state_life(member, aside, self._draft)
                within = [(n.start, n.end, m) for n, m in zip(passage.names, passage.members, strict=True)]
                beside = [one for one in within if aside.start < one[0] < aside.end]
                state_places(member, aside, block.text, beside, self._draft)
        if passage.speaker is None and read_field(block, passage.topic, named, self._draft):
            return
        spans = [(name.start, name.end, member) for name, member in zip(passage.names, passage.members, strict=True)]
        if passage.speaker is None and read_gloss(block, passage.doc, spans, self._draft):
            return
        of_self = self._author(passage) is not None and speaks_of_self(block.text)
        if not passage.names and not _REFERS.search(block.text) and not of_self and not self._implies(passage):
            self._discourse.begin(None)
            return
        self._draft.witness = Witness(passage.doc, zip(passage.names, passage.members, strict=True))
        pieces = self._fold(passage)
        for doc in language.parse([spaced(pieces)]):
            reading = Reading(block, tuple(pieces), doc)
            for sentence in doc.sents:
                self._read_sentence(reading, sentence)

    def _author(self, passage: _Passage) -> Member | None:
        """Return whom "I" means: who speaks, or whose résumé it is."""
        owner = passage.topic if self._resume and passage.topic is not None and passage.topic.type == "person" else None
        return passage.speaker or owner

    def _implies(self, passage: _Passage) -> bool:
        return bool(opening(passage.block, passage.doc, passage.topic, self._lead))

    def _fold(self, passage: _Passage) -> list[Piece]:
        text = passage.block.text
        meanings: list[Meaning] = [(one.start, one.end, one) for one in periods(text)]
        meanings += [(one.start, one.end, one) for one in amounts(text)]
        meanings += [
            (name.start, name.end, member) for name, member in zip(passage.names, passage.members, strict=True)
        ]
        meanings += self._within(passage)
        left_out = [(aside.start, aside.end) for _, aside in passage.asides]
        left_out += interruptions(passage.doc, passage.names)
        left_out += [(title.start, title.end) for title in passage.titles]
        if (placed := dateline(text, passage.names)) is not None:
            left_out.append(placed)
        left_out += later_datelines(text)
        if passage.names and passage.names[0].start == 0 and (joint := joint_of(passage.block, passage.names[0].end)):
            left_out.append(joint)
        pieces = fold(passage.doc, meanings, left_out + passage.foreign)
        implied = opening(passage.block, passage.doc, passage.topic, self._lead)
        pieces = [*implied, *lowered(pieces)] if implied else pieces
        author = self._author(passage)
        return voiced(pieces, author) if author is not None else pieces

    def _within(self, passage: _Passage) -> list[Meaning]:
        """Relate "Oslo, Norway" and return it as one place, the first; a list of places goes on after the second."""
        pairs = zip(passage.names, passage.members, strict=True)
        found: list[Meaning] = []
        cited = quoted(passage.doc)
        chained = list(pairwise(pairs))
        for index, ((name, place), (after, around)) in enumerate(chained):
            beyond = _region_beyond(passage.block.text, [pair[1] for pair in chained[index:]])
            text, paired = passage.block.text, found[-1][1] if found else -1
            if index and _is_one_of_three(text, chained[index - 1][0][0], name, after, paired):
                continue
            if are_apart(name.text, after.text) or is_list(text, passage.names, index):
                continue
            if name.first not in cited and _lies_in(text, name, after, place, around, beyond):
                self._draft.relate(place, "LOCATED_IN", around)
                end = beyond.end if beyond is not None and place.type == "organization" else after.end
                if found and found[-1][1] == name.end:  # Calgary, Alberta, Canada
                    found[-1] = (found[-1][0], end, found[-1][2])
                elif not found or found[-1][1] < name.start:
                    found.append((name.start, end, place))
        return found

    def _read_sentence(self, reading: Reading, sentence: SpacySpan) -> None:
        start, end = reading.place(sentence)
        self._draft.quote = self._chunk.text[start:end].strip()
        resolved: dict[int, Member] = {}
        self._discourse.turn()
        for token in sentence:
            member = self._discourse.resolve(reading, token)
            if member is not None:
                resolved[token.i] = member
                self._discourse.mention(member)
        if "?" not in sentence.text[-4:]:
            appositions(reading, sentence, resolved, self._draft)
            nominals(reading, sentence, resolved, self._draft)
        for clause in clauses(sentence):
            self._read_clause(reading, clause, resolved, announces=sentence.text.endswith(":"))

    def _read_clause(self, reading: Reading, clause: Clause, resolved: dict[int, Member], *, announces: bool) -> None:
        for token in clause.subjects:
            subject = resolved.get(token.i) or _apposed(token, resolved, clause.verb)
            if subject is None:
                self._reject_pronoun(clause, token, resolved)
                if token.pos_ in {"NOUN", "PROPN"} and clause.verb.dep_ in {"ROOT", "conj"}:
                    self._discourse.begin(None)
                continue
            self._discourse.begin(subject)
            if clause.doubt:
                continue
            if announces:
                self._lead = lead_of(subject, clause.verb)
                continue
            scene = Scene(reading, clause, subject, resolved)
            for rule in _RULES:
                rule(scene, self._draft)

    def _reject_pronoun(self, clause: Clause, token: Token, resolved: dict[int, Member]) -> None:
        """Keep a claim about somebody that a pronoun leaves unknown."""
        targets = [member.name for one in clause.complements if (member := resolved.get(one.token.i)) is not None]
        if targets and not clause.doubt and is_pronoun(token):
            item = {"subject": token.text, "verb": clause.verb.text, "targets": targets}
            self._draft.reject("relationship", item, f"nothing named before fits the pronoun {token.text!r}")


_OF_KIN = re.compile(rf"\b(?:{'|'.join(sorted(vocabulary.KIN))})\s(?:of|to)\s(?:(?:the\s)?(?!and\b)[\w.]+\s){{0,3}}$")
"""What stands before a relative of whom has been named so far: "Verner was the son of Sir Edward Verner"."""
_NAMING = frozenset({"name", "nickname", "pseudonym", "title", "word", "surname", "alias", "character", "role"})


def _titles(text: str, end: int) -> bool:
    """Tell whether a role follows, so that the name is somebody's employer: "in Raleigh, TXI CEO Ada Roe"."""
    word = re.match(r" ([\w-]+)", text[end : end + 24])
    if word is None:
        return False
    role = word[1].lower()
    return any(role in known for known in (vocabulary.TITLES, vocabulary.TITLE_ROLES, vocabulary.words("roles")))


def _apposed(token: Token, resolved: dict[int, Member], verb: Token) -> Member | None:
    """Return whom a subject stands beside: "her brother Bob"; behind other words, "the boss of the firm Acme", they may stand beside those."""
    if token.lemma_ in _NAMING:
        return None  # "her artist name, Pia Berg, was based on"
    end = verb.i if token.i < verb.i else len(token.doc)  # "the stores are in Oslo; Bergen" names none
    named = (child for child in token.children if child.dep_ == "appos" and child.i in resolved)
    beside = (child for child in named if token.i < child.i < end)
    return next((resolved[child.i] for child in beside if _adjoins(token, child)), None)


def _adjoins(noun: Token, name: Token) -> bool:
    """Tell whether a name stands right behind a noun, or is set off by a comma or a bracket."""
    before = name.doc[name.left_edge.i - 1]
    return before == noun or before.is_punct or before.is_bracket or before.is_quote


_REALM = re.compile(r"\b(?:prince|princess|king|queen|duke|duchess|count|countess|earl) of $", re.IGNORECASE)
_OPENED = re.compile(r"(?:^|[.!?]\s)[A-Z][a-z]+(?:ed|t|n)\s(?:\w+\s){1,3}$")
_GOES_ON = re.compile(r" (?:is|was|has|had|[a-z]+(?:s|ed))\b")
"""What stands before a place and behind the subject of the sentence: "Located in Ash Park, Lind House was"."""
_BESIDES = re.compile(r"(?:^|[.!?]\s)(?:In addition to|Unlike|Besides|Apart from|Aside from|Along with|Like)\s$")
_WIDE = ("Region", "Province", "Oblast")
_LIST_GOES_ON = re.compile(
    r",? (?:and|or|&) (?:other\b|(?:the )?[A-Z])"
    r"|, (?:the )?(?!(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)(?:ust|ember|ober)?\b)[A-Z]"
)


def _is_one_of_three(text: str, before: Name, name: Name, after: Name, paired: int) -> bool:
    """Tell whether a name stands in a list that "and" ends: "Oslo, Caracas, Washington D.C., and Miami"; `paired`: where the pair before ends."""
    listed = text[before.end : name.start] == ", " and before.end != paired
    return listed and re.match(r", and (?:the )?[A-Z]", text[after.end : after.end + 12]) is not None


def _region_beyond(text: str, row: list[tuple[Name, Member]]) -> Name | None:
    """Return the region or state that ends a row of places behind its first: "Xi'an, Shaanxi, China"."""
    last = None
    for (before, _), (name, place) in pairwise(row):
        if text[before.end : name.start] != ", ":
            break
        if place.type != "place" and name.text not in vocabulary.STATES:
            break
        last = name if name.text in vocabulary.regions() or name.text in vocabulary.STATES else last
    return last


def _lies_in(text: str, name: Name, after: Name, place: Member, around: Member, beyond: Name | None = None) -> bool:
    """Tell whether the second of two names is where the first one is: "Oslo, Norway"; a list of places has none.

    `beyond` is the region that ends the row: "Ash University, Dallas, Texas" is no list of places.
    """
    if text[name.end : after.start] != ", " or place.type not in {"place", "organization"}:
        return False
    if after.text in vocabulary.STATES and place.type == "place":
        around.learn("place", Trust.LIST)
        return True
    if around.type != "place" or text[after.end : after.end + 2] in {"'s", "’s"}:
        return False  # "Acme, Europe's largest airline"
    if text.startswith("-", after.end) and after.text not in vocabulary.regions():
        return False  # "Acme, Oslo-based Beta"
    if _BESIDES.search(text, 0, name.start):
        return False  # "Unlike Acme, Beta"
    if _REALM.search(text, max(name.start - 12, 0), name.start) or name.text.endswith(_WIDE):
        return False  # the Princess of Wales, Augusta; in Cusco Region, Canchis Province
    if _OPENED.search(text, max(name.start - 40, 0), name.start) and _GOES_ON.match(text, after.end):
        return False
    regions = vocabulary.regions()
    campus = place.type == "organization" and name.text.split()[0] == "University"
    if (around.trust <= Trust.RECOGNISER and not campus) or (around.trust < Trust.LIST and _titles(text, after.end)):
        return False
    known = place.type == "place" and around.name in regions and place.name not in regions
    if place.type == "organization" and beyond is not None:
        return after.text not in regions and _LIST_GOES_ON.match(text, beyond.end) is None
    return known or _LIST_GOES_ON.match(text, after.end) is None


def _names(passage: _Passage, familiar: frozenset[str], title: str, kind: str | None) -> list[Name]:
    own = passage.form.names(passage.block, passage.doc) if passage.form is not None else None
    if own is not None:
        return own
    found = bound(passage.doc, names.spot(passage.block, passage.doc, familiar, title, kind))
    return [name for name in found if not passage.is_foreign(name.start)]
