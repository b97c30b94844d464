"""How fields are declared: `computed` by a method of one parent, `batched` by a function over all parents of a level.

Under the ordinary executor a batched field runs behind a DataLoader, so that the parents of one level make one call. An
executor that works level by level finds the function at `resolver.__batched__` and calls it itself. Nothing here knows
our domain: the operation's context only has to have a dict named `loaders`, fresh for every operation.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypedDict, TypeVar, Union, Unpack, get_args, get_origin, overload

import strawberry
from strawberry.dataloader import DataLoader
from strawberry.extensions import FieldExtension
from strawberry.permission import BasePermission
from strawberry.types.fields.resolver import Parameter, Signature

__all__ = ["BatchFunction", "FieldOptions", "attribute", "batched", "call", "computed", "frozen"]

P = ParamSpec("P")
ParentT = TypeVar("ParentT")
ResultT = TypeVar("ResultT")
MethodT = TypeVar("MethodT", bound=Callable[..., Any])
BatchFunction = Callable[..., Coroutine[Any, Any, Sequence[Any]]]
_Declared = Callable[Concatenate[list[ParentT], strawberry.Info[Any, Any], P], Coroutine[Any, Any, list[ResultT]]]
_ERRORS = {"Exception", "BaseException"}


class FieldOptions(TypedDict, total=False):
    """What `strawberry.field` takes beside the resolver, handed on as it is."""

    name: str
    description: str
    permission_classes: list[type[BasePermission]]
    deprecation_reason: str
    directives: Sequence[object]
    extensions: list[FieldExtension]
    metadata: Mapping[Any, Any]
    graphql_type: Any


Needs = tuple[str, ...] | None


def computed(*, needs: Needs = None, **options: Unpack[FieldOptions]) -> Callable[[MethodT], MethodT]:
    """Declare a field by a method of its object and the arguments, which `needs` these attributes; None: it may read any.

    It is `strawberry.field`, with a type that keeps the method's for the checker: the class keeps the method itself.
    """

    def declare(method: MethodT) -> MethodT:
        vars(method).update(__needs__=needs)
        field: MethodT = strawberry.field(resolver=method, **options)
        return field

    return declare


def attribute(
    source: str | Callable[[Any], Any],
    *,
    needs: Needs = None,
    column: Callable[[Sequence[Any]], list[Any]] | None = None,
    **options: Unpack[FieldOptions],
) -> Any:
    """Declare a field, of the type that its annotation says, that is read from the object: by a dotted path, "row.name",
    or by a function of the object, which `needs` these attributes of it; None: it may read any.

    `column` does for many objects what `source` does for one, in order, where it can do that for less.
    """
    read = attrgetter(source) if isinstance(source, str) else source

    def resolve(self: Any) -> Any:
        return read(self)

    resolve.__annotations__.clear()
    vars(resolve).update(
        __attribute__=read, __needs__=(source,) if isinstance(source, str) else needs, __column__=column
    )
    return strawberry.field(resolver=resolve, **options)


@overload
def batched(function: _Declared[ParentT, P, ResultT], /) -> Any: ...
@overload
def batched(
    *, needs: Needs = None, **options: Unpack[FieldOptions]
) -> Callable[[_Declared[ParentT, P, ResultT]], Any]: ...
def batched(function: BatchFunction | None = None, /, *, needs: Needs = None, **options: Unpack[FieldOptions]) -> Any:
    """Declare a field by a function that answers it for many parents at once.

        @batched(description="The facts stated about this entity.")
        @staticmethod
        async def facts(parents: list[Entity], info: Info, first: int = 20) -> list[Connection[Fact] | Exception]: ...

    The schema shows an ordinary field of the list's item type with the arguments after `info`. The function returns one
    result per parent, in order; an Exception in its place is that position's error, an Exception raised is everyone's.
    One call serves the parents that reach the field with equal arguments in one turn of the event loop, through
    whatever selection, so `info` is that of one of them: its path and selected fields mean nothing. A root field has a
    single parent and is called at once, so that two equal mutations are two calls. `needs` are the attributes of a
    parent that the function reads; None: it may read any.

    Raises:
        TypeError: The function is no coroutine function, or its parameters or its return type have another shape.
    """
    if function is None:
        return lambda declared: strawberry.field(resolver=_resolver(declared, needs), **options)
    return strawberry.field(resolver=_resolver(function, needs), **options)


def _resolver(
    declared: BatchFunction | staticmethod[..., Any], needs: Needs
) -> Callable[..., Coroutine[Any, Any, Any]]:
    function: BatchFunction = declared.__func__ if isinstance(declared, staticmethod) else declared
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    if not inspect.iscoroutinefunction(function) or len(parameters) < 2 or parameters[1].name != "info":
        raise TypeError(f"{function.__qualname__}: a batched field is an async def of (parents, info, ...)")

    async def resolve(self: Any, info: strawberry.Info[Any, Any], **arguments: Any) -> Any:
        return await _resolve(function, self, info, arguments)

    keywords = [
        Parameter(p.name, Parameter.KEYWORD_ONLY, default=p.default, annotation=p.annotation) for p in parameters[2:]
    ]
    item = _item_type(signature.return_annotation, function)
    info = Parameter("info", Parameter.POSITIONAL_OR_KEYWORD, annotation=strawberry.Info)
    shown = Signature([Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), info, *keywords], return_annotation=item)
    resolve.__annotations__ = {"info": strawberry.Info, **{p.name: p.annotation for p in keywords}, "return": item}
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(resolve, name, getattr(function, name))
    vars(resolve).update(__signature__=shown, __batched__=function, __needs__=needs)
    return resolve


async def _resolve(function: BatchFunction, parent: Any, info: strawberry.Info[Any, Any], arguments: Any) -> Any:
    if info.path.prev is None:
        result = (await call(function, [parent], info, arguments))[0]
        if isinstance(result, BaseException):
            raise result
        return result
    loaders: dict[Any, DataLoader[Any, Any]] = info.context.loaders
    key = (function, frozen(arguments))
    loader = loaders.get(key)
    if loader is None:

        async def load(parents: list[Any]) -> Sequence[Any]:
            return await call(function, parents, info, arguments)

        # A cache would merge parents that are equal but not the same, and serve what was read before a mutation.
        loader = loaders[key] = DataLoader(load, cache=False)
    return await loader.load(parent)


async def call(
    function: BatchFunction, parents: list[Any], info: strawberry.Info[Any, Any], arguments: Mapping[str, Any]
) -> Sequence[Any]:
    results = await function(parents, info, **arguments)
    if len(results) != len(parents):
        field = f"{info._raw_info.parent_type.name}.{info.field_name}"
        raise RuntimeError(f"{field} answered {len(results)} results for {len(parents)} parents")
    return list(results)


def frozen(value: Any) -> Any:
    """Return a hashable stand-in that is equal for equal arguments only: True, 1 and 1.0 are three values."""
    if isinstance(value, Mapping):
        return (dict, tuple((name, frozen(item)) for name, item in value.items()))
    if isinstance(value, list | tuple):
        return (list, tuple(map(frozen, value)))
    if is_dataclass(value) and not isinstance(value, type):
        return (type(value), tuple(frozen(getattr(value, field.name)) for field in fields(value)))
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value))  # the loader's closure keeps the value, so no other one gets this id
    return (type(value), value)


def _item_type(annotation: Any, function: BatchFunction) -> Any:
    """Return what a batch function answers for one parent; a string where the annotation is one."""
    if isinstance(annotation, str):
        node = ast.parse(annotation, mode="eval").body
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).split(".")[-1] in {"list", "Sequence"}:
            members = [ast.unparse(member) for member in _members(node.slice)]
            return " | ".join(member for member in members if member not in _ERRORS)
    elif get_origin(annotation) in {list, Sequence}:
        (item,) = get_args(annotation)
        if type(item) is type(int | str) or get_origin(item) is Union:
            return Union[tuple(m for m in get_args(item) if m not in {Exception, BaseException})]  # noqa: UP007
        return item
    raise TypeError(f"{function.__qualname__}: a batched field returns list[...], one per parent, not {annotation}")


def _members(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_members(node.left), *_members(node.right)]
    return [node]
