"""Folding: claims that a merge of entities makes the same count as one, and each is there again when that is undone.

One of them, the head, counts for all: it has their evidence, and is as sure as that makes it. The others are set aside, as
they are by themselves; `ClaimApart` keeps what the head is by itself. Evidence says which claim it belongs to, and which
entities its source has named, so that what came after a merge goes with those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from server import models
from server.ids import NodeKind, new_id
from server.services.apart import COLUMNS, as_it_was, note
from server.services.claims import GONE, ClaimKind, ends_columns, period_of, words_of
from server.services.doubts import ask_about
from server.services.indexing import fact_text
from server.services.predicates import Vocabulary, vocabulary
from server.services.returns import Returns, returns_among
from server.services.standing import Origins, Standing, origins
from server.store import Transaction
from server.store.records import ApartRecord, EntityRecord, EvidenceRecord
from server.terms import ChangeKind, ClaimStatus

__all__ = ["keep_apart", "regroup"]


@dataclass(slots=True)
class _Part:
    """A claim by itself: `stored` is its row, `alone` what that would be without the others, `evidence` what is its own, and
    `foreign` what came after a merge and names another of the entities that are one.

    Of evidence, `said` is how the source puts it where the claim itself, by its own words, does not. `counted` are the pieces that
    made it what it is alone, None where nothing has changed. `made` says it has no row yet, `noted` that what it is alone was kept.
    """

    stored: Any
    alone: Any
    evidence: list[EvidenceRecord] = field(default_factory=list)
    foreign: list[EvidenceRecord] = field(default_factory=list)
    counted: frozenset[UUID] | None = None
    made: bool = False
    noted: bool = False

    def keep_count(self) -> None:
        """Remember what has counted, before evidence comes or goes."""
        if self.counted is None:
            self.counted = self.live()

    @property
    def rows(self) -> list[EvidenceRecord]:
        """All evidence that comes with it."""
        return [*self.evidence, *self.foreign]

    def live(self) -> frozenset[UUID]:
        """Return its own evidence that counts."""
        return frozenset(row.id for row in self.evidence if row.live)

    @property
    def id(self) -> UUID:
        """The claim's id."""
        id: UUID = self.stored.id
        return id


@dataclass(slots=True)
class _Group:
    """Claims that count as one; the first is the head. `now` is the head's row as it is to be."""

    parts: list[_Part]
    now: Any

    @property
    def head(self) -> _Part:
        """The claim that counts for all."""
        return self.parts[0]

    @property
    def several(self) -> bool:
        """Whether the head is not what it would be alone."""
        return len(self.parts) > 1 or bool(self.head.foreign)

    def is_there(self) -> bool:
        """Return whether the rows say all this already."""
        folded = all(part.stored.folded_into == self.head.id for part in self.parts[1:])
        return folded and self.head.stored.folded_into in (None, self.head.id) and not any(p.made for p in self.parts)


async def regroup(tx: Transaction, kind: ClaimKind, heads: Collection[UUID]) -> None:
    """Make one of those of these claims, and of what was folded into them, that are the same now; the others are themselves.

    What differs gets a new version and a log entry. A few reads, whatever the number of claims.
    """
    if not heads:
        return
    parts = await _parts(tx, kind, heads)
    _settle_alone(kind, parts, await origins(tx, [_standing(kind, parts)]))
    words = await vocabulary(tx, {part.stored.type for part in parts} if kind.node is NodeKind.RELATIONSHIP else ())
    parts += await _others(tx, kind, parts, words)
    await _assign(tx, kind, parts, words)
    groups = await _grouped(tx, kind, parts, words)
    await _write(tx, kind, groups, quiet=False)
    shown = [group for group in groups if group.head.stored.folded_into != group.head.id]
    await ask_about(tx, kind.node, [part.id for part in parts], [group.now for group in shown])


async def keep_apart(tx: Transaction, kind: ClaimKind, heads: Collection[UUID]) -> list[UUID]:
    """Make each of these claims, and of what was folded into them, a claim by itself, in silence: they are grouped anew after.

    Return all of them.
    """
    if not heads:
        return []
    parts = await _parts(tx, kind, heads)
    _settle_alone(kind, parts, await origins(tx, [_standing(kind, parts)]))
    await _write(tx, kind, [_Group([part], part.alone) for part in parts], quiet=True)
    await tx.apply()
    return [part.id for part in parts]


