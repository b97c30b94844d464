"""Writing claims: the same claim gains evidence instead of a row.

A claim joins what says the same already, of a time when that holds, and stands by other evidence; else what stood by an earlier
revision of its own document, or was retracted because nothing said it any more; what a person has put otherwise only where this very
document had stood for it: a person's decision outlasts the document's next revision. What was rejected takes in whatever extraction
says it again, and stays rejected; what a person has retracted stays so for the documents that had said it, and waits for a person where
another one does. Either comes back under its own id when a person who is sure states it. The rest becomes new rows. A relationship stated
from its other end (A EMPLOYS B, where B WORKS_AT A is stored) says the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from server import models
from server.ids import NodeKind
from server.services.apart import note
from server.services.claims import (
    Claim,
    ClaimKind,
    Period,
    Said,
    Written,
    combined_confidence,
    held_period,
    highest,
    status_for,
)
from server.services.contradiction import Pair, pairs_of, reconsider
from server.services.doubts import Turn, follow
from server.services.indexing import Embedded
from server.services.predicates import Vocabulary, register, vocabulary
from server.services.returns import find_returns
from server.services.standing import Standing, settle
from server.store import Transaction
from server.store.records import EvidenceRecord, FactRecord, RelationshipRecord
from server.terms import ChangeKind, ClaimStatus, Origin

__all__ = ["NOTHING", "Replaced", "write_claims"]


@dataclass(frozen=True, slots=True)
class Replaced:
    """What an earlier reading of a document stands for: its claims, each without the evidence of that reading, by their ids.

    `corrected` are those that a person has put otherwise since, under what made them the same as another, with when they
    held then. `texts` has the hash of the text that was read then, by the document's id.
    """

    standings: Mapping[UUID, Standing]
    corrected: Mapping[tuple[Any, ...], Sequence[tuple[Period, Standing]]]
    texts: Mapping[UUID, str]

    def of(self, kind: ClaimKind) -> list[Standing]:
        """Return those of one kind."""
        return [standing for standing in self.standings.values() if standing.kind is kind]


NOTHING = Replaced({}, {}, {})
NOT_MERGED: Mapping[UUID, UUID] = {}


@dataclass(slots=True)
class _Candidate:
    """A claim that may be the one that is stated: a stored one, or one that is new in this call."""

    rank: int
    period: Period
    key: tuple[Any, ...]
    standing: Standing | None = None
    new: Claim | None = None

    @property
    def id(self) -> UUID:
        """The claim's id."""
        found: Any = self.new if self.standing is None else self.standing.claim
        id: UUID = found.id
        return id

    @property
    def ends(self) -> tuple[UUID, ...]:
        """The entities that it was stated for."""
        if self.standing is None:
            return () if self.new is None else self.new.ends
        return self.standing.kind.stated_ends(self.standing.claim)

    @property
    def over(self) -> bool:
        """Whether something else holds in its place."""
        return self.standing is not None and self.standing.claim.superseded_by is not None

    def take(self, claim: Claim) -> None:
        """Add what a claim brings to this one, which it may be stated from the other end of."""
        if claim.key != self.key:
            claim.turn_said()
        if self.new is not None:
            self.new.joined(claim)
        elif self.standing is not None:
            self.standing.said += claim.said
            if self.rank == _RETRACTED or (self.rank == _REJECTED and _is_sure(claim)):
                self.standing.reopened = True
            if self.rank in (_ALONE, _LOST, _RETRACTED):
                self.standing.anew, self.period, self.rank = claim, claim.period, _STANDS
        self.period = self.period if self.period.dated else claim.period


_STANDS, _ALONE, _LOST, _TAKEN_BACK, _CORRECTED, _REJECTED, _RETRACTED = range(7)


