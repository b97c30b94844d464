"""The command line: names, options, help and exit codes. What the commands do is in server.commands.

Exit codes: 0 done, 1 failed, 2 wrong usage or settings. Results go to stdout; progress, logs and errors go to stderr.
Commands import what they run only when they run: --help needs none of it, and neither do extraction processes, which
import this module when they start.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from pydantic import ValidationError

from server.config import Settings, settings_table, unknown_variables, variable
from server.errors import Misconfigured, ServerError
from server.terms import Authority

if TYPE_CHECKING:
    from server.commands.sources import Source

T = TypeVar("T")
_UNWRITTEN = (errno.ENOSPC, errno.EPIPE, errno.EIO, errno.EDQUOT, errno.EFBIG)
FAILED, MISUSED, TERMINATED, INTERRUPTED = 1, 2, 128 + signal.SIGTERM, 128 + signal.SIGINT

app = typer.Typer(
    name="loregraph",
    help="A GraphQL server for semantic memory: text in, a knowledge graph out, traversed in one query.",
    epilog="Settings come from the environment (loregraph settings lists them); options win over them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Data = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Folder of the database and the vector index.", show_default="LOREGRAPH_DATA or ./data"
    ),
]
Host = Annotated[str | None, typer.Option("--host", help="Loopback address to bind.", show_default="127.0.0.1")]
Port = Annotated[int | None, typer.Option("--port", help="Port to bind; 0 takes any free one.", show_default="8000")]
Workers = Annotated[int | None, typer.Option("--workers", help="Server processes.", show_default="1")]
Volume = Annotated[str, typer.Option("--volume", help="Volume of the graph; made where it is missing.")]


def _settings(**flags: Any) -> Settings:
    """Return the settings: the environment's, with the flags that were given.

    Raises:
        Misconfigured: a value cannot be used; the values themselves are not shown.
    """
    for name in unknown_variables(os.environ):
        _say(f"loregraph: {name} is no setting and does nothing; `loregraph settings` lists them all.")
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        told = [f"{variable('_'.join(map(str, one['loc'])))}: {one['msg']}" for one in error.errors()]
        raise Misconfigured("; ".join(told)) from None


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; SIGTERM ends it in order, as SIGINT does."""

    async def stoppable() -> T:
        task = asyncio.current_task()
        assert task is not None
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await work

    try:
        return asyncio.run(stoppable())
    except asyncio.CancelledError:
        raise typer.Exit(TERMINATED) from None


@contextlib.contextmanager
def _stoppable(so_far: Callable[[], str]) -> Iterator[None]:
    """Say, where a long command is stopped, what it has done so far, and how to go on."""
    try:
        yield
    except (KeyboardInterrupt, typer.Exit) as stopped:
        _say(f"Stopped: {so_far()}. The same command goes on where it was.")
        raise typer.Exit(INTERRUPTED if isinstance(stopped, KeyboardInterrupt) else TERMINATED) from None


def _say(text: str) -> None:
    typer.echo(text, err=True)


@app.command()
def serve(host: Host = None, port: Port = None, workers: Workers = None, data: Data = None) -> None:
    """Serve the graph at /graphql, with GraphiQL for browsers and /health for operators.

    Migrates the database and makes the volume "default" first. SIGTERM ends it in order.
    """
    from server.commands import serving

    settings = _settings(host=host, port=port, workers=workers, data=data)
    serving.check_host(settings)
    with serving.listen(settings.host, settings.port) as opened:
        serving.serve(settings, opened, lambda: _say(f"Loregraph serves {serving.address(opened)}"))


@app.command()
def demo(host: Host = None, port: Port = None, workers: Workers = None, data: Data = None) -> None:
    """Serve as `serve` does, with the sample in the volume "sample", and say what to try."""
    from server.commands import serving

    settings = _settings(host=host, port=port, workers=workers, data=data)
    serving.check_host(settings)
    with serving.listen(settings.host, settings.port) as opened:
        welcome = serving.welcome(serving.address(opened))
        serving.serve(settings, opened, lambda: typer.echo(welcome), sample=True)


@app.command()
def worker(data: Data = None) -> None:
    """Work on ingestions, apart from the server: as many of these as wanted, on one data folder or one PostgreSQL.

    The server works on them too, unless LOREGRAPH_INGESTION is false. SIGTERM ends it: what is under way is given back.
    """
    from server.app import configure_logging
    from server.commands import working

    settings = _settings(data=data)
    configure_logging(settings.log_level)
    _run(working.work(settings, lambda: _say("Loregraph works on ingestions. Ctrl+C ends it.")))


