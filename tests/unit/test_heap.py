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

assert heap.bound_heap()
kept = [bytes(5_000) for _ in range(40_000)]
kept = kept[::100]
before = resident()
assert heap.give_back()
print(before - resident())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) > 100


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc only")
def test_large_buffers_go_back_to_the_system_when_they_are_freed() -> None:
    """A larger one freed before would have them stand among the small pieces, and stay."""
    program = """
from pathlib import Path
from server.store import heap

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

assert heap.bound_heap()
first = b"1" * 20_000_000
del first
large, small = [], []
for _ in range(100):
    large.append(b"1" * 1_000_000)
    small.append(b"1" * 5_000)
before = resident()
del large
print(before - resident())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) > 90


def test_a_c_library_without_these_knobs_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap, "_libc", lambda: object())
    assert (heap.bound_heap(), heap.give_back()) == (False, False)
    monkeypatch.setattr(heap, "_libc", lambda: None)
    assert (heap.bound_heap(), heap.give_back()) == (False, False)
