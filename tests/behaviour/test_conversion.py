"""Files are read in processes of their own: bounded, at most two at once, and gone when they are not wanted."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from files import docx, p, pdf, raw_pdf, text_page

from server.config import Settings
from server.errors import BadUserInput, LimitExceeded, ServerError
from server.services.formats import Converted, Converter
from server.services.formats import converter as module
from server.services.formats.types import DOCX, HTML, MARKDOWN, PDF, PLAIN

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@pytest.fixture
async def converter(tmp_path: Path) -> AsyncIterator[Converter]:
    made = Converter(Settings(data=tmp_path))
    yield made
    await made.aclose()


def children(parent: int | None = None) -> set[int]:
    """The processes that read files for this one, or another."""
    found = subprocess.run(["ps", "-Aww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = (line.split(None, 2) for line in found.splitlines())
    wanted = parent or os.getpid()
    return {int(pid) for pid, parent_id, command in rows if int(parent_id) == wanted and "formats.child" in command}


def running(pid: int) -> bool:
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(found.strip()) and not found.strip().startswith("Z")


async def until(condition: object, seconds: float = 20) -> None:
    """Wait until a function tells the truth."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it never came to be"
        await asyncio.sleep(0.05)


SLOW = raw_pdf(b"BT /F 9 Tf 50 800 Td " + b"0 -1 Td(Acme) Tj " * 3_000_000 + b"ET")
PAGE = b"<!doctype html><title>Acme</title><h1>Acme</h1><p>Ada is CTO."


async def test_each_format_is_read_from_bytes_and_from_a_path(converter: Converter, tmp_path: Path) -> None:
    files = {
        b"Ada is CTO.": Converted("Ada is CTO.", PLAIN),
        "Ada überlässt Zoë die Führung der Geschäfte.".encode("cp1252"): Converted(
            "Ada überlässt Zoë die Führung der Geschäfte.", PLAIN
        ),
        PAGE: Converted("# Acme\n\nAda is CTO.\n", HTML, "Acme"),
        pdf(text_page("#Acme", "Ada is CTO of all the engines that Acme makes.")): Converted(
            "# Acme\n\nAda is CTO of all the engines that Acme makes.\n", PDF, "Acme"
        ),
        docx(p("Acme", "Title") + p("Ada is CTO.")): Converted("# Acme\n\nAda is CTO.\n", DOCX, "Acme"),
    }
    path = tmp_path / "file"
    for file, converted in files.items():
        path.write_bytes(file)
        assert await converter.convert(file) == converted
        assert await converter.convert(path) == converted
    assert await converter.convert(b"# Acme", claimed="text/markdown") == Converted("# Acme", MARKDOWN, "Acme")


async def test_unicode_text_needs_no_process(converter: Converter) -> None:
    await converter.convert(b"Ada is CTO.")
    with pytest.raises(BadUserInput):
        await converter.convert(b"\x89PNG\r\n\x1a\n")
    assert children() == set()


@pytest.mark.parametrize(
    ("file", "refused", "message"),
    [
        (
            b"%PDF-1.7 rubbish",
            BadUserInput,
            "The PDF is broken, its end is missing: open it in a viewer and print it to a new PDF.",
        ),
        (b" \n", BadUserInput, "The file has no text: there is nothing to read."),
        (b"<!doctype html><nav></nav>", BadUserInput, "The file has no text: there is nothing to read."),
        (
            b"x" * 2001,
            LimitExceeded,
            "The file has 2,001 characters of text; at most 2,000 are read. Send it in parts.",
        ),
        (
            b"<!doctype html>" + b"x" * 3000,
            LimitExceeded,
            "The file has 3,001 characters of text; at most 2,000 are read. Send it in parts.",
        ),
    ],
)
async def test_a_refusal_says_why_and_names_the_argument(
    tmp_path: Path, file: bytes, refused: type[ServerError], message: str
) -> None:
    converter = Converter(Settings(data=tmp_path, document_limit=2000))
    with pytest.raises(refused) as refusal:
        await converter.convert(file, argument="upload")
    assert (refusal.value.message, refusal.value.argument) == (message, "upload")
    await converter.aclose()