async def _parts(tx: Transaction, kind: ClaimKind, heads: Collection[UUID]) -> list[_Part]:
    """Return the claims, by their age, each as it is by itself."""
    rows = [row for row in await tx.read.by_ids(kind.record, list(heads)) if row is not None]
    lists = await tx.read.lists(kind.record, "folded_into", [row.id for row in rows], "id")
    rows += [row for folded in lists for row in folded if row.id != row.folded_into]
    ids = [row.id for row in rows]
    aparts = await tx.read.lists(ApartRecord, kind.evidence, ids, "id")
    parts = {row.id: _part(row, kept) for row, kept in zip(rows, aparts, strict=True)}
    for row, evidence in zip(rows, await tx.read.lists(EvidenceRecord, kind.evidence, ids, "id"), strict=True):
        for one in evidence:
            part = parts[one.stated_id or row.id]
            words = words_of(row) if one.said is None else one.said or None
            own = part.evidence if one.stated_source_id is None else part.foreign
            own.append(one._replace(said=_said(words, part.alone)))
    return [parts[id] for id in sorted(parts)]


def _part(row: Any, kept: Sequence[ApartRecord]) -> _Part:
    if not kept:
        return _Part(row, row)
    alone, counted = as_it_was(row, kept[0])
    return _Part(row, alone, counted=counted, noted=True)


def _said(words: str | None, claim: Any) -> str | None:
    """Return how words are kept in a row of evidence of a claim."""
    return None if words == words_of(claim) else words or ""


async def _others(tx: Transaction, kind: ClaimKind, parts: Sequence[_Part], words: Vocabulary) -> list[_Part]:
    """Return claims of the entities that foreign evidence names which say the same: it may belong to them."""
    named = {(_named(row), kind.key_of(part.stored)[-1]) for part in parts for row in part.foreign}
    roots = await _roots(tx, {id for ends, _ in named for id in ends})
    said = {(tuple(roots[id] for id in ends), key) for ends, key in named}
    same: Sequence[Any] = []
    if said and kind.node is NodeKind.FACT:
        same = await tx.read.same_facts(list({ends[0] for ends, _ in said}), {key for _, key in said})
    elif said:
        edges = {(ends[0], ends[1], type) for ends, type in said}
        edges |= {edge for edge in map(words.turned, edges) if edge is not None}
        same = await tx.read.relationships_between({edge[:2] for edge in edges}, {edge[2] for edge in edges})
    known = {part.id for part in parts}
    more = await _parts(tx, kind, [row.id for row in same if row.id not in known])
    _settle_alone(kind, more, await origins(tx, [_standing(kind, more)]) if more else {})
    return more


async def _roots(tx: Transaction, entities: Collection[UUID]) -> dict[UUID, UUID]:
    """Return what entities count as."""
    rows = await tx.read.by_ids(EntityRecord, sorted(entities))
    return {row.id: row.merged_into or row.id for row in rows if row is not None}


def _named(row: EvidenceRecord) -> tuple[UUID, ...]:
    """Return the entities that foreign evidence names."""
    return tuple(id for id in (row.stated_source_id, row.stated_target_id) if id is not None)


async def _assign(tx: Transaction, kind: ClaimKind, parts: list[_Part], words: Vocabulary) -> None:
    """Give evidence that names entities which count for others than its claim does to a claim of those, a new one if need be.

    So is evidence of a time that something else parts from when its claim holds.
    """
    strange = [(part, row) for part in parts for row in part.foreign]
    stated = [part.stored._replace(valid_from=row.valid_from) for part, row in strange]
    returns = await returns_among(tx, kind, [*(part.alone for part, _ in strange), *stated]) if strange else Returns()
    ends = {id for _, row in strange for id in _named(row)}
    ends |= {id for part, _ in strange for id in kind.stated_ends(part.stored)}
    roots = await _roots(tx, ends)
    for part, row in strange:
        named = _named(row)
        counts = [roots[id] for id in named] == [roots[id] for id in kind.stated_ends(part.stored)]
        if counts and not _between(kind, returns, part, row):
            continue
        part.foreign.remove(row)
        other, named = _claim_of(kind, parts, part, row, roots, words, returns)
        at_home = kind.stated_ends(other.stored) == named
        source, target = ends_columns(None if at_home else named)
        said = _said(_words(part, row), other.alone)
        moved = row._replace(stated_source_id=source, stated_target_id=target, said=said)
        if at_home:
            other.keep_count()
        (other.evidence if at_home else other.foreign).append(moved)


