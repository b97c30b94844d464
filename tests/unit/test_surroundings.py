"""What a chunk stands under reaches the extractor, so that a section or a table that is cut goes on."""

from __future__ import annotations

from server.services.chunking import chunk
from server.services.extraction.offline import OfflineExtractor
from server.services.extraction.protocol import ChunkText, Extraction
from server.services.reading import Reading, read_document
from server.services.surroundings import Surroundings, surroundings

TABLE = (
    "# Pricing\n\n## Plans\n\n| Plan | Price |\n|---|---|\n"
    + "".join(f"| Plan {n} | ${n} |\n" for n in range(10, 40))
    + "\nText after.\n"
)
RESUME = "JANE Q. ROE\njane@roe.example | Oslo\n\nEXPERIENCE\n\n" + "\n\n".join(
    f"Engineer, Company {letter} Inc, {year}–{year + 1}\n\n• Wrote the service number {year} in a team of five people."
    for letter, year in zip("ABCDEFGH", range(2000, 2016, 2), strict=True)
)


async def _ignore(_done: int, _total: int) -> None: ...


async def read(content: str, mime_type: str) -> Reading:
    extractor = OfflineExtractor()

    async def extract(text: ChunkText) -> Extraction:
        return extractor.extract(text)

    return await read_document(
        extract, title="a file", content=content, mime_type=mime_type, chunk_size=200, progress=_ignore
    )


def test_markdown_chunks_have_their_headings_and_the_heads_of_their_table() -> None:
    """The first chunk holds the heads itself; the text after the table has none."""
    chunks = chunk(TABLE, mime_type="text/markdown", target=200, limit=260)
    found = surroundings(TABLE, chunks)
    headings = ("Pricing", "Plans")
    assert found[0] == Surroundings(headings, "")
    assert set(found[1:-1]) == {Surroundings(headings, "| Plan | Price |")}
    assert found[-1] == Surroundings(headings, "")
    assert len(found) > 3


def test_plain_chunks_have_the_first_line_and_the_last_section() -> None:
    """What serves as headings in plain text."""
    chunks = chunk(RESUME, target=200, limit=260)
    found = surroundings(RESUME, chunks)
    assert found[0] == Surroundings((), "")
    assert set(found[1:]) == {Surroundings(("JANE Q. ROE", "EXPERIENCE"), "")}


def test_a_long_first_line_is_no_title() -> None:
    """A sentence at the start is not what the rest stands under."""
    text = "This is a sentence.\n\n" + "More text here, word by word. " * 40
    assert set(surroundings(text, chunk(text, target=200, limit=260))) == {Surroundings((), "")}


async def test_every_row_of_a_table_in_many_chunks_is_read() -> None:
    """Each with its price, none twice."""
    reading = await read(TABLE, "text/markdown")
    prices = [
        (reading.things[one.said.subject].name, one.said.value)
        for one in reading.statements
        if hasattr(one.said, "value")
    ]
    assert prices == [(f"Plan {n}", f"{n} USD") for n in range(10, 40)]


async def test_every_job_of_a_resume_in_many_chunks_is_the_persons() -> None:
    """Though only the first chunk has the name."""
    reading = await read(RESUME, "text/plain")
    jobs = [
        (reading.things[one.said.source].name, reading.things[one.said.target].name)
        for one in reading.statements
        if hasattr(one.said, "target") and one.said.type == "WORKS_AT"
    ]
    assert jobs == [("Jane Q. Roe", f"Company {letter} Inc") for letter in "ABCDEFGH"]
