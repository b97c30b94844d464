"""Evidence: the words that a claim rests on, checked against the document they are said to come from."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from server.errors import BadUserInput
from server.services.checks import one_in_volume
from server.services.claims import Support
from server.services.quotes import locate
from server.store.reader import Reader
from server.store.records import DocumentRecord
from server.terms import Authority


class Stated(Protocol):
    """What a claim by hand says about its source."""

    @property
    def confidence(self) -> float: ...
    @property
    def authority(self) -> Authority: ...
    @property
    def document(self) -> UUID | None: ...
    @property
    def quote(self) -> str | None: ...


async def by_hand(read: Reader, volume_id: UUID, text: str, stated: Stated) -> Support:
    """Return the evidence of a claim that a person makes.

    Without a document it is the claim's own text, unverified. With a document and a quote, the quote is verified and
    stored in the document's own words; with a document alone, the claim's text is quoted where the document has it.

    Raises:
        NotFound: the document is not of this volume.
        BadUserInput: the quote does not occur in the document.
    """
    quote = stated.quote or text
    if stated.document is None:
        return Support(quote, stated.confidence, stated.authority)
    document = await one_in_volume(read, DocumentRecord, volume_id, stated.document, "document", "document")
    (content,) = await read.contents([(document.id, document.revision)])
    span = locate(quote, content or "")
    if span is None and stated.quote is not None:
        raise BadUserInput(
            "The quote does not occur in the document. Copy it from there word for word.", argument="quote"
        )
    return Support(
        quote if span is None else (content or "")[span[0] : span[1]],
        stated.confidence,
        stated.authority,
        document_id=document.id,
        revision=document.revision,
        start=None if span is None else span[0],
        end=None if span is None else span[1],
        verified=span is not None,
    )
