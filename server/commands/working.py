"""Working on ingestions apart from the server, as many processes as wanted on one store."""

from __future__ import annotations

from collections.abc import Callable

from server.app import opened, running
from server.config import Settings

__all__ = ["work"]


async def work(settings: Settings, ready: Callable[[], None]) -> None:
    """Work on the queue until cancelled; what is under way then is given back at once. `ready` is called at the start.

    Raises:
        Misconfigured: the store cannot be opened as the settings say.
        UpstreamUnavailable: the database does not answer.
    """
    async with opened(settings) as knowledge, running(knowledge) as worker:
        ready()
        assert worker is not None
        await worker
