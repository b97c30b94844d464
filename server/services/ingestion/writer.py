"""Writing what one document says: resolution against the graph, and all rows, in the transaction of its last job."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from server import models
from server.embeddings import Embedder
from server.errors import Conflict
from server.ids import NodeKind, encode_id
from server.services.assertions import write_claims
from server.services.claims import FACT, RELATIONSHIP, Claim, Period, Support, Written, fact_claim, relationship_claim
from server.services.entities import NewEntity, add_aliases, insert_entity, remove_entities
from server.services.extraction.protocol import (
    ExtractedFact,
    Instant,
    RejectedItem,
)
from server.services.identity import lookup_keys, match_key
from server.services.indexing import Embedded, chunk_text, embed, entity_text, fact_text
from server.services.ingestion.full_names import full_names, set_apart
from server.services.ingestion.likes import propose_likes
from server.services.ingestion.namesakes import known_roles, said_roles, without_namesakes
from server.services.ingestion.naming import complete
from server.services.ingestion.revisions import NEWER, Earlier, earlier_readings, write_chunks, write_sources
from server.services.reading import NamedThing, Reading, Statement
from server.services.resolution import Named, by_neighbours, candidates_of, merged_among, one_by_merge
from server.services.soundness import shown, storable
from server.store import Store, Transaction
from server.store.merging import stated_neighbours
from server.store.records import ChunkRecord, DocumentRecord, EntityRecord, FactRecord
from server.terms import Authority, Origin


class DocumentWriter:
    """Writes what one revision of a document says: `prepare` embeds, outside a transaction; `write` resolves and inserts."""

    def __init__(
        self, store: Store, embedder: Embedder, document: DocumentRecord, content: str, reading: Reading
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._document = document
        self._content = content
        self._reading = reading
        self._embedded = Embedded({})
        self._rejected: list[RejectedItem] = list(reading.rejected)
        self._ids: dict[str, UUID] = {}
        self._names: dict[UUID, str] = {}
        self._types: dict[UUID, str] = {}
        self._survivors: dict[UUID, UUID] = {}
        self._made: dict[tuple[str, str, str], UUID] = {}
        self._keys_made: dict[UUID, set[str]] = {}
        self._earlier = Earlier()

    async def prepare(self) -> None:
        """Embed every text that will be new. Nothing is read under a lock yet: what turns out otherwise is embedded later."""
        things = self._reading.things
        known = await self._store.read.entities_named(self._document.volume_id, self._keys())
        there = await self._there()
        chunks = [self._content[c.start : c.end] for c in self._reading.chunks]
        texts = [chunk_text(self._document.title, text) for text in chunks if text not in there]
        texts += [
            entity_text(t.name, t.type, t.description) for t in things.values() if not candidates_of(_named(t), known)
        ]
        for statement in self._reading.statements:
            if isinstance(statement.said, ExtractedFact) and statement.said.content not in there:
                texts.append(fact_text(things[statement.said.subject].name, statement.said.content))
        self._embedded = await embed(self._embedder, *texts)

    async def _there(self) -> set[str]:
        """Return the chunks and facts that an earlier reading of the document has left: they have their vectors."""
        read, id = self._store.read, self._document.id
        (chunks,) = await read.lists(ChunkRecord, "document_id", [id], "ordinal")
        if not chunks:
            return set()
        facts = await read.by_ids(FactRecord, list(await read.claims_of_document(FACT.evidence, id)))
        return {chunk.text for chunk in chunks} | {fact.content for fact in facts if fact is not None}

    def anew(self) -> DocumentWriter:
        """Return a writer that starts over with what was prepared, for a transaction that has failed."""
        writer = DocumentWriter(self._store, self._embedder, self._document, self._content, self._reading)
        writer._embedded = self._embedded
        return writer

    def _keys(self) -> list[str]:
        things = self._reading.things.values()
        keys = [key for thing in things for key in _named(thing).keys]
        keys += [key for thing in things for name in full_names(thing) for key in lookup_keys(name)]
        return list(dict.fromkeys([*keys, *lookup_keys(self._document.title)]))

    async def write(self, tx: Transaction, ingestion_id: UUID) -> dict[str, int]:
        """Collect all rows in the transaction and return the counts for the ingestion.

        Of a document that was read before only the difference changes.

        Raises:
            Conflict: the document has a newer revision, or another title, than what was read.
        """
        await self._check(tx, ingestion_id)
        self._earlier = await earlier_readings(tx, self._document, self._content)
        chunk_ids = write_chunks(tx, self._document, self._earlier, self._reading.chunks, self._content, self._embedded)
        known = self._earlier.without_its_names(await tx.read.entities_named(tx.volume_id, self._keys()))
        set_apart(self._reading, known, self._content)
        known_ones = await self._resolve(tx, known)
        named = {*self._ids.values(), *self._title(known)}
        gone = await self._forgotten(tx, named)
        self._types |= await complete(tx, self._document.id, self._met(known_ones), self._earlier, gone)
        self._write_mentions(tx, chunk_ids)
        await write_sources(tx, self._document.id, self._earlier, named)
        written, linked = await self._write_claims(tx)
        await remove_entities(tx, gone)
        await propose_likes(tx, self._fresh(), edges=self._edges(), gone=gone)
        of = {"ingestion_id": ingestion_id}
        tx.insert_many(
            models.Rejection,
            [
                {"ordinal": n, "kind": r.kind, "item": r.item, "reason": r.reason, "kept": r.kept, **of}
                for n, r in enumerate(self._rejected)
            ],
        )
        return {
            "entities_found": len(set(self._ids.values())),
            "facts_found": len({w.id for w in written}),
            "relationships_found": len({w.id for w in linked}),
        }

    def _fresh(self) -> dict[UUID, list[NamedThing]]:
        """Return the entities that the document brings, each with how it is named there."""
        made, fresh = set(self._made.values()), dict[UUID, list[NamedThing]]()
        for key, id in self._ids.items():
            if id in made:
                fresh.setdefault(id, []).append(self._reading.things[key])
        return fresh

    def _edges(self) -> list[tuple[UUID, UUID]]:
        """Return the ends of the relationships that the document states."""
        said = [s.said for s in self._statements(None) if not isinstance(s.said, ExtractedFact)]
        ends = [(self._ids.get(edge.source), self._ids.get(edge.target)) for edge in said]
        root = self._survivors
        return [(root.get(a, a), root.get(b, b)) for a, b in ends if a is not None and b is not None]

    async def _check(self, tx: Transaction, ingestion_id: UUID) -> None:
        found = await tx.read.ingested(ingestion_id)
        if found is not None and (found[1].revision, found[1].title) != (found[0].revision, self._document.title):
            raise Conflict(NEWER)

    async def _forgotten(self, tx: Transaction, named: set[UUID]) -> list[UUID]:
        """Return the entities that only earlier readings of the document have brought, and nothing knows of any more."""
        if not self._earlier.named:
            return []
        return [id for id in await tx.read.entities_of_document_alone(self._document.id) if id not in named]

    async def _write_claims(self, tx: Transaction) -> tuple[list[Written], list[Written]]:
        facts = [c for c in map(self._claim, self._statements(ExtractedFact)) if c is not None]
        edges = [c for c in map(self._claim, self._statements(None)) if c is not None]
        fresh, replaced = frozenset(self._made.values()), self._earlier.replaced
        common: dict[str, Any] = {"fresh": fresh, "replaced": replaced, "survivors": self._survivors}
        written = await write_claims(tx, FACT, facts, self._embedded, **common)
        return written, await write_claims(tx, RELATIONSHIP, edges, self._embedded, **common)

    def _statements(self, kind: type[ExtractedFact] | None) -> list[Statement]:
        facts = kind is not None
        return [s for s in self._reading.statements if isinstance(s.said, ExtractedFact) == facts]

    async def _resolve(self, tx: Transaction, known: dict[str, list[EntityRecord]]) -> dict[str, EntityRecord]:
        """Give every thing of the document its entity, a new one where nothing has its name; return the known ones by key."""
        unsure: dict[str, list[EntityRecord]] = {}
        merged: dict[str, list[EntityRecord]] = {}
        known_ones: dict[str, EntityRecord] = {}
        said = said_roles(self._reading.statements, self._reading.things)
        fits = {key: candidates_of(_named(thing), known) for key, thing in self._reading.things.items()}
        roles = await known_roles(tx.read, {one.id: one for key in said for one in fits.get(key, ())}.values())
        for key, thing in self._reading.things.items():
            fit, sense = without_namesakes(fits[key], said.get(key, ()), roles, self._earlier.named)
            if len(fit) > 1:
                unsure[key] = fit
            elif fit:
                self._meet(key, fit[0])
                known_ones[key] = fit[0]
                merged[key] = one_by_merge(_named(thing), known, fit[0])
            else:
                self._create(tx, key, thing, sense)
        await self._part(tx, {key: several for key, several in merged.items() if len(several) > 1}, known_ones)
        await self._decide(tx, unsure, known_ones, self._title(known))
        return known_ones

    def _meet(self, key: str, known: EntityRecord) -> None:
        self._take(key, known.id, known.name, known.type)
        self._survivors |= merged_among([known])

    def _take(self, key: str, id: UUID, name: str, type: str) -> None:
        self._ids[key] = id
        self._names[id] = name
        self._types[id] = type

    def _create(self, tx: Transaction, key: str, thing: NamedThing, sense: str | None = None) -> None:
        # Two things of a document can share a stored key though their own keys differ ("Acme", "Acme Company").
        stored = (match_key(thing.name, thing.type), thing.type, sense or "")
        if stored in self._made:
            id = self._made[stored]
            self._take(key, id, self._names[id], thing.type)
            add_aliases(tx, id, thing.aliases, known=self._keys_made[id], document_id=self._document.id)
            return
        entity = NewEntity(
            name=thing.name,
            type=thing.type,
            description=thing.description,
            aliases=tuple(thing.aliases[:100]),
            sense=sense,
            confidence=thing.confidence,
        )
        source = None if thing.description is None else self._document.id
        id = insert_entity(
            tx,
            entity,
            self._embedded,
            origin=Origin.EXTRACTED,
            type_stated=thing.stated,
            document_id=self._document.id,
            described_by=source,
        )
        self._made[stored] = id
        self._keys_made[id] = {stored[0], *map(match_key, entity.aliases)}
        self._take(key, id, thing.name, thing.type)

    async def _part(
        self, tx: Transaction, merged: dict[str, list[EntityRecord]], known_ones: dict[str, EntityRecord]
    ) -> None:
        """Let a name of several that are one by a merge stand for the one that the document has named before, or whose neighbours it names."""
        if not merged:
            return
        present = {self._survivors.get(id, id) for id in self._ids.values()}
        neighbours = await stated_neighbours(tx.read, list({one.id for several in merged.values() for one in several}))
        for key, several in merged.items():
            own = [one for one in several if one.id in self._earlier.named]
            chosen = own[0] if len(own) == 1 else by_neighbours(several, neighbours, present)
            if chosen is not None:
                self._meet(key, chosen)
                known_ones[key] = chosen

    async def _decide(
        self,
        tx: Transaction,
        unsure: dict[str, list[EntityRecord]],
        known_ones: dict[str, EntityRecord],
        title: list[UUID],
    ) -> None:
        """Give a name of several homonyms to the one whose neighbours the document names, or to none."""
        if not unsure:
            return
        counts_as = {c.id: c.merged_into or c.id for fit in unsure.values() for c in fit}
        found = await tx.read.neighbours(list(dict.fromkeys(counts_as.values())))
        neighbours = {id: found[root] for id, root in counts_as.items()}
        present = {self._survivors.get(id, id) for id in (*self._ids.values(), *title)}
        for key, fit in unsure.items():
            chosen = by_neighbours(fit, neighbours, present)
            if chosen is not None:
                self._meet(key, chosen)
                known_ones[key] = chosen
                continue
            name = self._reading.things[key].name
            item = {"name": name, "candidates": [encode_id(NodeKind.ENTITY, c.id) for c in fit]}
            reason = f"{len(fit)} entities are called {name}, and the document names no neighbour of just one."
            self._rejected.append(RejectedItem("entity", item, reason))

    def _met(self, known_ones: dict[str, EntityRecord]) -> dict[UUID, tuple[EntityRecord, list[NamedThing]]]:
        """Return the known entities that the document names, each with how it does."""
        met: dict[UUID, tuple[EntityRecord, list[NamedThing]]] = {}
        for key, entity in known_ones.items():
            met.setdefault(entity.id, (entity, []))[1].append(self._reading.things[key])
        return met

    def _write_mentions(self, tx: Transaction, chunk_ids: list[UUID]) -> None:
        common = {"document_id": self._document.id, "revision": self._document.revision}
        for key, id in self._ids.items():
            thing = self._reading.things[key]
            guess = None if thing.type == self._types[id] else f"read as {thing.type}"
            for number, span in thing.mentions:
                place = {"chunk_id": chunk_ids[number], "start": span.start, "end": span.end, "note": guess}
                tx.insert(models.Mention, entity_id=id, **common, **place)

    def _title(self, known: dict[str, list[EntityRecord]]) -> list[UUID]:
        """Return the entity that the document's title names, if it is a single one."""
        own = [self._ids[k] for k, t in self._reading.things.items() if k in self._ids and self._is_title(t)]
        fit = candidates_of(Named(self._document.title), known)
        found = {*own, *(c.id for c in fit)}
        return list(found) if len(found) == 1 else []

    def _is_title(self, thing: NamedThing) -> bool:
        keys = set(lookup_keys(self._document.title))
        return any(match_key(name) in keys for name in (thing.name, *thing.aliases))

    def _claim(self, statement: Statement) -> Claim | None:
        said = statement.said
        ends = (said.subject,) if isinstance(said, ExtractedFact) else (said.source, said.target)
        if any(end not in self._ids for end in ends):
            self._refuse(statement, "It is about a name that stands for several entities.")
            return None
        ids = [self._ids[end] for end in ends]
        if len(ids) == 2 and ids[0] == ids[1]:
            self._refuse(statement, "Both ends are the same entity.")
            return None
        period = _period(said.valid_from, said.valid_to)
        if period.start is not None and period.end is not None and period.end <= period.start:
            self._refuse(statement, "It ends before it begins.")
            return None
        support = self._support(statement)
        if isinstance(said, ExtractedFact):
            return fact_claim(
                ids[0],
                self._names[ids[0]],
                said.content,
                period,
                support,
                category=said.category,
                predicate=said.predicate,
                value=said.value,
                value_type=said.value_type,
                importance=said.importance,
            )
        return relationship_claim(ids[0], said.type, ids[1], period, support, description=said.description)

    def _support(self, statement: Statement) -> Support:
        start, end = statement.span.start, statement.span.end
        return Support(
            self._content[start:end],
            statement.said.confidence,
            Authority(self._document.authority),
            document_id=self._document.id,
            revision=self._document.revision,
            start=start,
            end=end,
            verified=True,
            origin=Origin.EXTRACTED,
        )

    def _refuse(self, statement: Statement, reason: str) -> None:
        said = statement.said
        kind = "fact" if isinstance(said, ExtractedFact) else "relationship"
        self._rejected.append(storable(RejectedItem(kind, shown(said), reason)))


def _named(thing: NamedThing) -> Named:
    return Named(thing.name, thing.type, stated=thing.stated)


def _period(start: Instant | None, end: Instant | None) -> Period:
    """Return the interval of an extraction, whose end is exclusive already."""
    return Period(
        None if start is None else start.at,
        None if start is None else start.precision,
        None if end is None else end.at,
        None if end is None else end.precision,
    )
