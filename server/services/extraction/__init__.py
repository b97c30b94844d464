"""Extraction: what a text says, as entities, facts and relationships with the words they rest on.

The port is in `protocol`; here is what stands behind it.
"""

from __future__ import annotations

from server.services.extraction.protocol import Extractor

__all__ = ["OFFLINE", "offline_extractor"]

OFFLINE = "offline-1"


def offline_extractor() -> Extractor:
    """Return a new offline extractor. Its language model and its rules load here, in the process that reads texts with them."""
    from server.services.extraction.offline import OfflineExtractor

    return OfflineExtractor()