def _between(kind: ClaimKind, returns: Returns, part: _Part, row: EvidenceRecord) -> bool:
    """Return whether something else begins between when a claim, by itself, does and when a source says so."""
    return returns.between(kind, part.stored._asdict(), period_of(part.alone), period_of(row))


def _told(
    kind: ClaimKind, part: _Part, other: _Part, named: tuple[UUID, ...], words: Vocabulary
) -> list[tuple[UUID, ...]]:
    """Return how evidence of `part` names its ends as evidence of `other`, which may be stated from the other end; nothing where they differ."""
    size = len(named)
    mine, its = (kind.key_of(one.stored)[size:] for one in (part, other))
    found = [named] if mine == its else []
    if kind.node is NodeKind.RELATIONSHIP and words.inverse(part.stored.type) == other.stored.type:
        found.append(named[::-1])
    return found


def _claim_of(
    kind: ClaimKind,
    parts: list[_Part],
    part: _Part,
    row: EvidenceRecord,
    roots: Mapping[UUID, UUID],
    words: Vocabulary,
    returns: Returns,
) -> tuple[_Part, tuple[UUID, ...]]:
    """Return the claim that evidence belongs to which `part` does not speak of any more, and its ends as that has them."""
    named = _named(row)
    counts = tuple(roots[id] for id in named)
    told = [(other, ends) for other in parts for ends in _told(kind, part, other, named, words)]
    for other, ends in sorted(told, key=lambda one: kind.stated_ends(one[0].stored) != one[1]):
        its = tuple(roots.get(id, id) for id in kind.stated_ends(other.stored))
        if (
            its == tuple(roots[id] for id in ends)
            and other.alone.status not in GONE
            and period_of(other.alone).overlaps(period_of(row))
            and not _between(kind, returns, other, row)
        ):
            return other, ends
    aside = len(set(counts)) < len(set(named))
    id = new_id()
    columns: dict[str, Any] = {"id": id, "version": 1, "folded_into": id if aside else None}
    for name, was, now in zip(kind.ends, named, named if aside else counts, strict=True):
        columns |= {name: now, f"stated_{name}": None if was == now else was}
    columns["content" if kind.node is NodeKind.FACT else "description"] = _words(part, row)
    columns |= {
        "status": ClaimStatus.CURRENT.value,
        "status_reason": None,
        "superseded_at": None,
        "superseded_by": None,
    }
    columns |= {name: getattr(row, name) for name in COLUMNS if name.startswith("valid")}
    made = _Part(part.stored._replace(**columns), part.alone._replace(**columns), made=True, counted=frozenset())
    parts.append(made)
    return made, named


def _standing(kind: ClaimKind, parts: Sequence[_Part]) -> Standing:
    """Return the standing of the first claim with the evidence of all, put as to its words."""
    head = parts[0]
    rows = [
        row if part is head else row._replace(said=_said(_words(part, row), head.alone))
        for part in parts
        for row in part.rows
    ]
    return Standing(kind, head.alone, rows, sorted((row for row in rows if row.live), key=lambda row: row.id))


def _words(part: _Part, row: EvidenceRecord) -> str | None:
    return words_of(part.alone) if row.said is None else row.said or None


def _settle_alone(kind: ClaimKind, parts: Sequence[_Part], texts: Origins) -> None:
    """Bring what claims are by themselves up to their own evidence, and to what a person has made of those that count for others."""
    for part in parts:
        part.alone = _by_itself(kind, part, texts)
        part.counted = part.live()
    for part in parts:
        others = [other for other in parts if other.stored.folded_into == part.id and other is not part]
        if (others or part.foreign) and part.noted:
            whole = _combined(kind, [part, *others], texts)
            by_hand = {n: getattr(part.stored, n) for n in COLUMNS if getattr(part.stored, n) != getattr(whole, n)}
            part.alone = part.alone._replace(**by_hand)