async def test_at_most_two_files_are_read_at_once_and_the_loop_goes_on(converter: Converter) -> None:
    most = ticks = 0
    files = asyncio.gather(*(converter.convert(PAGE + b" " * size) for size in range(12)))
    while not files.done():
        most, ticks = max(most, len(children())), ticks + 1
        await asyncio.sleep(0)
    assert {found.text for found in await files} == {"# Acme\n\nAda is CTO.\n"}
    assert most == len(children()) == 2
    assert ticks > 2


async def test_a_process_ends_when_it_is_idle_and_with_the_converter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converter = Converter(Settings(data=tmp_path))
    await converter.convert(PAGE)
    assert len(children()) == 1
    await converter.aclose()
    assert children() == set()
    monkeypatch.setattr(module, "_IDLE", 0.1)
    converter = Converter(Settings(data=tmp_path))
    await converter.convert(PAGE)
    await until(lambda: not children())
    await converter.convert(PAGE)
    await converter.aclose()


async def test_a_process_is_replaced_after_some_files(converter: Converter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FILES_A_PROCESS", 2)
    seen = []
    for _ in range(4):
        await converter.convert(PAGE)
        seen.append(children())
    assert [len(pids) for pids in seen] == [1, 0, 1, 0]


async def test_a_file_that_takes_too_long_is_refused_and_its_process_ended(tmp_path: Path) -> None:
    converter = Converter(Settings(data=tmp_path, conversion_timeout=0.5))
    began = time.monotonic()
    with pytest.raises(LimitExceeded) as refusal:
        await converter.convert(SLOW)
    assert refusal.value.message == "The file took more than 0.5 s to read. Send it in parts, or as text."
    assert time.monotonic() - began < 10
    assert children() == set()
    await converter.aclose()


async def test_a_file_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    converter = Converter(Settings(data=tmp_path, conversion_memory=64))
    with pytest.raises(LimitExceeded) as refusal:
        await converter.convert(docx(p("<w:r><w:t>x</w:t></w:r>" * 500_000)))
    assert (
        refusal.value.message == "The file needs more than 64 MiB of memory to be read. Send it in parts, or as text."
    )
    assert (await converter.convert(PAGE)).text == "# Acme\n\nAda is CTO.\n"
    await converter.aclose()


async def test_a_process_that_is_killed_refuses_its_file_alone(converter: Converter) -> None:
    slow = asyncio.create_task(converter.convert(SLOW))
    await until(children)
    os.kill(children().pop(), signal.SIGKILL)
    with pytest.raises(BadUserInput) as refusal:
        await slow
    assert refusal.value.message == (
        "The file could not be read: it is broken, or needs more than 1,024 MiB of memory."
        " Open it and save it anew, or send it as text."
    )
    assert (await converter.convert(PAGE)).title == "Acme"


async def test_cancelling_and_closing_end_the_reading(converter: Converter) -> None:
    slow = asyncio.create_task(converter.convert(SLOW))
    await until(children)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow
    assert children() == set()
    slow = asyncio.create_task(converter.convert(SLOW))
    await until(children)
    await converter.aclose()
    with pytest.raises(BadUserInput, match="could not be read"):
        await slow
    assert children() == set()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_process_inherits_no_socket_no_file_and_no_secret(
    converter: Converter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREGRAPH_EMBEDDINGS_KEY", "secret")
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    (tmp_path / "open").touch()
    with (tmp_path / "open").open("rb"):
        await converter.convert(PAGE)
        process = Path(f"/proc/{children().pop()}")
        opened = {os.readlink(descriptor) for descriptor in (process / "fd").iterdir()}
        assert {name.partition(":")[0] for name in opened if not name.startswith("/tmp/#")} == {"pipe"}
        assert b"secret" not in (process / "environ").read_bytes()
    server.close()


SERVER = """
import asyncio, sys
from pathlib import Path
from server.config import Settings
from server.services.formats import Converter

async def main():
    converter = Converter(Settings())
    print("ready", flush=True)
    await converter.convert(Path(sys.argv[1]))

asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
async def test_a_process_ends_with_the_server_however_that_ends(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "slow.pdf").write_bytes(SLOW)
    with subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", SERVER, str(tmp_path / "slow.pdf")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdout is not None
        await asyncio.to_thread(server.stdout.readline)
        await until(lambda: children(server.pid))
        (child,) = children(server.pid)
        server.send_signal(how)
        await until(lambda: not running(child))
        await asyncio.to_thread(server.wait)