@app.command()
def ingest(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, folders, or - for standard input.")],
    volume: Annotated[
        str, typer.Option("--volume", help="Volume to put them into; made where it is missing.")
    ] = "default",
    authority: Annotated[
        Authority, typer.Option("--authority", case_sensitive=False, help="How much the source counts.")
    ] = Authority.UNKNOWN,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line for each document.")] = False,
    uri_prefix: Annotated[
        str | None,
        typer.Option(
            "--uri-prefix", help="Give each document as uri this prefix and its path, in place of the uri of its file."
        ),
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="Ingest by a running server, at this address, instead of a data folder.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only say how many calls of Claude and tokens it would take.")
    ] = False,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="Have Claude read each document as one Message Batch: half the price, done within a day. Its parts are read "
            "apart, without the names that earlier ones give.",
        ),
    ] = False,
    data: Data = None,
) -> None:
    """Read files into the graph, and wait until that is done: text, Markdown, HTML, PDF and Word (.docx).

    A .json or .jsonl file lists documents: objects with title, text and, if need be, uri and mimeType. Ctrl+C stops, and the
    same command goes on. Of folders, files with the suffixes of these are read, in all folders below too; hidden files are not. What a file is,
    its content tells. A document's title is its path within the folder that was named, or its file name. The same text
    again is the same document; a file that has changed is a new revision of its document.
    """
    if url is not None and data is not None:
        raise typer.BadParameter("--url and --data exclude each other.")
    if url is not None and batch:
        raise typer.BadParameter("--url and --batch exclude each other: send ingestDocument(input: {batch: true}).")
    settings = _settings(data=data)
    if batch and not settings.uses_claude:
        raise Misconfigured("A batch is read by Claude: set LOREGRAPH_ANTHROPIC_KEY.")
    found = _sources(paths, uri_prefix, "" if url is None else gethostname())
    if estimate:
        _estimate(settings, found, as_json=as_json)
    else:
        _ingest(settings, found, url, volume, authority, batch=batch, as_json=as_json)


def _ingest(
    settings: Settings,
    found: list[Source],
    url: str | None,
    volume: str,
    authority: Authority,
    *,
    batch: bool,
    as_json: bool,
) -> None:
    from server.commands import ingesting, outcomes
    from server.commands.progress import progress

    counted = 0
    with (
        _stoppable(lambda: f"{counted:,} of {len(found):,} documents are in"),
        progress("Ingesting") as (bar, task),
    ):
        bar.update(task, total=len(found))

        def done(outcome: outcomes.Outcome) -> None:
            nonlocal counted
            counted += not outcome.failed
            bar.advance(task)
            if as_json:
                typer.echo(outcomes.as_json(outcome))

        if url is None:
            ended = _run(ingesting.ingest(settings, found, volume, authority, done, batch=batch))
        else:
            ended = _run(ingesting.ingest_remotely(url, found, volume, authority, done))
    if not as_json:
        outcomes.print_table(ended)
    if (told := outcomes.left(ended)) is not None:
        _say(told)
    if any(outcome.failed for outcome in ended):
        raise typer.Exit(FAILED)


def _estimate(settings: Settings, found: list[Source], *, as_json: bool) -> None:
    from server.commands import estimating
    from server.commands.progress import progress

    with progress("Estimating") as (bar, task):
        bar.update(task, total=len(found))

        def done(one: estimating.Estimated) -> None:
            bar.advance(task)
            if as_json:
                typer.echo(estimating.as_json(one))

        told = _run(estimating.estimate_all(settings, found, done))
    if not as_json:
        estimating.complaints(told)
        typer.echo(estimating.summary(settings, told))
    if any(one.error is not None for one in told):
        raise typer.Exit(FAILED)


