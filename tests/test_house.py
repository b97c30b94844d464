"""The rules of the house: floors, sizes, names and prose, and SQL that is never put together from text."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(p for top in ("server", "schema") for p in (ROOT / top).rglob("*.py") if "node_modules" not in p.parts)
TREES = {path: ast.parse(path.read_text()) for path in MODULES}
STORE = [path for path in MODULES if path.is_relative_to(ROOT / "server/store")]

LONGEST_FILE = 500
LONGEST_FUNCTION = 60
MAY_CATCH_EVERYTHING = {"server/services/ingestion/worker.py", "schema/operations.py"}
"""The loop of the ingestion worker, which must outlive any document, and the mapper of errors."""
VAGUE = {
    "util",
    "utils",
    "helper",
    "helpers",
    "manager",
    "managers",
    "base",
    "handler",
    "handlers",
    "processor",
    "common",
}
SQL = re.compile(
    r"\b(SELECT\b.+\bFROM|INSERT\s+INTO|UPDATE\b.+\bSET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX)|ALTER\s+TABLE|DROP\s+TABLE)\b"
    r"|\bWHERE\s|\bORDER\s+BY\b|\bPRAGMA\b|\bSET\s+LOCAL\b|\bBEGIN\b|\bNOTIFY\b|\bLISTEN\b",
    re.S,
)
TAKES_NO_PARAMETER = {"_open_sqlite"}
"""Functions that send PRAGMAs of their own, which cannot have parameters."""
TAKE_SQL = {"text", "exec_driver_sql", "execute", "scalar", "scalars", "where", "delete", "count_rows", "prefilter"}


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler swallows whatever comes; one that ends with `raise` only clears up."""
    last = handler.body[-1]
    if isinstance(last, ast.Raise) and last.exc is None:
        return False
    named = [] if handler.type is None else list(ast.walk(handler.type))
    return handler.type is None or any(
        isinstance(n, ast.Name) and n.id in {"Exception", "BaseException"} for n in named
    )


def literal_text(node: ast.AST) -> str:
    """Return the constant text in an expression."""
    return " ".join(n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def put_together(node: ast.AST) -> bool:
    """Tell whether an expression makes a text from pieces that are not all constants."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(value, ast.FormattedValue) for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in (node.left, node.right)) or (
            put_together(node.left) or put_together(node.right)
        )
    called = node.func if isinstance(node, ast.Call) else None
    if not isinstance(called, ast.Attribute):
        return False
    return called.attr == "format" or (called.attr == "join" and isinstance(called.value, ast.Constant))


def formatted_queries(tree: ast.AST) -> Iterator[int]:
    """Yield the lines where SQL is formatted, or where something formatted is given to what takes SQL."""
    for node in ast.walk(tree):
        if put_together(node) and SQL.search(literal_text(node)):
            yield node.lineno  # type: ignore[attr-defined]
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            if name in TAKE_SQL and any(put_together(value) for value in values):
                yield node.lineno


def test_a_module_imports_lower_floors_only() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("path", MODULES, ids=short)
class TestAModule:
    def test_says_in_a_few_lines_what_it_owns(self, path: Path) -> None:
        text = ast.get_docstring(TREES[path])
        assert text
        assert len([line for line in text.splitlines() if line.strip()]) <= 7

    def test_is_not_long_and_has_no_long_function(self, path: Path) -> None:
        assert len(path.read_text().splitlines()) <= LONGEST_FILE
        long = [f.name for f in functions(TREES[path]) if (f.end_lineno or 0) - f.lineno + 1 > LONGEST_FUNCTION]
        assert long == []

    def test_has_a_name_that_says_something(self, path: Path) -> None:
        assert {
            part for name in path.relative_to(ROOT).with_suffix("").parts for part in name.split("_")
        } & VAGUE == set()

    def test_catches_what_it_expects(self, path: Path) -> None:
        handlers = [node for node in ast.walk(TREES[path]) if isinstance(node, ast.ExceptHandler)]
        lines = [handler.lineno for handler in handlers if catches_everything(handler)]
        assert len(lines) == (1 if short(path) in MAY_CATCH_EVERYTHING else 0), lines


@pytest.mark.parametrize("path", STORE, ids=short)
def test_no_query_is_put_together_from_text(path: Path) -> None:
    exempt = {
        n for f in functions(TREES[path]) if f.name in TAKES_NO_PARAMETER for n in range(f.lineno, f.end_lineno or 0)
    }
    assert set(formatted_queries(TREES[path])) <= exempt


@pytest.mark.parametrize(
    "line",
    [
        "connection.execute(text(f'SELECT * FROM t WHERE id = {id}'))",
        "x = 'SELECT * FROM ' + table",
        "x = 'DELETE FROM %s' % table",
        "x = 'UPDATE {} SET a = 1'.format(table)",
        "table.delete(f'id = {id}')",
        "query.where(f\"volume = '{volume}'\", prefilter=True)",
        "query.where(' AND '.join(parts))",
        "connection.exec_driver_sql('PRAGMA ' + name)",
    ],
)
def test_a_query_put_together_from_text_is_seen(line: str) -> None:
    assert list(formatted_queries(ast.parse(line)))


@pytest.mark.parametrize(
    "line",
    ["table.delete(condition(row))", "text('SELECT 1')", "f'{where} is too long: {n}'", "select(a).where(a.c.id == b)"],
)
def test_a_query_made_of_expressions_is_let_pass(line: str) -> None:
    assert list(formatted_queries(ast.parse(line))) == []


def test_alembic_is_a_folder_of_scripts_and_no_package() -> None:
    """A package of this name would hide the library."""
    assert list((ROOT / "alembic").rglob("__init__.py")) == []
    assert list((ROOT / "tests").rglob("__init__.py")) == []
    assert not (ROOT / "alembic.ini").exists()


def test_no_file_says_where_packages_come_from() -> None:
    assert not (ROOT / "uv.lock").exists()
    for path in [*ROOT.glob("requirements*"), *(ROOT / "tests").glob("requirements*"), ROOT / "pyproject.toml"]:
        assert re.findall(r"(?:https?|file|git|ssh)://|index-url|find-links|trusted-host", path.read_text()) == [], path
    for lock in ("schema/graphiql", "benchmarks/_query/node"):
        text = (ROOT / lock / "package-lock.json").read_text()
        assert re.findall(r"https?://[^\"]*registry[^\"]*|\"resolved\"", text) == [], lock


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_every_requirement_is_pinned_with_its_hashes(path: str) -> None:
    text = (ROOT / path).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) > 5
    assert [
        line for line in lines if not re.match(r"[\w.-]+(\[[\w,-]+\])?==\S+ .*--hash=sha256:[0-9a-f]{64}", line)
    ] == []
