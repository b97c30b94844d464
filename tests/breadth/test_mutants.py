"""The oracle notices: each of many bugs, made in a copy of the package, changes what some case answers or calls."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from breadth.case import CASES, Case
from breadth.mutants import MUTANTS, Mutant
from breadth.nasty import Context
from breadth.oracle import Fault, typed
from breadth.roots import build

import schema as package
from schema.breadth import BreadthFirst

SOUND = build(BreadthFirst)
FOLDER = Path(package.__file__).parent / "breadth"
NAMES = ("schema.breadth", "breadth.nasty", "breadth.roots")


async def outcome(schema: Any, case: Case) -> Any:
    """Return all that can be told of a case's execution."""
    context = Context()
    result = await schema.execute(case.query, case.variables, context_value=context, operation_name=case.operation)
    errors = [str(Fault.of(error)) for error in result.errors or []]
    return typed(result.data), errors, context.written, sorted(context.calls)


@contextmanager
def imported_from(folder: Path) -> Iterator[Any]:
    """Give the nasty schema over the package as it is in another folder; afterwards all is as it was."""
    kept = {name: module for name, module in sys.modules.items() if name.startswith(NAMES)}
    parents = {name: (sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2]) for name in kept}
    path = package.__path__
    for name in kept:
        del sys.modules[name]
    package.__path__ = [str(folder), *path]
    try:
        yield import_module("breadth.roots").build(import_module("schema.breadth").BreadthFirst)
    finally:
        package.__path__ = path
        for name in [name for name in sys.modules if name.startswith(NAMES)]:
            del sys.modules[name]
        sys.modules.update(kept)
        for name, (parent, attribute) in parents.items():
            setattr(parent, attribute, kept[name])


@contextmanager
def mutated(mutant: Mutant, folder: Path) -> Iterator[Any]:
    """Give the nasty schema over a copy of the package with a bug in it."""
    shutil.copytree(FOLDER, folder / "breadth", ignore=shutil.ignore_patterns("__pycache__"))
    module = folder / "breadth" / f"{mutant.module}.py"
    source = module.read_text()
    assert source.count(mutant.old) == 1
    module.write_text(source.replace(mutant.old, mutant.new))
    with imported_from(folder) as schema:
        yield schema


@pytest.fixture
async def sound() -> dict[str, Any]:
    """What each case that is used here comes to without a bug."""
    names = dict.fromkeys(name for mutant in MUTANTS for name in mutant.cases)
    return {name: await outcome(SOUND, CASES[name]) for name in names}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
async def test_a_bug_is_noticed(mutant: Mutant, sound: dict[str, Any], tmp_path: Path) -> None:
    with mutated(mutant, tmp_path) as schema:
        came = {name: await outcome(schema, CASES[name]) for name in mutant.cases}
    assert any(came[name] != sound[name] for name in mutant.cases)


async def test_a_copy_without_a_bug_is_as_the_package(sound: dict[str, Any], tmp_path: Path) -> None:
    with mutated(Mutant("none", "executor", "class BreadthFirst", "class BreadthFirst", []), tmp_path) as schema:
        came = {name: await outcome(schema, CASES[name]) for name in sound}
        assert sys.modules["schema.breadth"].__file__ == str(tmp_path / "breadth" / "__init__.py")
    assert came == sound
    assert sys.modules["schema.breadth"].__file__ == str(FOLDER / "__init__.py")
