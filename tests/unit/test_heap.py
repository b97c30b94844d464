"""The heap: what is asked of the C library, and that others do without."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from server.store import heap


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc only")
def test_freed_pages_between_used_ones_go_back_to_the_system() -> None:
    """200 MB in small pieces, of which each hundredth stays: without giving back, they would stay with the process."""
    program = """
from pathlib import Path
from server.store import heap

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

assert heap.share_arenas()
kept = [bytes(5_000) for _ in range(40_000)]
kept = kept[::100]
before = resident()
assert heap.give_back()
print(before - resident())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) > 100


def test_a_c_library_without_these_knobs_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap, "_libc", lambda: object())
    assert (heap.share_arenas(), heap.give_back()) == (False, False)
    monkeypatch.setattr(heap, "_libc", lambda: None)
    assert (heap.share_arenas(), heap.give_back()) == (False, False)
