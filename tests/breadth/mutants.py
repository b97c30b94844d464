"""Deliberate bugs of one line each, and which cases must notice them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MUTANTS", "Mutant"]


class Mutant(NamedTuple):
    """A bug: `old` is replaced by `new` in a module of the package. Any of the named cases notices it."""

    name: str
    module: str
    old: str
    new: str
    cases: list[str]


MUTANTS = [
    Mutant(
        "an error goes past every null that may stand",
        "completion",
        "            if self.required:\n                raise\n",
        "            if self.required or len(path) > 3:\n                raise\n",
        ["a null climbs through strict lists to a nullable field", "an exception as an item"],
    ),
    Mutant(
        "an error stops at what may not be null",
        "completion",
        "            if self.required:\n                raise\n",
        "            if self.required and len(path) < 3:\n                raise\n",
        ["a null climbs through strict lists to a nullable field"],
    ),
    Mutant(
        "null passes where it may not be",
        "completion",
        "out[position] = run.fault(self._null())",
        "pass",
        ["a null climbs to the nearest position that may be null"],
    ),
    Mutant(
        "an exception in a column is null",
        "completion",
        "out[position] = run.fault(value)",
        "out[position] = None",
        ["an exception as an item"],
    ),
    Mutant(
        "paths count from one",
        "completion",
        "[*path, index]",
        "[*path, index + 1]",
        ["an exception as a row"],
    ),
    Mutant(
        "Int has one number too many",
        "completion",
        "range(-(2**31), 2**31)",
        "range(-(2**31), 2**31 + 1)",
        ["the ends of Int's range"],
    ),
    Mutant(
        "NaN is a number",
        "completion",
        "one is float and all(map(math.isfinite, values))",
        "one is float",
        ["NaN and infinity are no numbers"],
    ),
    Mutant(
        "a scalar may answer null",
        "completion",
        "if coerced is None or coerced is Undefined:",
        "if coerced is Undefined:",
        ["a custom scalar that raises, and one that answers null"],
    ),
    Mutant(
        "lists are cut in the wrong places",
        "completion",
        "        end = start + len(own)\n",
        "        end = start + max(1, len(own))\n",
        ["promises in iterators that can be read once", "a row that is no list among those that are"],
    ),
    Mutant(
        "what is awaited is read anew",
        "completion",
        "raise Unready(_cut(unready.column, lists, faults)) from None",
        "raise Unready(values) from None",
        ["promises in iterators that can be read once"],
    ),
    Mutant(
        "parts of a mixed column are put together in the wrong order",
        "objects",
        "replaced(out, positions, self._objects(run, type_, own, shares, work))",
        "replaced(out, positions, self._objects(run, type_, own, shares, work)[::-1])",
        ["an interface answers by the type of each object"],
    ),
    Mutant(
        "a type's test is not asked",
        "objects",
        "if type_.is_type_of is not None and not _sync",
        "if type_.is_type_of is None and not _sync",
        ["an object of another type than declared"],
    ),
    Mutant(
        "the same object comes once",
        "objects",
        "return [shared[id(row)] for row in rows]",
        "return [*shared.values(), *[made[-1]] * (len(rows) - len(made))]",
        ["the same object under a strict field that fails", "nodes in nested lists, some null", "promises of objects"],
    ),
    Mutant(
        "an object of several types is settled as the first of them",
        "objects",
        "run.made_by[id(value)] if self.is_abstract",
        "next(iter(self._selections.values())) if self.is_abstract",
        [
            "a null in a list of nullable items takes its item",
            "strict nodes below nested lists fail at different depths",
        ],
    ),
    Mutant(
        "errors know the first of merged fields alone",
        "fields",
        "self.nodes = [one.node for one in details]",
        "self.nodes = [details[0].node]",
        ["an error of merged fields has the places of all"],
    ),
    Mutant(
        "arguments with variables are kept from one operation to the next",
        "fields",
        "if self._is_constant and all(",
        "if all(",
        ["a variable with a default", "a variable overrides its default"],
    ),
    Mutant(
        "fields with different arguments share a call",
        "fields",
        "frozen(self._coerced(run)))",
        "0)",
        ["aliases with different arguments"],
    ),
    Mutant(
        "an interface's field is a call per type",
        "fields",
        "return (self.function, frozen(self._coerced(run)))",
        "return None",
        ["null parents among others"],
    ),
    Mutant(
        "equal fields of the root are one call",
        "fields",
        " or self.path.prev is None:",
        ":",
        ["a root field twice with equal arguments"],
    ),
    Mutant(
        "a function may answer too little",
        "declaring",
        "    if len(results) != len(parents):\n",
        "    if len(results) > len(parents):\n",
        ["a result of too few answers is each parent's error"],
    ),
    Mutant(
        "nobody is refused",
        "permissions",
        "if not await asked.allows(permission, parent):",
        "if not await asked.allows(permission, parent) and False:",
        ["a permission for some of the parents"],
    ),
    Mutant(
        "the answers go to the wrong parents where some are refused",
        "permissions",
        "replaced(results, allowed, answers)",
        "replaced(results, range(len(allowed)), answers)",
        ["a permission for some of the parents"],
    ),
    Mutant(
        "one plan for every outcome of the conditions",
        "executor",
        "outcome = tuple(coerced.get(name) for name in operation.steering)",
        "outcome = ()",
        ["variables steer fields and fragments", "variables steer fields and fragments, the other way"],
    ),
    Mutant(
        "mutations run side by side",
        "executor",
        "is_mutation = self.operation.operation is OperationType.MUTATION",
        "is_mutation = False",
        ["mutations run one after the other, each with all below it"],
    ),
    Mutant(
        "keys are the fields' own names",
        "plan",
        'f"{field.key!r}:"',
        'f"{field.name!r}:"',
        ["the type's name under other names"],
    ),
]
