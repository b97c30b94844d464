"""Patience with what is busy: how often it is tried again, and when no more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from server.commands.patience import LONGEST, Exhausted, Patience
from server.errors import BadUserInput, Busy, ServerError


def refusing(*errors: ServerError) -> tuple[Callable[[], Awaitable[str]], list[int]]:
    """Return what is refused by these errors, one after another, and then done, and the list of its tries."""
    left, tries = list(errors), []

    async def act() -> str:
        tries.append(len(tries))
        if left:
            raise left.pop(0)
        return "done"

    return act, tries


async def test_what_is_busy_is_tried_until_it_is_done() -> None:
    act, tries = refusing(*[Busy("Busy.")] * 4)
    assert await Patience(tries=5, pause=0).tried(act) == "done"
    assert len(tries) == 5


async def test_what_stays_busy_is_given_up_after_the_last_try() -> None:
    act, tries = refusing(*[Busy("Busy.")] * 9)
    with pytest.raises(Exhausted, match=r"^Busy\. The same command takes it up when it is run again\.$"):
        await Patience(tries=3, pause=0).tried(act)
    assert len(tries) == 3


async def test_where_everything_is_refused_for_too_long_nothing_is_tried_again_until_something_is_done() -> None:
    patience = Patience(pause=0, lasts=0)
    act, tries = refusing(Busy("Busy."))
    with pytest.raises(Exhausted):
        await patience.tried(act)
    assert len(tries) == 1
    patience.lasts = 60.0
    assert await patience.tried(act) == "done"
    act, tries = refusing(Busy("Busy."))
    assert await patience.tried(act) == "done"
    assert len(tries) == 2


async def test_a_server_that_asks_for_more_than_the_longest_pause_is_given_up_at_once() -> None:
    act, tries = refusing(Busy("Busy.", wait=LONGEST + 1))
    with pytest.raises(Exhausted):
        await Patience().tried(act)
    assert len(tries) == 1


def test_a_pause_that_is_asked_for_is_kept_and_others_grow_up_to_the_longest() -> None:
    patience = Patience(tries=100)
    assert patience._wait(0, Busy("Busy.", wait=7.0)) == 7.0
    pauses = [patience._wait(number, Busy("Busy.")) for number in (0, 1, 2, 20)]
    for pause, least in zip(pauses, (0.25, 0.5, 1.0, 15.0), strict=True):
        assert pause is not None
        assert least <= pause <= 2 * least


async def test_what_is_refused_for_another_reason_is_not_tried_again() -> None:
    act, tries = refusing(BadUserInput("Wrong."))
    with pytest.raises(BadUserInput):
        await Patience(pause=0).tried(act)
    assert len(tries) == 1
