"""A full name that the volume knows exactly stands for whom it knows, though a document takes it for a longer name of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scripted import edge, ingest, thing

from server.services.extraction.protocol import Span

if TYPE_CHECKING:
    from api.conftest import Api

PLACES = (thing("Globex", "organization"), thing("Oslo", "place"))
KNOWN = (
    "query($n: String!) { volume { entity(by: {name: {name: $n}}) { name aliases relationships { nodes { text } } } } }"
)


async def shown(api: Api, name: str) -> tuple[str, list[str], list[str]]:
    """Return whom a name leads to, her other names and what is said of her."""
    one = (await api.ask(KNOWN, n=name))["volume"]["entity"]
    return one["name"], one["aliases"], [edge["text"] for edge in one["relationships"]["nodes"]]


async def tell(api: Api, *sentences: str) -> None:
    """Ingest sentences, the second of which says where Ada lives."""
    text = " ".join(sentences)
    first, second = text.index("Ada Lind"), text.index("Ada M. Lind")
    spans = [{"start": first, "end": first + 8}, {"start": second, "end": second + 11}]
    ada = thing("Ada M. Lind", "person", aliases=["Ada Lind"], mentions=[Span(**span) for span in spans])
    works = edge("Ada M. Lind", "WORKS_AT", "Globex", sentences[0])
    await ingest(api, text, ada, *PLACES, works, edge("Ada M. Lind", "LIVES_IN", "Oslo", sentences[-1]))


async def test_a_full_name_that_is_known_goes_to_whom_it_is_the_name_of(api: Api) -> None:
    await api.entity("Ada Lind", "person")
    await tell(api, "Ada M. Lind works at Globex.", "Ada Lind lives in Oslo.")
    assert await shown(api, "Ada Lind") == ("Ada Lind", [], ["Ada Lind lives in Oslo"])
    assert await shown(api, "Ada M. Lind") == ("Ada M. Lind", [], ["Ada M. Lind works at Globex"])


@pytest.mark.parametrize("known", [None, "Ada K. Lind"])
async def test_a_full_name_that_nobody_has_is_another_name_in_its_document(api: Api, known: str | None) -> None:
    if known is not None:
        await api.entity(known, "person")
    await tell(api, "Ada M. Lind works at Globex.", "Ada Lind lives in Oslo.")
    said = ["Ada M. Lind works at Globex", "Ada M. Lind lives in Oslo"]
    assert await shown(api, "Ada Lind") == ("Ada M. Lind", ["Ada Lind"], said)


async def test_a_document_that_says_that_two_names_are_one_is_believed(api: Api) -> None:
    await api.entity("Ada Lind", "person")
    await tell(api, "Ada M. Lind works at Globex.", "Ada M. Lind, known as Ada Lind, lives in Oslo.")
    said = ["Ada M. Lind works at Globex", "Ada M. Lind lives in Oslo"]
    assert await shown(api, "Ada M. Lind") == ("Ada M. Lind", ["Ada Lind"], said)
