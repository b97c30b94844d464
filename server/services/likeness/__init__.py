"""Likeness of entities: scores with reasons, vetoes, and the keys under which entities that may be alike meet."""

from server.services.likeness.scoring import ALONE, NEAR, THRESHOLD, Likeness, Look, likeness

__all__ = ["ALONE", "NEAR", "THRESHOLD", "Likeness", "Look", "likeness"]
