"""Copies: other sources of what a document says, which become a document of their own when that one changes.

The same content is one document, whoever gives it. Without a note of the others a change of one source would retract what the
others still say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from server import models
from server.ids import NodeKind
from server.store import Transaction
from server.store.records import CopyRecord, DocumentRecord
from server.terms import ChangeKind

__all__ = ["copy_at", "forget_copy", "note_copy", "part_from_copies"]


async def copy_at(tx: Transaction, uri: str | None) -> CopyRecord | None:
    """Return the note that a uri gave what a document under another one says."""
    found = [] if uri is None else await tx.read.where(CopyRecord, volume_id=tx.volume_id, uri=uri)
    return found[0] if found else None


async def note_copy(
    tx: Transaction, known: DocumentRecord, *, uri: str | None, title: str, mime_type: str, authority: str
) -> None:
    """Note that another source gives what a document says; sources without a uri are noted once."""
    copies = await tx.read.where(CopyRecord, document_id=known.id)
    if uri in {known.uri, *(copy.uri for copy in copies)}:
        return
    given = {"uri": uri, "title": title, "mime_type": mime_type, "authority": authority}
    tx.insert(models.DocumentCopy, document_id=known.id, **given)
    _log(tx, known.id, copies, [*_uris(copies), *([] if uri is None else [uri])])


async def forget_copy(tx: Transaction, gone: CopyRecord) -> None:
    """Forget the note of a source that says something else now."""
    copies = await tx.read.where(CopyRecord, document_id=gone.document_id)
    tx.delete_ids(models.DocumentCopy, [gone.id])
    _log(tx, gone.document_id, copies, [uri for uri in _uris(copies) if uri != gone.uri])


async def part_from_copies(tx: Transaction, known: DocumentRecord, insert: Callable[[CopyRecord, str], UUID]) -> None:
    """Make a document of the copies of one that is about to change.

    `insert` takes the copy and the content as a new document, has it read and returns its id.
    """
    copies = await tx.read.where(CopyRecord, document_id=known.id)
    if not copies:
        return
    first, rest = copies[0], copies[1:]
    (content,) = await tx.read.contents([(known.id, known.revision)])
    assert content is not None
    tx.delete_ids(models.DocumentCopy, [first.id])
    id = insert(first, content)
    _log(tx, known.id, copies, [])
    _log(tx, id, [], _uris(rest))
    tx.update_many(models.DocumentCopy, [{"id": copy.id, "document_id": id} for copy in rest])
    projects = await tx.read.linked(models.ProjectDocument, "document_id", known.id, "project_id")
    tx.insert_many(models.ProjectDocument, [{"project_id": one, "document_id": id} for one in sorted(projects)])


def _uris(copies: Sequence[CopyRecord]) -> list[str]:
    return [copy.uri for copy in copies if copy.uri is not None]


def _log(tx: Transaction, document: UUID, before: Sequence[CopyRecord], after: list[str]) -> None:
    if _uris(before) != after:
        old, new = {"other_uris": _uris(before)}, {"other_uris": after}
        tx.log(ChangeKind.UPDATED, NodeKind.DOCUMENT, document, before=old, after=new)