async def write_claims(
    tx: Transaction,
    kind: ClaimKind,
    claims: Sequence[Claim],
    embedded: Embedded,
    *,
    fresh: frozenset[UUID] = frozenset(),
    bulk: bool = False,
    replaced: Replaced = NOTHING,
    survivors: Mapping[UUID, UUID] = NOT_MERGED,
) -> list[Written]:
    """Write claims of one kind, in order; each is inserted, or adds its evidence to the same claim that is there.

    `survivors` says of the entities that the claims were stated for what the merged ones among them count as.

    `fresh` are entities made in this transaction: nothing can be stored about them yet. `bulk` logs one entry for all.
    Of the claims of `replaced`, those that are not stated again lose the evidence of the earlier reading. What they compete with
    is judged anew. A few reads, whatever the number of claims; none where all subjects are fresh.
    """
    for claim in claims if survivors else ():
        claim.count_for(survivors)
    types = (claim.key[2] for claim in claims) if kind.node is NodeKind.RELATIONSHIP else ()
    words = await vocabulary(tx, types)
    for claim in claims:
        _store_as(claim, words)
    known = await _known(tx, kind, claims, fresh, replaced, words)
    periods = {claim.key: [one.period for one in known[_key(kind, claim.key, words)]] for claim in claims}
    returns = await find_returns(tx, kind, claims, periods, fresh)
    written: list[Written] = []
    inserted: list[Claim] = []
    met: dict[UUID, Standing] = {standing.claim.id: standing for standing in replaced.of(kind)}
    for claim in claims:
        key = _key(kind, claim.key, words)
        same = _same([one for one in known[key] if not returns.part(kind, claim, one.period)], claim)
        if same is None:
            known[key].append(_Candidate(_STANDS, claim.period, claim.key, new=claim))
            inserted.append(claim)
        else:
            same.take(claim)
            if same.standing is not None:
                met[same.id] = same.standing
        written.append(Written(claim.id if same is None else same.id, same is not None))
    turns = _insert(tx, kind, inserted, embedded, bulk)
    await _complete(tx, kind, [s for id, s in met.items() if id not in replaced.standings])
    turns += await settle(tx, list(met.values()), replaced.texts)
    await follow(tx, turns)
    if kind.node is NodeKind.FACT:
        await register(tx, (claim.columns["predicate"] for claim in inserted))
    else:
        await register(tx, (claim.columns["type"] for claim in inserted), words)
    moved = await reconsider(tx, kind, _touched(kind, inserted, met.values(), fresh))
    return [Written(*moved.get((one.id, claim.period.start), one)) for claim, one in zip(claims, written, strict=True)]


def _store_as(claim: Claim, words: Vocabulary) -> None:
    """State a relationship as it is stored: by the name of which a subject has one, where its inverse is that."""
    if claim.kind.node is NodeKind.FACT:
        return
    turned = words.turned(claim.key)
    if turned is not None and words.stored_by(claim.key[2]) != claim.key[2]:
        claim.turn(turned)
    claim.columns["mutual"] = words.is_mutual(claim.key[2])


def _key(kind: ClaimKind, key: tuple[Any, ...], words: Vocabulary) -> tuple[Any, ...]:
    """Return what makes a claim the same as another, whichever end it is stated from."""
    return key if kind.node is NodeKind.FACT else words.key(key)


def _touched(kind: ClaimKind, inserted: Sequence[Claim], met: Iterable[Standing], fresh: frozenset[UUID]) -> set[Pair]:
    """Return the subjects and predicates whose claims may compete now: not those of a new subject that has just one."""
    alone = Counter(pair for claim in inserted for pair in pairs_of(kind, [claim.columns]))
    new = {pair for pair, number in alone.items() if number > 1 or pair[0] not in fresh}
    return new | pairs_of(kind, [standing.claim for standing in met])


def _same(candidates: Sequence[_Candidate], claim: Claim) -> _Candidate | None:
    """Return the candidate that says the same at a time when the claim holds; of several the one that stands firmest, stated for the same."""
    fit = [candidate for candidate in candidates if candidate.period.overlaps(claim.period)]
    return min(
        fit,
        key=lambda c: (c.rank, c.ends != claim.ends, c.rank > _STANDS and c.period != claim.period, c.over),
        default=None,
    )


def _is_sure(claim: Claim) -> bool:
    """Return whether a person states a claim who is sure of it."""
    by_hand = any(said.support.origin is Origin.STATED for said in claim.said)
    return by_hand and _weight(claim.said)["status"] != ClaimStatus.PENDING_REVIEW


