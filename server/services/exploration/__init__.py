"""Exploration: in one request what an agent would ask for step by step around a topic, within one token budget."""

from __future__ import annotations

from server.services.exploration.entering import Asked
from server.services.exploration.exploring import Exploration, FoundEntity, FoundMemory, explore

__all__ = ["Asked", "Exploration", "FoundEntity", "FoundMemory", "explore"]
