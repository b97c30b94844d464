"""PostGraphile, installed at run time into a cache outside of the checkout, in the versions that node/package-lock.json pins."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["CACHE", "installed"]

CACHE = Path.home() / ".cache" / "loregraph-benchmarks" / "postgraphile"
_FILES = Path(__file__).parent / "node"
_MINUTES = 10


def installed() -> list[str] | None:
    """Return the command that starts it, or None, having said why, where it cannot be installed."""
    node = CACHE / "node_modules" / "node" / "bin" / "node"
    missing = None if _current() else _install()
    if missing is None and not node.exists():
        missing = "npm has not installed Node 22"
    if missing is not None:
        print(f"Running without PostGraphile: {missing}.", file=sys.stderr)
        return None
    shutil.copy(_FILES / "server.mjs", CACHE)
    return [str(node), "server.mjs"]


def _current() -> bool:
    """Tell whether what is installed is what the lock says; the copy of the lock is put there last."""
    known = CACHE / "installed.json"
    return known.exists() and known.read_bytes() == (_FILES / "package-lock.json").read_bytes()


def _install() -> str | None:
    """Install it; return why that was not possible."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm was not found"
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_FILES / name, CACHE)
    print(f"Installing PostGraphile into {CACHE}", file=sys.stderr)
    command = [npm, "ci", "--no-audit", "--no-fund"]
    try:
        subprocess.run(command, cwd=CACHE, check=True, capture_output=True, text=True, timeout=_MINUTES * 60)
    except subprocess.CalledProcessError as error:
        return f"npm failed: {error.stderr.strip()[-500:]}"
    except subprocess.TimeoutExpired:
        return f"npm has taken more than {_MINUTES} minutes"
    shutil.copy(_FILES / "package-lock.json", CACHE / "installed.json")
    return None
