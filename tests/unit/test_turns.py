"""Turns of the event loop: one in each iteration, in order, and none lost to a task that was cancelled."""

from __future__ import annotations

import asyncio

from server.store.turns import Turns


class Iterations:
    """Counts the loop's iterations from the moment that it is made."""

    def __init__(self) -> None:
        self.number = 0
        self._loop = asyncio.get_running_loop()
        self._count()

    def _count(self) -> None:
        self.number += 1
        self._handle = self._loop.call_soon(self._count)

    def stop(self) -> None:
        self._handle.cancel()


async def taken(turns: Turns, tasks: int, cancelled: int | None = None) -> list[tuple[int, int]]:
    """Let so many tasks take turns at once; return whose turn came and in which iteration, the first one's being 0."""
    iterations, found = Iterations(), list[tuple[int, int]]()

    async def take(number: int) -> None:
        await turns.take()
        found.append((number, iterations.number))

    running = [asyncio.create_task(take(number)) for number in range(tasks)]
    await asyncio.sleep(0)
    if cancelled is not None:
        running[cancelled].cancel()
    await asyncio.wait(running)
    iterations.stop()
    return [(number, at - found[0][1]) for number, at in found]


async def test_tasks_that_come_at_once_have_their_turns_in_different_iterations() -> None:
    assert await taken(Turns(), 4) == [(0, 0), (1, 2), (2, 3), (3, 4)]


async def test_a_task_that_comes_alone_does_not_wait() -> None:
    turns = Turns()
    iterations = Iterations()
    await turns.take()
    assert iterations.number == 1
    iterations.stop()


async def test_a_cancelled_task_takes_nobody_s_turn() -> None:
    assert await taken(Turns(), 4, cancelled=1) == [(0, 0), (2, 2), (3, 3)]


async def test_turns_go_on_after_a_rest() -> None:
    turns = Turns()
    await taken(turns, 3)
    await asyncio.sleep(0.01)
    assert await taken(turns, 2) == [(0, 0), (1, 2)]
