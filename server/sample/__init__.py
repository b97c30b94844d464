"""The sample: five short texts of our own that the demo volume starts with.

A résumé, a product catalogue, an announcement, and notes on Python and on language models. The people, companies and products in the
first three are invented.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

_TITLES = {
    "resume": ("Résumé of Mira Solberg", "USER"),
    "catalogue": ("Plans and features of Lanternworks", "OFFICIAL"),
    "announcement": ("Announcing the Professional Plus plan", "OFFICIAL"),
    "python": ("Notes on Python", "USER"),
    "language_models": ("BERT and GPT-3", "THIRD_PARTY"),
}


@dataclass(frozen=True, slots=True)
class SampleDocument:
    """A text to ingest; `authority` is the name of an authority as the schema spells it."""

    title: str
    text: str
    mime_type: str
    uri: str
    authority: str


def sample_documents() -> list[SampleDocument]:
    """Return the sample's documents in the order in which they are to be ingested."""
    return [
        SampleDocument(title, _text(stem), "text/markdown", f"sample:{stem}", authority)
        for stem, (title, authority) in _TITLES.items()
    ]


def _text(stem: str) -> str:
    return files(__package__).joinpath(f"{stem}.md").read_text(encoding="utf-8")
