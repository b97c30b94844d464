"""Mutations of memories."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from schema.arguments import id_of, ids_of
from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VERSION, VOLUME, named, volume_of
from schema.types.fact import gone
from schema.types.memory import Memory, MemoryLink, SimilarMemory
from server.ids import NodeKind
from server.services.identity import relation_type
from server.services.memories import Attachments, NewMemory, Similar
from server.store.records import MemoryLinkRecord, MemoryRecord

_IDS = list[strawberry.ID] | None


def _attachments(entities: _IDS, documents: _IDS, code_artifacts: _IDS, projects: _IDS) -> Attachments:
    return Attachments(
        entities=ids_of(entities, NodeKind.ENTITY, "entities"),
        documents=ids_of(documents, NodeKind.DOCUMENT, "documents"),
        code_artifacts=ids_of(code_artifacts, NodeKind.CODE_ARTIFACT, "codeArtifacts"),
        projects=ids_of(projects, NodeKind.PROJECT, "projects"),
    )


@strawberry.input(description="The memory to write: one idea.")
class CreateMemoryInput:
    title: str = strawberry.field(description="What it is about: up to 200 characters.")
    content: str = strawberry.field(description="The idea itself: up to 2,000 characters.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    context: str | None = strawberry.field(default=None, description="Why it matters: up to 500 characters.")
    keywords: list[str] | None = strawberry.field(default=None, description="Words to find it by: up to 10.")
    tags: list[str] | None = strawberry.field(default=None, description="Its tags: up to 10.")
    importance: int = strawberry.field(default=5, description="How much it matters: 1 to 10.")
    entities: list[strawberry.ID] | None = strawberry.field(default=None, description="The entities that it is about.")
    documents: list[strawberry.ID] | None = strawberry.field(default=None, description="The documents it refers to.")
    code_artifacts: list[strawberry.ID] | None = strawberry.field(
        default=None, description="The code artifacts that it refers to."
    )
    projects: list[strawberry.ID] | None = strawberry.field(default=None, description="The projects it belongs to.")
    provenance: JSON | None = strawberry.field(default=None, description="Where it comes from, as a JSON object.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)

    def plain(self) -> NewMemory:
        return NewMemory(
            title=self.title,
            content=self.content,
            context=self.context,
            keywords=tuple(self.keywords or ()),
            tags=tuple(self.tags or ()),
            importance=self.importance,
            provenance=self.provenance,
            attachments=_attachments(self.entities, self.documents, self.code_artifacts, self.projects),
        )


@strawberry.type(description="The memory that was written, and what it is near to.")
class CreateMemoryPayload:
    memory: Memory = strawberry.field(description="The memory that was written.")
    links: list[MemoryLink] = strawberry.field(
        description="The links that it made to its nearest memories, nearest first."
    )
    similar: list[SimilarMemory] = strawberry.field(
        description="Memories that are nearly the same, nearest first: consider updating or superseding one of them."
    )


@strawberry.input(description="What to change about a memory. Fields left out stay as they are.")
class UpdateMemoryInput:
    id: strawberry.ID = strawberry.field(description="The memory.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    title: str | None = strawberry.field(default=strawberry.UNSET, description="What it is about.")
    content: str | None = strawberry.field(default=strawberry.UNSET, description="The idea itself.")
    context: str | None = strawberry.field(default=strawberry.UNSET, description="Why it matters; null clears it.")
    keywords: list[str] | None = strawberry.field(default=strawberry.UNSET, description="All its keywords.")
    tags: list[str] | None = strawberry.field(default=strawberry.UNSET, description="All its tags.")
    importance: int | None = strawberry.field(default=strawberry.UNSET, description="How much it matters: 1 to 10.")
    provenance: JSON | None = strawberry.field(default=strawberry.UNSET, description="Where it comes from.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The memory as it is now.")
class UpdateMemoryPayload:
    memory: Memory = strawberry.field(description="The memory with its changes.")


@strawberry.input(description="The memory that no longer holds.")
class SupersedeMemoryInput:
    id: strawberry.ID = strawberry.field(description="The memory.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    by: strawberry.ID | None = strawberry.field(
        default=None, description="The memory that takes its place, if one does."
    )
    reason: str | None = strawberry.field(default=None, description="Why it no longer holds.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The memory that is obsolete now.")
class SupersedeMemoryPayload:
    memory: Memory = strawberry.field(description="The memory, now obsolete.")


@strawberry.input(description="The memory to bring back.")
class RestoreMemoryInput:
    id: strawberry.ID = strawberry.field(description="The memory.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The memory that holds again.")
class RestoreMemoryPayload:
    memory: Memory = strawberry.field(description="The memory, no longer obsolete.")


@strawberry.input(description="The memory to delete.")
class DeleteMemoryInput:
    id: strawberry.ID = strawberry.field(description="The memory.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The memory that is gone.")
class DeleteMemoryPayload:
    deleted_id: strawberry.ID = strawberry.field(description="The id that it had.")


@strawberry.input(description="The two memories to link.")
class LinkMemoriesInput:
    memory: strawberry.ID = strawberry.field(description="One of the two.")
    other: strawberry.ID = strawberry.field(description="The other one.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    type: str = strawberry.field(default="RELATED", description="What kind of link it is, in any case.")


@strawberry.type(description="The link between the two.")
class LinkMemoriesPayload:
    link: MemoryLink = strawberry.field(description="The link; the same one where it was there.")


@strawberry.input(description="The two memories to part.")
class UnlinkMemoriesInput:
    memory: strawberry.ID = strawberry.field(description="One of the two.")
    other: strawberry.ID = strawberry.field(description="The other one.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    type: str | None = strawberry.field(default=None, description="The kind of link to remove; all unless given.")


@strawberry.type(description="What was removed.")
class UnlinkMemoriesPayload:
    removed: int = strawberry.field(description="How many links there were.")


@strawberry.input(description="What to attach to a memory.")
class AttachToMemoryInput:
    id: strawberry.ID = strawberry.field(description="The memory.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    entities: list[strawberry.ID] | None = strawberry.field(default=None, description="Entities that it is about.")
    documents: list[strawberry.ID] | None = strawberry.field(default=None, description="Documents it refers to.")
    code_artifacts: list[strawberry.ID] | None = strawberry.field(
        default=None, description="Code artifacts that it refers to."
    )
    projects: list[strawberry.ID] | None = strawberry.field(default=None, description="Projects it belongs to.")


@strawberry.type(description="The memory with what is attached.")
class AttachToMemoryPayload:
    memory: Memory = strawberry.field(description="The memory with all its attachments.")


@strawberry.input(description="What to detach from a memory.")
class DetachFromMemoryInput:
    id: strawberry.ID = strawberry.field(description="The memory.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    entities: list[strawberry.ID] | None = strawberry.field(default=None, description="Entities it is not about.")
    documents: list[strawberry.ID] | None = strawberry.field(default=None, description="Documents to detach.")
    code_artifacts: list[strawberry.ID] | None = strawberry.field(default=None, description="Code artifacts to detach.")
    projects: list[strawberry.ID] | None = strawberry.field(default=None, description="Projects to take it out of.")


@strawberry.type(description="The memory with what is left.")
class DetachFromMemoryPayload:
    memory: Memory = strawberry.field(description="The memory with the attachments that are left.")


async def _memory(info: Info, id: UUID) -> Memory:
    row = await info.context.store.read.one(MemoryRecord, id)
    if row is None:
        raise gone("memory")
    return Memory.of(row)


async def _links(info: Info, memory: UUID, ids: tuple[UUID, ...]) -> list[MemoryLink]:
    """Return links as seen from one memory, in the order of `ids`."""
    read = info.context.store.read
    links = [row for row in await read.by_ids(MemoryLinkRecord, ids) if row is not None]
    rows = await read.by_ids(MemoryRecord, [id for link in links for id in (link.left_id, link.right_id)])
    memories = {row.id: Memory.of(row) for row in rows if row is not None}
    return [
        MemoryLink(
            row=link,
            memory=memories[memory],
            other=memories[link.right_id if link.left_id == memory else link.left_id],
        )
        for link in links
        if {link.left_id, link.right_id} <= memories.keys()
    ]


async def _similar(info: Info, similar: tuple[Similar, ...]) -> list[SimilarMemory]:
    rows = await info.context.store.read.by_ids(MemoryRecord, [s.id for s in similar])
    return [
        SimilarMemory(memory=Memory.of(row), similarity=s.similarity)
        for s, row in zip(similar, rows, strict=True)
        if row is not None
    ]


@strawberry.type
class MemoryMutations:
    @computed(description="Write a memory. It links itself to its nearest memories.")
    async def create_memory(
        self, info: Info, input: Annotated[CreateMemoryInput, strawberry.argument(description="The memory.")]
    ) -> CreateMemoryPayload | None:
        volume = await volume_of(info, input.volume)
        actor, key = info.context.viewer.actor, input.idempotency_key
        made = await info.context.knowledge.memories.create(volume, input.plain(), actor, key)
        memory = await _memory(info, made.id)
        links, similar = await _links(info, made.id, made.links), await _similar(info, made.similar)
        return CreateMemoryPayload(memory=memory, links=links, similar=similar)

    @computed(description="Edit a memory. Its links and attachments stay.")
    async def update_memory(
        self, info: Info, input: Annotated[UpdateMemoryInput, strawberry.argument(description="What to change.")]
    ) -> UpdateMemoryPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.MEMORY, "id")
        changes = named(
            title=input.title,
            content=input.content,
            context=input.context,
            keywords=input.keywords,
            tags=input.tags,
            importance=input.importance,
            provenance=input.provenance,
        )
        actor = info.context.viewer.actor
        await info.context.knowledge.memories.update(volume, id, changes, input.expected_version, actor)
        return UpdateMemoryPayload(memory=await _memory(info, id))

    @computed(description="Mark a memory as obsolete; it leaves every list that does not ask for such.")
    async def supersede_memory(
        self, info: Info, input: Annotated[SupersedeMemoryInput, strawberry.argument(description="Which one.")]
    ) -> SupersedeMemoryPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.MEMORY, "id")
        by = None if input.by is None else id_of(input.by, NodeKind.MEMORY, "by")
        actor, memories = info.context.viewer.actor, info.context.knowledge.memories
        await memories.supersede(volume, id, by, input.reason, input.expected_version, actor)
        return SupersedeMemoryPayload(memory=await _memory(info, id))

    @computed(description="Bring an obsolete memory back.")
    async def restore_memory(
        self, info: Info, input: Annotated[RestoreMemoryInput, strawberry.argument(description="Which one.")]
    ) -> RestoreMemoryPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.MEMORY, "id")
        actor = info.context.viewer.actor
        await info.context.knowledge.memories.restore(volume, id, input.expected_version, actor)
        return RestoreMemoryPayload(memory=await _memory(info, id))

    @computed(description="Delete a memory with its links. It cannot be undone.")
    async def delete_memory(
        self, info: Info, input: Annotated[DeleteMemoryInput, strawberry.argument(description="Which one.")]
    ) -> DeleteMemoryPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.MEMORY, "id")
        await info.context.knowledge.memories.delete(volume, id, input.expected_version, info.context.viewer.actor)
        return DeleteMemoryPayload(deleted_id=input.id)

    @computed(description="Link two memories. The link has no direction; the same one is made once.")
    async def link_memories(
        self, info: Info, input: Annotated[LinkMemoriesInput, strawberry.argument(description="Which two.")]
    ) -> LinkMemoriesPayload | None:
        volume = await volume_of(info, input.volume)
        memory = id_of(input.memory, NodeKind.MEMORY, "memory")
        other = id_of(input.other, NodeKind.MEMORY, "other")
        actor, type = info.context.viewer.actor, relation_type(input.type)
        id = await info.context.knowledge.memories.link(volume, memory, other, type, actor)
        links = await _links(info, memory, (id,))
        if not links:
            raise gone("link")
        return LinkMemoriesPayload(link=links[0])

    @computed(description="Remove the links between two memories.")
    async def unlink_memories(
        self, info: Info, input: Annotated[UnlinkMemoriesInput, strawberry.argument(description="Which two.")]
    ) -> UnlinkMemoriesPayload | None:
        volume = await volume_of(info, input.volume)
        memory = id_of(input.memory, NodeKind.MEMORY, "memory")
        other = id_of(input.other, NodeKind.MEMORY, "other")
        type = None if input.type is None else relation_type(input.type)
        actor = info.context.viewer.actor
        removed = await info.context.knowledge.memories.unlink(volume, memory, other, type, actor)
        return UnlinkMemoriesPayload(removed=removed)

    @computed(description="Attach entities, documents, code artifacts and projects to a memory.")
    async def attach_to_memory(
        self, info: Info, input: Annotated[AttachToMemoryInput, strawberry.argument(description="What to attach.")]
    ) -> AttachToMemoryPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.MEMORY, "id")
        what = _attachments(input.entities, input.documents, input.code_artifacts, input.projects)
        await info.context.knowledge.memories.attach(volume, id, what, info.context.viewer.actor)
        return AttachToMemoryPayload(memory=await _memory(info, id))

    @computed(description="Detach entities, documents, code artifacts and projects from a memory.")
    async def detach_from_memory(
        self, info: Info, input: Annotated[DetachFromMemoryInput, strawberry.argument(description="What to detach.")]
    ) -> DetachFromMemoryPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.MEMORY, "id")
        what = _attachments(input.entities, input.documents, input.code_artifacts, input.projects)
        await info.context.knowledge.memories.detach(volume, id, what, info.context.viewer.actor)
        return DetachFromMemoryPayload(memory=await _memory(info, id))
