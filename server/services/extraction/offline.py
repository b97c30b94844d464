"""The offline extractor: spaCy's small model and rules, precise rather than greedy, without network or key.

A chunk goes through one line of steps: blocks, names, folding, parse, and for each asserted clause the rules in order. Each step
lives in a module of its own; this one only leads through them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spacy.tokens import Doc
from spacy.tokens import Span as SpacySpan

from server.services.extraction import language, names
from server.services.extraction.cast import Cast, Member
from server.services.extraction.clauses import Clause, clauses
from server.services.extraction.coreference import Discourse
from server.services.extraction.draft import Draft
from server.services.extraction.employment import employment
from server.services.extraction.markup import Block, blocks
from server.services.extraction.money import amounts
from server.services.extraction.periods import periods
from server.services.extraction.protocol import ChunkText, Extraction, Span
from server.services.extraction.reading import Meaning, Piece, Reading, fold, spaced
from server.services.extraction.relations import edges, skills
from server.services.extraction.sentence import Scene
from server.services.extraction.statements import dates, definitions, prices, statements

_RULES: tuple[Callable[[Scene, Draft], None], ...] = (employment, skills, edges, prices, definitions, dates, statements)


_PLANS = re.compile(r"\b(?:plan|tier|edition|subscription)s?\b", re.IGNORECASE)


class OfflineExtractor:
    """Reads English prose with rules over spaCy's small model. Deterministic; text in other languages mostly yields nothing."""

    name = "offline-1"

    def extract(self, chunk: ChunkText) -> Extraction:
        """Return what `chunk` says; linear in its length, about a millisecond a sentence once the model is loaded."""
        return _Chunk(chunk).extraction()


class _Chunk:
    """The state of one extraction."""

    def __init__(self, chunk: ChunkText) -> None:
        self._chunk = chunk
        self._cast = Cast(chunk.known)
        self._draft = Draft()
        self._discourse = Discourse(self._cast, None)

    def extraction(self) -> Extraction:
        page = blocks(self._chunk.text)
        self._cast.plans = self._cast.plans or any(_PLANS.search(block.text) for block in page)
        tagged = language.tag(block.text for block in page)
        folded = [self._fold(block, doc) for block, doc in zip(page, tagged, strict=True)]
        parsed = language.parse(spaced(pieces) for pieces in folded)
        for block, pieces, doc in zip(page, folded, parsed, strict=True):
            self._read(Reading(block, tuple(pieces), doc))
        return self._draft.extraction(self._cast)

    def _fold(self, block: Block, doc: Doc) -> list[Piece]:
        meanings: list[Meaning] = [(one.start, one.end, one) for one in periods(block.text)]
        meanings += [(one.start, one.end, one) for one in amounts(block.text)]
        for name in names.spot(block, doc, self._cast.familiar):
            member = self._cast.meet(name.text, name.type, name.trust)
            member.spans.append(Span(*block.place(name.start, name.end)))
            meanings.append((name.start, name.end, member))
        return fold(doc, meanings)

    def _read(self, reading: Reading) -> None:
        for sentence in reading.doc.sents:
            start, end = reading.place(sentence)
            self._draft.quote = self._chunk.text[start:end].strip()
            self._read_sentence(reading, sentence)

    def _read_sentence(self, reading: Reading, sentence: SpacySpan) -> None:
        resolved: dict[int, Member] = {}
        for token in sentence:
            member = self._discourse.resolve(reading, token)
            if member is not None:
                resolved[token.i] = member
                self._discourse.mention(member)
                member.quote = member.quote or self._draft.quote
        for clause in clauses(sentence):
            self._read_clause(reading, clause, resolved)

    def _read_clause(self, reading: Reading, clause: Clause, resolved: dict[int, Member]) -> None:
        if clause.doubt:
            return
        for token in clause.subjects:
            subject = resolved.get(token.i)
            if subject is None:
                continue
            scene = Scene(reading, clause, subject, resolved)
            for rule in _RULES:
                rule(scene, self._draft)
            self._discourse.begin(subject)
