"""Mutations of projects and code artifacts."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import strawberry

from schema.arguments import id_of
from schema.breadth import computed
from schema.context import Info
from schema.mutations.inputs import IDEMPOTENCY, VERSION, VOLUME, named, volume_of
from schema.types.fact import gone
from schema.types.project import CodeArtifact, Project
from server.ids import NodeKind
from server.services.projects import NewCodeArtifact
from server.store.records import CodeArtifactRecord, ProjectRecord
from server.terms import ProjectStatus


@strawberry.input(description="The project to make.")
class CreateProjectInput:
    name: str = strawberry.field(description="Its name, not taken in the volume yet.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    description: str | None = strawberry.field(default=None, description="What it is about.")
    status: ProjectStatus = strawberry.field(default=ProjectStatus.ACTIVE, description="How it stands.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)


@strawberry.type(description="The project that was made.")
class CreateProjectPayload:
    project: Project = strawberry.field(description="The project, empty as yet.")


@strawberry.input(description="What to change about a project. Fields left out stay as they are.")
class UpdateProjectInput:
    id: strawberry.ID = strawberry.field(description="The project.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    name: str | None = strawberry.field(default=strawberry.UNSET, description="Its new name.")
    description: str | None = strawberry.field(
        default=strawberry.UNSET, description="What it is about; null clears it."
    )
    status: ProjectStatus | None = strawberry.field(default=strawberry.UNSET, description="How it stands.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The project as it is now.")
class UpdateProjectPayload:
    project: Project = strawberry.field(description="The project with its changes.")


@strawberry.input(description="The project to delete.")
class DeleteProjectInput:
    id: strawberry.ID = strawberry.field(description="The project.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The project that is gone.")
class DeleteProjectPayload:
    deleted_id: strawberry.ID = strawberry.field(description="The id that it had.")


@strawberry.input(description="The code to keep.")
class CreateCodeArtifactInput:
    title: str = strawberry.field(description="What it is called: up to 500 characters.")
    language: str = strawberry.field(description="The language it is written in.")
    code: str = strawberry.field(description="The code itself: up to 100,000 characters.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    description: str | None = strawberry.field(default=None, description="What it does.")
    tags: list[str] | None = strawberry.field(default=None, description="Its tags: up to 10.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY)

    def plain(self) -> NewCodeArtifact:
        return NewCodeArtifact(
            title=self.title,
            language=self.language,
            code=self.code,
            description=self.description,
            tags=tuple(self.tags or ()),
        )


@strawberry.type(description="The code artifact that was made.")
class CreateCodeArtifactPayload:
    code_artifact: CodeArtifact = strawberry.field(description="The code as it is kept.")


@strawberry.input(description="What to change about a code artifact. Fields left out stay as they are.")
class UpdateCodeArtifactInput:
    id: strawberry.ID = strawberry.field(description="The code artifact.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    title: str | None = strawberry.field(default=strawberry.UNSET, description="What it is called.")
    language: str | None = strawberry.field(default=strawberry.UNSET, description="The language it is written in.")
    code: str | None = strawberry.field(default=strawberry.UNSET, description="The code itself.")
    description: str | None = strawberry.field(default=strawberry.UNSET, description="What it does; null clears it.")
    tags: list[str] | None = strawberry.field(default=strawberry.UNSET, description="All its tags.")
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The code artifact as it is now.")
class UpdateCodeArtifactPayload:
    code_artifact: CodeArtifact = strawberry.field(description="The code artifact with its changes.")


@strawberry.input(description="The code artifact to delete.")
class DeleteCodeArtifactInput:
    id: strawberry.ID = strawberry.field(description="The code artifact.")
    volume: str = strawberry.field(default="default", description=VOLUME)
    expected_version: int | None = strawberry.field(default=None, description=VERSION)


@strawberry.type(description="The code artifact that is gone.")
class DeleteCodeArtifactPayload:
    deleted_id: strawberry.ID = strawberry.field(description="The id that it had.")


async def _project(info: Info, id: UUID) -> Project:
    row = await info.context.store.read.one(ProjectRecord, id)
    if row is None:
        raise gone("project")
    return Project.of(row)


async def _artifact(info: Info, id: UUID) -> CodeArtifact:
    row = await info.context.store.read.one(CodeArtifactRecord, id)
    if row is None:
        raise gone("code artifact")
    return CodeArtifact.of(row)


@strawberry.type
class ProjectMutations:
    @computed(description="Make a project.")
    async def create_project(
        self, info: Info, input: Annotated[CreateProjectInput, strawberry.argument(description="The project.")]
    ) -> CreateProjectPayload | None:
        volume = await volume_of(info, input.volume)
        actor, key = info.context.viewer.actor, input.idempotency_key
        projects = info.context.knowledge.projects
        id = await projects.create(volume, input.name, input.description, input.status, actor, key)
        return CreateProjectPayload(project=await _project(info, id))

    @computed(description="Edit a project.")
    async def update_project(
        self, info: Info, input: Annotated[UpdateProjectInput, strawberry.argument(description="What to change.")]
    ) -> UpdateProjectPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.PROJECT, "id")
        changes = named(name=input.name, description=input.description, status=input.status)
        actor = info.context.viewer.actor
        await info.context.knowledge.projects.update(volume, id, changes, input.expected_version, actor)
        return UpdateProjectPayload(project=await _project(info, id))

    @computed(description="Delete a project; what belonged to it stays. It cannot be undone.")
    async def delete_project(
        self, info: Info, input: Annotated[DeleteProjectInput, strawberry.argument(description="Which one.")]
    ) -> DeleteProjectPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.PROJECT, "id")
        await info.context.knowledge.projects.delete(volume, id, input.expected_version, info.context.viewer.actor)
        return DeleteProjectPayload(deleted_id=input.id)

    @computed(description="Keep a piece of code.")
    async def create_code_artifact(
        self, info: Info, input: Annotated[CreateCodeArtifactInput, strawberry.argument(description="The code.")]
    ) -> CreateCodeArtifactPayload | None:
        volume = await volume_of(info, input.volume)
        actor, key = info.context.viewer.actor, input.idempotency_key
        id = await info.context.knowledge.code_artifacts.create(volume, input.plain(), actor, key)
        return CreateCodeArtifactPayload(code_artifact=await _artifact(info, id))

    @computed(description="Edit a code artifact.")
    async def update_code_artifact(
        self, info: Info, input: Annotated[UpdateCodeArtifactInput, strawberry.argument(description="What to change.")]
    ) -> UpdateCodeArtifactPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.CODE_ARTIFACT, "id")
        changes = named(
            title=input.title,
            language=input.language,
            code=input.code,
            description=input.description,
            tags=input.tags,
        )
        actor = info.context.viewer.actor
        await info.context.knowledge.code_artifacts.update(volume, id, changes, input.expected_version, actor)
        return UpdateCodeArtifactPayload(code_artifact=await _artifact(info, id))

    @computed(description="Delete a code artifact. It cannot be undone.")
    async def delete_code_artifact(
        self, info: Info, input: Annotated[DeleteCodeArtifactInput, strawberry.argument(description="Which one.")]
    ) -> DeleteCodeArtifactPayload | None:
        volume = await volume_of(info, input.volume)
        id = id_of(input.id, NodeKind.CODE_ARTIFACT, "id")
        artifacts = info.context.knowledge.code_artifacts
        await artifacts.delete(volume, id, input.expected_version, info.context.viewer.actor)
        return DeleteCodeArtifactPayload(deleted_id=input.id)
