"""Standings: what the evidence that counts makes of a stored claim.

Confidence, authority, status, words and dates follow from it. A claim that nothing supports any more is RETRACTED, its
reason NO_LONGER, and comes back under its own id as soon as anything says it again; what a person took back stays so. Where another source
says that, a person is asked: it is `withheld`, rests on what is said since, and is retracted as before where that goes again.
Evidence that counts no more stays as it is: it points into its own revision of its document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from server import models
from server.ids import NodeKind
from server.services.apart import note_new
from server.services.claims import (
    GONE,
    Claim,
    ClaimKind,
    Period,
    Said,
    change_claim,
    combined_confidence,
    covering,
    highest,
    period_of,
    status_for,
    words_of,
)
from server.services.doubts import Turn
from server.services.indexing import fact_text
from server.services.spans import Correction, periods_of
from server.store import Transaction
from server.store.records import DocumentRecord, EntityRecord, EvidenceRecord
from server.terms import ChangeKind, ClaimStatus, Origin

__all__ = ["JOINED", "NO_LONGER", "TAKEN_BACK", "Standing", "origins", "settle"]

NO_LONGER = "no longer in its source"
TAKEN_BACK = "A person has retracted it"
JOINED = "counted with the same claim of an earlier date"
_TAKEN = {NodeKind.FACT: ("content", "category", "value", "importance"), NodeKind.RELATIONSHIP: ("description",)}
_BY_HAND = {NodeKind.FACT: (), NodeKind.RELATIONSHIP: ("strength", "bidirectional", "properties")}
Origins = Mapping[UUID, str]


@dataclass(slots=True)
class Standing:
    """A stored claim while its evidence changes.

    `evidence` are all its rows, `left` those of them that count after the change, `said` what is said now, `added` what of
    that is new. `anew` is the first thing said of a claim that nothing else supports: the claim takes over what that says.
    `reopened`: it was taken back, and is said again by another source, or by a person who is sure.
    """

    kind: ClaimKind
    claim: Any
    evidence: list[EvidenceRecord] = field(default_factory=list)
    left: list[EvidenceRecord] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    added: list[Said] = field(default_factory=list)
    anew: Claim | None = None
    reopened: bool = False

    @property
    def lost(self) -> bool:
        """Whether it was retracted because nothing supports it any more, or another one has its evidence."""
        return bool(self.claim.status == ClaimStatus.RETRACTED and self.claim.status_reason in (JOINED, NO_LONGER))

    @property
    def taken_back(self) -> bool:
        """Whether a person took it back."""
        return self.claim.status in GONE and not self.lost

    @property
    def retracted(self) -> bool:
        """Whether a person has retracted it."""
        return self.taken_back and self.claim.status == ClaimStatus.RETRACTED

    @property
    def withheld(self) -> bool:
        """Whether it waits because a person had retracted it, however sure it is."""
        reason = self.claim.status_reason or ""
        return bool(self.claim.status == ClaimStatus.PENDING_REVIEW and reason.startswith(TAKEN_BACK))

    @property
    def edited(self) -> bool:
        """Whether a person has had a word in it without pointing to a document."""
        return any(row.document_id is None for row in self.evidence)

    def read(self, evidence: Sequence[EvidenceRecord]) -> None:
        """Take in the evidence as it is stored."""
        self.evidence = list(evidence)
        self.left = [row for row in evidence if row.live]

    def compare(self, folded: Mapping[UUID, Any]) -> None:
        """Tell apart what is new of what is said now; what is evidence already, word for word, counts again.

        `folded` are the claims, by their ids, that this one counts for as well.
        """
        if self.reopened and self.retracted:
            known = {row.document_id for row in self.evidence} - {None}
            if any(said.support.document_id not in known for said in self.said):
                self.left, self.added = [], list(self.said)  # what it rested on before counts no more
                return
            self.reopened, self.anew = False, None
        own = self.kind.stated_ends(self.claim)
        names = {row.id: self._names(row, folded.get(row.stated_id or self.claim.id)) for row in self.evidence}
        for said in self.said:
            alike = (r for r in self.evidence if r.live and names[r.id] == (said.ends or own) and _is_there(said, r))
            row = next(alike, None)
            if row is None:
                self.added.append(said)
            elif row not in self.left:
                self.left.append(row)
        self.left.sort(key=lambda row: row.id)

    def _names(self, row: EvidenceRecord, other: Any | None) -> tuple[UUID, ...]:
        """Return the entities that evidence names, as this claim has them: `other`, which it belongs to, may have been stated from the other end."""
        counts = [[getattr(one, end) for end in self.kind.ends] for one in (self.claim, other or self.claim)]
        named = _named(row) or self.kind.stated_ends(other or self.claim)
        return named if counts[0] == counts[1] else named[::-1]

    def turned(self, live: bool) -> list[EvidenceRecord]:
        """Return the evidence that counts from now on and did not, or the other way round."""
        counting = {row.id for row in self.left}
        return [row for row in self.evidence if row.live is not live and (row.id in counting) is live]

    def names_others(self) -> bool:
        """Whether what is added names other entities than the claim was stated for."""
        own = self.kind.stated_ends(self.claim)
        return any(said.ends and said.ends != own for said in self.added)

    @property
    def period(self) -> Period:
        """When it holds: as all of its evidence says, whatever the order; what a person had a word in keeps its dates where that has none."""
        last = Correction.among(self.left, self.evidence)
        put_right = frozenset[UUID | None]() if last is None else last.documents
        fresh = (said.period for said in self.said if said.support.document_id not in put_right)
        found = covering([*periods_of(self.left, self.evidence), *fresh])
        return period_of(self.claim) if self._by_hand and not found.dated else found

    @property
    def words(self) -> str | None:
        """How it is put: as before where a source still puts it so or a person had a word in it, else as the first one does."""
        now = words_of(self.claim)
        said = [*(now if row.said is None else row.said or None for row in self.left), *(s.words for s in self.added)]
        return now if self._by_hand or now in said or not said else said[0]

    @property
    def _by_hand(self) -> bool:
        return any(row.origin == Origin.STATED for row in self.left) or any(
            said.support.origin is Origin.STATED for said in self.added
        )

    def columns(self, before: Origins, now: Origins) -> dict[str, Any]:
        """Return the columns that the evidence makes. `before` and `now` name what a document is a copy of: copies count once."""
        if self.taken_back and not self.reopened:
            return {}
        if not self.left and not self.added and self.withheld:
            return {"status": ClaimStatus.RETRACTED.value, "status_reason": _reason_before(self.claim.status_reason)}
        if not self.left and not self.added:
            return {} if self.lost else {"status": ClaimStatus.RETRACTED.value, "status_reason": NO_LONGER}
        reason = {"status_reason": None} if self.lost or self.reopened or self.withheld else {}
        return {**reason, **self._weight(before, now), **self._contents()}

    def _weight(self, before: Origins, now: Origins) -> dict[str, Any]:
        """Return how sure the evidence makes it; nothing where that is as it was and a person has stated another figure."""
        was = [row for row in self.evidence if row.live]
        counting: list[Any] = [*self.left, *(said.support for said in self.added)]
        if self.reopened or self.withheld:
            return self._weight_anew(counting, now)
        stated = not self.lost and self.claim.confidence != _combined(was, before)
        if stated and _weights(was) == _weights(counting):
            return {}
        confidence = _combined(counting, now)
        status = status_for(confidence, ClaimStatus.CURRENT.value if self.lost else self.claim.status)
        return {"confidence": confidence, "authority": highest(row.authority for row in counting), "status": status}

    def _weight_anew(self, counting: Sequence[Any], now: Origins) -> dict[str, Any]:
        """Return how sure a claim is that a person has taken back: it waits until a person who is sure says it."""
        confidence = _combined(counting, now)
        found = {"confidence": confidence, "authority": highest(row.authority for row in counting)}
        said = [one.support for one in (*self.said, *self.added) if one.support.origin is Origin.STATED]
        if status_for(max((one.confidence for one in said), default=0.0)) == ClaimStatus.CURRENT:
            return found | {"status": status_for(confidence)}
        reason = self.claim.status_reason if self.withheld else _taken_back(self.claim.status_reason)
        return found | {"status": ClaimStatus.PENDING_REVIEW.value, "status_reason": reason}

    def _contents(self) -> dict[str, Any]:
        if self.anew is None:
            column = "content" if self.kind.node is NodeKind.FACT else "description"
            return {column: self.words, **self.period.columns()}
        names = _TAKEN[self.kind.node] + (_BY_HAND[self.kind.node] if self._by_hand else ())
        return {**{name: self.anew.columns[name] for name in names}, **covering(s.period for s in self.said).columns()}


def _taken_back(reason: str | None) -> str:
    """Return why a claim waits that a person has retracted for this reason."""
    return f"{TAKEN_BACK}." if reason is None else f"{TAKEN_BACK}: {reason}"


def _reason_before(reason: str) -> str | None:
    """Return for which reason a person had retracted a claim that waits for this one."""
    _, told, before = reason.partition(f"{TAKEN_BACK}: ")
    return before if told else None


def _is_there(said: Said, row: EvidenceRecord) -> bool:
    """Return whether a row of evidence has the very same words of the same document, or person, with the same weight."""
    new = said.support
    place = (new.document_id, new.revision, new.start, new.end, new.quote, new.origin)
    same = place == (row.document_id, row.revision, row.start, row.end, row.quote, row.origin)
    alike = new.origin is Origin.STATED or said.period == period_of(row)
    return same and alike and (new.confidence, new.authority) == (row.confidence, row.authority)


def _combined(rows: Sequence[Any], origins: Origins) -> float:
    return combined_confidence((origins.get(row.document_id, row.document_id), row.confidence) for row in rows)


def _weights(rows: Sequence[Any]) -> Counter[tuple[UUID | None, float, str]]:
    return Counter((row.document_id, row.confidence, str(row.authority)) for row in rows)


async def settle(
    tx: Transaction, standings: Sequence[Standing], replaced: Mapping[UUID, str] | None = None
) -> list[Turn]:
    """Write what the evidence of these claims makes of them: a new version where anything differs, and nothing where not.

    `replaced` says what text a document had before: its hash. Returns where the claims' statuses have turned, for `follow`.
    """
    now, folded = await origins(tx, standings), await _folded(tx, standings)
    before = {**now, **(replaced or {})}
    for standing in standings:
        standing.compare(folded)
    turned = {live: [row.id for standing in standings for row in standing.turned(live)] for live in (True, False)}
    tx.set_among(models.Evidence, "id", turned[True], {"live": True, "ended_at": None})
    tx.set_among(models.Evidence, "id", turned[False], {"live": False}, stamped=["ended_at"])
    turns = []
    await _note(tx, standings)
    for standing in standings:
        after = standing.columns(before, now)
        await _write_evidence(tx, standing, after)
        gone = after.get("status") == ClaimStatus.RETRACTED
        change_claim(tx, standing.kind, standing.claim, after, ChangeKind.RETRACTED if gone else ChangeKind.UPDATED)
        turn = Turn.of(standing.kind.node, standing.claim, after)
        reasons = (after["status_reason"],) if standing.reopened and turn.waits else ()
        turns.append(turn._replace(anew=bool(reasons), reasons=reasons))
    return turns


async def _note(tx: Transaction, standings: Sequence[Standing]) -> None:
    """Keep what claims are without evidence that names other entities than they were stated for. No read where there is none."""
    for kind in {standing.kind.node: standing.kind for standing in standings}.values():
        strange = [s for s in standings if s.kind is kind and s.names_others()]
        if strange:
            await note_new(
                tx, kind, [(s.claim, [row.id for row in s.evidence if row.live and _own(row)]) for s in strange]
            )


def _named(row: EvidenceRecord) -> tuple[UUID, ...]:
    """Return the entities that evidence names, where the claim it belongs to was stated for others."""
    return tuple(id for id in (row.stated_source_id, row.stated_target_id) if id is not None)


async def _folded(tx: Transaction, standings: Sequence[Standing]) -> dict[UUID, Any]:
    """Return the claims that are set aside, by their ids. No read where there is none."""
    found: dict[UUID, Any] = {}
    for kind in {standing.kind.node: standing.kind for standing in standings}.values():
        rows = [row for standing in standings if standing.kind is kind for row in standing.evidence]
        ids = list({row.stated_id for row in rows if row.stated_id is not None})
        claims = await tx.read.by_ids(kind.record, ids)
        found |= {claim.id: claim for claim in claims if claim is not None}
    return found


def _own(row: EvidenceRecord) -> bool:
    return row.stated_id is None and row.stated_source_id is None


async def origins(tx: Transaction, standings: Sequence[Standing]) -> dict[UUID, str]:
    """Return the hash of the text of each document that is evidence beside another one."""
    several: set[UUID] = set()
    for standing in standings:
        read = {row.document_id for row in standing.evidence} | {s.support.document_id for s in standing.said}
        documents = read - {None}
        several |= {id for id in documents if id is not None} if len(documents) > 1 else set()
    found = await tx.read.by_ids(DocumentRecord, sorted(several))
    return {row.id: row.content_hash for row in found if row is not None}


async def _write_evidence(tx: Transaction, standing: Standing, after: Mapping[str, Any]) -> None:
    kind, claim = standing.kind, standing.claim
    column, now = "content" if kind.node is NodeKind.FACT else "description", words_of(claim)
    words = after.get(column, now)
    if words != now:
        as_before = [row.id for row in standing.evidence if row.said is None]
        as_put_now = [row.id for row in standing.evidence if row.said == (words or "")]
        tx.set_among(models.Evidence, "id", as_before, {"said": now or ""})
        tx.set_among(models.Evidence, "id", as_put_now, {"said": None})
        if kind.node is NodeKind.FACT and claim.folded_into is None:
            subject = await tx.read.one(EntityRecord, kind.stated_ends(claim)[0])
            tx.index(NodeKind.FACT, claim.id, fact_text(subject.name if subject else "", words), None, again=True)
    for said in standing.added:
        tx.insert(models.Evidence, **{kind.evidence: claim.id}, **said.columns(words, kind.stated_ends(claim)))