def _combined(kind: ClaimKind, parts: Sequence[_Part], texts: Origins) -> Any:
    """Return the row of the first claim as the evidence of all makes it."""
    standing = _standing(kind, parts)
    standing.evidence = [row for row in parts[0].evidence if row.live]
    return parts[0].alone._replace(**standing.columns(texts, texts))


def _by_itself(kind: ClaimKind, part: _Part, texts: Origins) -> Any:
    """Return a claim's row as its own evidence makes it: as it was, if that is as it was."""
    if part.counted is None or part.counted == part.live():
        return part.alone
    left = sorted((row for row in part.evidence if row.live), key=lambda row: row.id)
    before = [row._replace(live=row.id in part.counted) for row in part.evidence]
    standing = Standing(kind, part.alone, before, left)
    return part.alone._replace(**standing.columns(texts, texts))


async def _grouped(tx: Transaction, kind: ClaimKind, parts: Sequence[_Part], words: Vocabulary) -> list[_Group]:
    """Return the claims in groups of those that are the same, stated for different entities or from opposite ends, or one already.

    The survivor's own leads, else the oldest.
    """
    texts = await origins(tx, [_standing(kind, parts)]) if len(parts) > 1 else {}
    for part in parts:
        part.alone = _by_itself(kind, part, texts)
        part.counted = part.live()
    returns = await returns_among(tx, kind, [part.stored for part in parts]) if len(parts) > 1 else Returns()
    groups: list[_Group] = []
    of_key: dict[tuple[Any, ...], list[_Group]] = {}
    for part in sorted(parts, key=lambda p: (_is_moved(kind, p), p.id)):
        known = of_key.setdefault(_key(kind, kind.key_of(part.stored), words), [])
        group = next((g for g in known if _is_same(kind, g, part, returns)), None)
        if group is None:
            groups.append(_Group([part], _combined(kind, [part], texts) if part.foreign else part.alone))
            known.append(groups[-1])
        else:
            group.parts.append(part)
            group.now = _combined(kind, group.parts, texts)
    return groups


def _is_moved(kind: ClaimKind, part: _Part) -> bool:
    return kind.stated_ends(part.stored) != tuple(getattr(part.stored, name) for name in kind.ends)


def _key(kind: ClaimKind, key: tuple[Any, ...], words: Vocabulary) -> tuple[Any, ...]:
    return key if kind.node is NodeKind.FACT else words.key((key[0], key[1], key[2]))


def _is_same(kind: ClaimKind, group: _Group, part: _Part, returns: Returns) -> bool:
    if group.now.status in GONE or part.alone.status in GONE:
        return False
    stated = [(*kind.stated_ends(one.stored), kind.key_of(one.stored)[-1]) for one in (group.head, part)]
    ids = [(one.id, other.stored.folded_into) for one, other in ((group.head, part), (part, group.head))]
    other = stated[0] != stated[1] or any(id == into for id, into in ids)
    now, own = period_of(group.now), period_of(part.alone)
    return other and now.overlaps(own) and not returns.between(kind, part.stored._asdict(), now, own)


async def _write(tx: Transaction, kind: ClaimKind, groups: Sequence[_Group], *, quiet: bool) -> None:
    """Write what differs from what is stored."""
    changed = [group for group in groups if not group.is_there() or _differs(kind, group)]
    for group in changed:
        for part in group.parts:
            if part.made:
                _insert(tx, kind, part, group)
    _write_rows(tx, kind, [pair for group in changed for pair in _rows(group)], quiet)
    anew = {id(group) for group in changed}
    over = [group for group in groups if id(group) in anew or not group.several]
    tx.delete_ids(models.ClaimApart, [p.id for group in over for p in group.parts if p.noted], kind.evidence)
    _fold(tx, kind, changed)
    _move_evidence(tx, kind, changed)
    for group in changed:
        for part in group.parts if group.several else ():
            note(tx, kind, part.id, part.alone._asdict(), part.live())
    if kind.node is NodeKind.FACT:
        await _index(tx, kind, changed)


def _differs(kind: ClaimKind, group: _Group) -> bool:
    rows = [(part, row) for part in group.parts for row in part.rows]
    moved = any(
        (row.fact_id or row.relationship_id) != group.head.id
        or row.stated_id != (None if part is group.head else part.id)
        for part, row in rows
    )
    return moved or group.now != group.head.stored