def _sources(paths: list[str], uri_prefix: str | None, host: str) -> list[Source]:
    from server.commands import sources

    try:
        found = sources.find(paths, uri_prefix, host)
    except ServerError as error:
        raise typer.BadParameter(error.message, param_hint="PATH...") from error
    if found.skipped:
        _say(f"{found.skipped} files skipped that are not {sources.KNOWN}.")
    if not found.sources:
        _say("There is nothing to ingest.")
        raise typer.Exit(FAILED)
    return found.sources


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE.jsonl", help="Lines of JSON, or - for standard input.")],
    volume: Volume = "default",
    batch: Annotated[int, typer.Option("--batch", min=1, max=100_000, help="Lines to a transaction.")] = 5_000,
    data: Data = None,
) -> None:
    """Load a graph from lines of JSON, as export writes them.

    Kinds are entity (key, name, type), fact (subject, content), relationship (source, target, type) and memory (title,
    content, entities); keys are local, and an entity comes before what refers to it. What the graph knows already is met,
    not doubled, except for memories. A wrong line ends the import; the batches before it stay.
    """
    from server.commands import transfer
    from server.commands.progress import progress

    settings = _settings(data=data)
    path = None if file == "-" else Path(file)
    if path is not None and not path.is_file():
        raise typer.BadParameter(f"{file}: there is no such file.", param_hint="FILE.jsonl")
    with progress("Importing", bytes=True) as (bar, task), contextlib.ExitStack() as stack:
        lines = sys.stdin.buffer if path is None else stack.enter_context(path.open("rb"))
        bar.update(task, total=None if path is None else path.stat().st_size)
        loaded = _run(transfer.import_lines(settings, lines, volume, batch, lambda n: bar.advance(task, n)))
    typer.echo(f"Imported {loaded.words}.")


@app.command()
def export(
    volume: Annotated[str, typer.Option("--volume", help="Volume to export.")] = "default", data: Data = None
) -> None:
    """Write a volume to standard output as lines of JSON, which import brings back.

    Entities, facts, relationships and memories are written, each claim with its first quote. Documents, projects, links of
    memories and history are not, nor what was retracted or is obsolete.
    """
    from server.commands import transfer

    done = _run(transfer.export_lines(_settings(data=data), volume, sys.stdout.buffer))
    left_out = sum(done.left_out.values())
    if left_out:
        _say(f"{left_out} retracted claims and obsolete memories were left out.")


@app.command()
def migrate(data: Data = None) -> None:
    """Bring the database to the tables of this version; serve, ingest and import do so by themselves."""
    from server.commands import upkeep

    _run(upkeep.migrate_tables(_settings(data=data)))
    typer.echo("The database is up to date.")


@app.command()
def reindex(data: Data = None) -> None:
    """Rebuild the vector index from the database, after a change of the embedding model, say. Stop the server first."""
    from server.commands import upkeep
    from server.commands.progress import progress

    with progress("Embedding") as (bar, task):
        work = upkeep.rebuild_index(
            _settings(data=data), lambda n: bar.update(task, total=n), lambda n: bar.advance(task, n)
        )
        count = _run(work)
    typer.echo(f"The vector index holds {count:,} nodes.")


@app.command()
def duplicates(
    volume: Annotated[str, typer.Option("--volume", help="Volume to look through.")] = "default",
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", min=0.5, max=1, help="How alike two entities must be.", show_default="0.75"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list the pairs, and put none into the queue.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line for each pair.")] = False,
    data: Data = None,
) -> None:
    """Find entities that look like one, and propose each pair once in the review queue. Nothing is merged.

    What was proposed before is listed too, with its review as long as that is open. A server may run meanwhile.
    """
    from server.commands import duplicates as finding
    from server.commands.progress import progress

    counted = finding.Counted()
    with progress("Comparing") as (bar, task):

        def found(pair: finding.Found) -> None:
            typer.echo(finding.as_json(pair) if as_json else finding.as_line(pair))

        work = finding.find(
            _settings(data=data),
            volume,
            threshold,
            proposing=not dry_run,
            total=lambda n: bar.update(task, total=n),
            progress=lambda n: bar.advance(task, n),
            found=found,
            counted=counted,
        )
        _run(work)
    _say(
        f"{counted.entities:,} entities: {counted.pairs:,} pairs look like one, {counted.proposed:,} of them newly proposed."
    )
    if counted.decided:
        _say(f"Claude decided about {counted.decided:,} entities.")


@app.command()
def sdl() -> None:
    """Print the GraphQL schema."""
    from schema import build_schema
    from schema.limits import Limits

    typer.echo(build_schema(Limits()).as_str())


@app.command()
def settings() -> None:
    """Print all settings: environment variable, default and meaning, as a Markdown table."""
    typer.echo(settings_table(), nl=False)


def _version(asked: bool) -> None:
    if asked:
        from server.services.health import own_version

        typer.echo(f"loregraph {own_version()}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command that the arguments name."""
    try:
        try:
            app(prog_name="loregraph")
        finally:
            sys.stdout.flush()  # at the exit of the process nobody could say any more that it failed
    except ServerError as error:
        _say(f"loregraph: {error.message}")
        sys.exit(MISUSED if isinstance(error, Misconfigured) else FAILED)
    except OSError as error:
        if error.errno not in _UNWRITTEN:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _say(f"loregraph: the output cannot be written: {error.strerror}")
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
