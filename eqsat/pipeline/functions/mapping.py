"""Applies functions of one member to a whole batch at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from eqsat.array import Array, moveaxis
from eqsat.batching import batched
from eqsat.errors import BuildError, ShapeError, brief
from eqsat.pipeline.functions.nested import mapped_arrays
from eqsat.pipeline.functions.tracing import Slots, rebuild, trace_results
from eqsat.uop import UOp


def vmap(
    function: Callable[..., Any], in_axes: int | Sequence[int | None] | None = 0, out_axes: int = 0
) -> Callable[..., Any]:
    """Returns a function that applies `function` to every member of a batch at once.

    `function` is traced once, on arrays without the axis of members. All values that depend on them get the axis; all others are shared.
    For example, the product of each member's vector with one matrix becomes a product of matrices. Calls of the result can be nested, and
    traced by `jit` and `trace`.

    Args:
        function: maps arrays of one member (or tuples, lists and dicts of them) to arrays. A list of numbers alone is an array.
        in_axes: the axis of members of each positional argument, or of all of them; None for arguments that all members share.
            Arguments by name are shared.
        out_axes: where the axis of members is in the results.

    Returns:
        A function of arrays, or of what `asarray` takes, that returns arrays in the structure of `function`'s results.

    Raises:
        ShapeError: (when the result is called) the axes of members have different extents, or an argument has no such axis.
        BuildError: no argument has an axis of members, or `in_axes` has another length than the arguments.

    >>> import numpy as np
    >>> import eqsat as eq
    >>> scores = eq.vmap(lambda weights, x: x @ weights, in_axes=(0, None))
    >>> scores(np.ones((5, 3)), np.ones((10, 3))).shape
    (5, 10)
    """
    if not callable(function):
        raise BuildError(f"vmap makes a function of one, and {brief(function)} is none; give one to it")

    @functools.wraps(function)
    def of_batch(*arguments: Any, **shared: Any) -> Any:
        axes = _axes(function, in_axes, len(arguments))
        members = _Members()
        given = [
            argument if axis is None else members.stand_in(argument, axis)
            for argument, axis in zip(arguments, axes, strict=True)
        ]
        if members.batch is None:
            raise BuildError(
                f"vmap of {_name(function)} finds no axis of members in its arguments; name one in in_axes"
            )
        sink, structure = trace_results(function, given, shared)
        results = batched(sink.src, members.values, members.batch)
        arrays = (moveaxis(Array(result), 0, out_axes) for result in results)
        return rebuild(structure, arrays)

    return of_batch


class _Members:
    """The stand-ins of one member's values, and the values of the whole batch that they stand for."""

    def __init__(self) -> None:
        self.batch: int | None = None
        self.values: dict[UOp, UOp] = {}
        self._slots = Slots()

    def stand_in(self, argument: Any, axis: int) -> Any:
        """The argument with each array replaced by a stand-in for the array of one member."""
        return mapped_arrays(argument, lambda place, array: self._member(moveaxis(array, axis, 0)))

    def _member(self, array: Array) -> Array:
        """A stand-in for one member of an array whose first axis has the members."""
        batch, *extents = array.shape
        if self.batch not in (None, batch):
            raise ShapeError(
                f"vmap is given arguments of {self.batch} and of {batch} members; their axes of members have one extent"
            )
        self.batch = batch
        size = prod(extents)
        own = UOp.param(self._slots.next(), size, array.dtype)
        self.values[own] = array.reshape(batch, size).uop
        return Array(own.reshape(extents))


def _axes(
    function: Callable[..., Any], in_axes: int | Sequence[int | None] | None, arguments: int
) -> Sequence[int | None]:
    if in_axes is None or isinstance(in_axes, int):
        return [in_axes] * arguments
    if not isinstance(in_axes, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(
            f"in_axes is {brief(in_axes)}; give an axis, None, or one of these for each argument"
        )
    if len(in_axes) != arguments:
        raise BuildError(
            f"vmap of {_name(function)} has {len(in_axes)} axes for {arguments} positional arguments; give one for each"
        )
    return in_axes


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))