def _rows(group: _Group) -> list[tuple[Any, Any, bool]]:
    """Return the rows as they are stored and as they are to be, and whether anybody sees them."""
    told = [(group.head.stored, group.now, True)]
    told += [(part.stored, part.alone, False) for part in group.parts[1:]]
    made = {part.id for part in group.parts if part.made}
    return [one for one in told if one[0].id not in made]


def _write_rows(tx: Transaction, kind: ClaimKind, rows: Sequence[tuple[Any, Any, bool]], quiet: bool) -> None:
    words = "content" if kind.node is NodeKind.FACT else "description"
    names = (*COLUMNS, words)
    differing = [one for one in rows if any(getattr(one[0], name) != getattr(one[1], name) for name in names)]
    columns = [{"id": now.id, **{name: getattr(now, name) for name in names}} for _, now, _ in differing]
    if quiet:
        tx.update_many(kind.model, columns, stamped=False)
        return
    tx.archive(kind.model, kind.past, [was.id for was, _, _ in differing])
    versions = [{"version": was.version + 1} for was, _, _ in differing]
    tx.update_many(kind.model, [{**one, **version} for one, version in zip(columns, versions, strict=True)])
    for was, now, seen in differing:
        if seen:
            before = {name: getattr(was, name) for name in names if getattr(was, name) != getattr(now, name)}
            gone = now.status == ClaimStatus.RETRACTED and was.status != ClaimStatus.RETRACTED
            change = ChangeKind.RETRACTED if gone else ChangeKind.UPDATED
            tx.log(change, kind.node, now.id, before=before, after={name: getattr(now, name) for name in before})


def _insert(tx: Transaction, kind: ClaimKind, part: _Part, group: _Group) -> None:
    now = group.now if part is group.head else part.alone
    own = ("id", "volume_id", "created_at", "updated_at", "known_from")
    columns = {name: value for name, value in now._asdict().items() if name not in own}
    tx.insert(kind.model, id=now.id, **columns)
    tx.log(ChangeKind.CREATED, kind.node, now.id, after={name: columns.get(name) for name in kind.logged})


def _fold(tx: Transaction, kind: ClaimKind, groups: Iterable[_Group]) -> None:
    """Set aside all but the heads; a head that is set aside by itself stays so."""
    rows = []
    for group in groups:
        for part in group.parts:
            own = part.id if part.stored.folded_into == part.id else None
            now = own if part is group.head else group.head.id
            if part.stored.folded_into != now or part.made:
                rows.append({"id": part.id, "folded_into": now})
    tx.update_many(kind.model, rows, stamped=False)
    tx.update_many(kind.past, rows, stamped=False)


def _move_evidence(tx: Transaction, kind: ClaimKind, groups: Iterable[_Group]) -> None:
    rows: list[dict[str, Any]] = []
    for group in groups:
        for part in group.parts:
            rows += [
                {
                    "id": row.id,
                    kind.evidence: group.head.id,
                    "stated_id": None if part is group.head else part.id,
                    "stated_source_id": row.stated_source_id,
                    "stated_target_id": row.stated_target_id,
                    "said": _said(_words(part, row), group.now),
                }
                for row in part.rows
            ]
    tx.update_many(models.Evidence, rows, stamped=False)


async def _index(tx: Transaction, kind: ClaimKind, groups: Sequence[_Group]) -> None:
    """Take facts that are set aside out of the index, and put back those that are there again."""
    folded = [
        part.id for group in groups for part in group.parts[1:] if part.stored.folded_into is None and not part.made
    ]
    tx.unindex(NodeKind.FACT, folded)
    again = [g for g in groups if g.head.made or g.head.stored.folded_into is not None or _reworded(g)]
    subjects = await tx.read.by_ids(EntityRecord, [kind.stated_ends(group.head.stored)[0] for group in again])
    for group, subject in zip(again, subjects, strict=True):
        text = fact_text(subject.name if subject else "", group.now.content)
        tx.index(NodeKind.FACT, group.head.id, text, None, again=not group.head.made)


def _reworded(group: _Group) -> bool:
    return bool(words_of(group.now) != words_of(group.head.stored))
