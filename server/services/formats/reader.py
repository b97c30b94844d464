"""A process that reads one file after the other, seen from the server. What it does is in `child`.

It inherits no socket, no file and no secret of the server's environment, and ends with the server, however that ends.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from server.services.formats.frames import receive, send
from server.services.formats.limits import Limits

__all__ = ["OUT_OF_MEMORY", "Reader"]

OUT_OF_MEMORY = 71
"""The exit code of a process that needed more memory than it may have."""

_log = logging.getLogger(__name__)
_KEPT = frozenset(
    {
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "TZ",
        "TMPDIR",
        "TEMP",
        "TMP",
        "SYSTEMROOT",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
    }
)
_OVERHEAD = 65_536
_MOST_BYTES_A_CHARACTER = 12  # JSON writes what is beyond the Basic Multilingual Plane as two escapes


class Reader:
    """One process. `ask` is called from one thread at a time; `kill` from any."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115, closed with the process
        environment = {name: value for name, value in os.environ.items() if name.upper() in _KEPT}
        environment |= {
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONUTF8": "1",
            "MALLOC_ARENA_MAX": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "server.services.formats.child", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env=environment,
            start_new_session=True,  # Ctrl+C reaches the server alone, which decides when we end
        )
        self.asked = 0

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process can be asked."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How the process ended, as of subprocess: negative where a signal ended it. None while it runs."""
        return self._process.poll()

    def resident(self) -> int:
        """Return the bytes of memory that the process has now; 0 where the system does not tell."""
        try:
            return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            return 0

    def ask(self, file: bytes | Path, mime_type: str, claimed: str | None) -> dict[str, Any] | None:
        """Return the answer of the process about one file; None where it died over it. Blocks."""
        self.asked += 1
        head = {"mime_type": mime_type, "claimed": claimed, "limits": asdict(self._limits)}
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            if isinstance(file, bytes):
                send(stdin, head, file)
            else:
                send(stdin, {**head, "path": str(file.absolute())})
            answer = receive(stdout, self._limits.characters * _MOST_BYTES_A_CHARACTER + _OVERHEAD)
        except OSError:
            answer = None
        if answer is None:
            self._bury()
            return None
        return answer[0]

    def kill(self) -> None:
        """End the process now; a thread that asks it is answered None."""
        self._process.kill()

    def close(self) -> None:
        """End the process and free what it held here; nobody may be asking it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue  # what was not sent is not wanted
        self._complaints.close()

    def _bury(self) -> None:
        self._process.kill()
        code = self._process.wait()
        self._complaints.seek(0)
        said = self._complaints.read()[-2000:].decode(errors="replace").strip()
        if said:
            _log.warning("The process that reads files ended with %s: %s", code, said)
