"""Idempotency keys: the same create, sent twice, is done once and answered alike.

The answer is kept with the rows it made, in the same transaction. A key belongs to one request: the same key with
another input is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import orjson

from server import models
from server.config import Settings
from server.errors import BadUserInput, Conflict
from server.store import Transaction
from server.store.transaction import utc_now


def request_hash(action: str, request: Mapping[str, Any]) -> str:
    """Return what tells two requests apart."""
    return sha256(orjson.dumps([action, request], option=orjson.OPT_SORT_KEYS, default=str)).hexdigest()


class Once:
    """One create with an optional key: `recall` inside the transaction, then `remember` what was made."""

    def __init__(self, settings: Settings, key: str | None, action: str, request: Mapping[str, Any]) -> None:
        if key is not None and not 1 <= len(key) <= 200:
            raise BadUserInput("An idempotencyKey has 1 to 200 characters.", argument="idempotencyKey")
        self._key = key
        self._keep = timedelta(days=settings.idempotency_days)
        self._hash = request_hash(action, request) if key is not None else ""

    async def recall(self, tx: Transaction, volume_id: UUID | None = None) -> dict[str, Any] | None:
        """Return what this request answered before in a volume, the transaction's unless named, or None.

        Raises:
            Conflict: the key was used for another request.
        """
        if self._key is None:
            return None
        known = await tx.idempotent_result(self._key, volume_id or tx.volume_id)
        if known is None:
            return None
        if known[0] != self._hash:
            raise Conflict(
                "This idempotencyKey was used for another request. Take a new one.", argument="idempotencyKey"
            )
        return known[1]

    def remember(self, tx: Transaction, result: Mapping[str, Any]) -> None:
        """Keep the answer; forget answers that are past their time."""
        if self._key is None:
            return
        limit = utc_now() - self._keep
        tx.delete(models.IdempotentResult, lambda row: row.c.created_at < limit)
        tx.insert(models.IdempotentResult, key=self._key, request_hash=self._hash, result=dict(result))