async def _known(
    tx: Transaction,
    kind: ClaimKind,
    claims: Sequence[Claim],
    fresh: frozenset[UUID],
    replaced: Replaced,
    words: Vocabulary,
) -> defaultdict[tuple[Any, ...], list[_Candidate]]:
    found: defaultdict[tuple[Any, ...], list[_Candidate]] = defaultdict(list)
    for record in await _stored(tx, kind, claims, fresh, words):
        earlier = replaced.standings.get(record.id)
        standing = earlier or Standing(kind, record)
        taken_back = _TAKEN_BACK if earlier is not None else _RETRACTED if standing.retracted else _REJECTED
        rank = taken_back if standing.taken_back else _LOST if standing.lost else _STANDS
        period = held_period(record)
        if earlier is not None and rank == _STANDS:
            rank, period = (_STANDS, earlier.period) if earlier.left else (_ALONE, period)
        found[_key(kind, kind.key_of(record), words)].append(_Candidate(rank, period, kind.key_of(record), standing))
    stated = {_key(kind, claim.key, words) for claim in claims}
    for before, corrected in replaced.corrected.items():
        # A fact's key has two parts, a relationship's three.
        key = _key(kind, before, words) if len(before) == len(kind.key_columns) else None
        if key in stated:
            found[key] += [_Candidate(_CORRECTED, period, before, one) for period, one in corrected]
    return found


async def _stored(
    tx: Transaction, kind: ClaimKind, claims: Sequence[Claim], fresh: frozenset[UUID], words: Vocabulary
) -> Sequence[FactRecord | RelationshipRecord]:
    """Return the stored claims that may say what one of these does; none can about fresh entities."""
    subjects = list(dict.fromkeys(claim.key[0] for claim in claims if claim.key[0] not in fresh))
    if kind.node is NodeKind.FACT:
        return await tx.read.same_facts(subjects, {claim.key[1] for claim in claims})
    stored = await tx.read.same_relationships(subjects, {claim.key[2] for claim in claims})
    turned = {words.turned(claim.key) for claim in claims if fresh.isdisjoint(claim.key[:2])}
    edges = {edge for edge in turned if edge is not None}
    met = {row.id for row in stored}
    others = await tx.read.relationships_between({edge[:2] for edge in edges}, {edge[2] for edge in edges})
    return [*stored, *(row for row in others if row.id not in met)]


async def _complete(tx: Transaction, kind: ClaimKind, standings: Sequence[Standing]) -> None:
    lists = await tx.read.lists(EvidenceRecord, kind.evidence, [standing.claim.id for standing in standings], "id")
    for standing, evidence in zip(standings, lists, strict=True):
        standing.read(evidence)


def _weight(said: Sequence[Said]) -> dict[str, Any]:
    """Return how sure evidence makes a new claim."""
    support = [one.support for one in said]
    confidence = combined_confidence((s.document_id, s.confidence) for s in support)
    authority = highest(s.authority for s in support)
    return {"confidence": confidence, "status": status_for(confidence), "authority": authority}


def _insert(tx: Transaction, kind: ClaimKind, claims: Sequence[Claim], embedded: Embedded, bulk: bool) -> list[Turn]:
    turns = []
    for claim in claims:
        columns = {**claim.columns, **claim.period.columns(), **_weight(claim.said)}
        tx.insert(kind.model, id=claim.id, **columns)
        turns.append(Turn.made(kind.node, claim.id, columns))
        ids = [
            tx.insert(models.Evidence, **{kind.evidence: claim.id}, **said.columns(claim.words, claim.ends))
            for said in claim.said
        ]
        own = [(id, said) for id, said in zip(ids, claim.said, strict=True) if said.ends == claim.ends]
        if len(own) < len(ids):  # the rest names what has been merged with the entities that it is about
            period = next((said.period for _, said in own if said.period.dated), Period())
            alone = {**period.columns(), **_weight([said for _, said in own])}
            note(tx, kind, claim.id, alone, [id for id, _ in own])
        if kind.node is NodeKind.FACT:
            embedded.put(tx, NodeKind.FACT, claim.id, claim.text)
        if not bulk:
            tx.log(ChangeKind.CREATED, kind.node, claim.id, after={n: columns.get(n) for n in kind.logged})
    if bulk:
        tx.log_batch(ChangeKind.CREATED, [(kind.node, claim.id) for claim in claims])
    return turns
