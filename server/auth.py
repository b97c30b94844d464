"""Who is asking. Without authentication the server serves this machine alone, and whoever is on it may do everything."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Viewer:
    """A caller: `actor` is what the change log records."""

    actor: str
    role: str


LOCAL = Viewer(actor="local", role="ADMIN")
