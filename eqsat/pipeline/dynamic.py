"""Programs of arrays whose extents only calls know."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eqsat.array.data import as_host, collect_params, is_host
from eqsat.dims import argument_shapes, extents_of, has_extents
from eqsat.errors import BuildError, ShapeError, brief
from eqsat.extents import Extent
from eqsat.schedule.dynamic.bounded import Dynamic
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort


def dynamic_of(sink: UOp, shapes: Sequence[Shape | None]) -> Dynamic | None:
    """The shapes of a graph's arguments and results, of which the first arguments have known ones; None where no extent depends on the call.

    Raises:
        BuildError: dims of one name have different bounds.
    """
    order = toposort([sink])
    if not has_extents(order):
        return None
    inputs = {param.arg[0]: (param.arg[1],) for param in collect_params(sink)}
    inputs |= argument_shapes(order)
    inputs |= {slot: shape for slot, shape in enumerate(shapes) if shape is not None}
    return Dynamic(inputs, tuple(source.shape or () for source in sink.src), extents_of(order))


class DynamicAxes:
    """The axes of a function's arguments whose extents calls know, as `jit` is told."""

    def __init__(self, parameters: Sequence[str], axes: Mapping[str, Mapping[int, Extent]]) -> None:
        self._parameters = parameters
        self._axes = axes

    @staticmethod
    def of(
        function: Callable[..., Any], dynamic: Mapping[str | int, Mapping[int, int]] | None
    ) -> DynamicAxes | None:
        """The axes by the names of parameters, from names or positions; None of none.

        Raises:
            BuildError: there is no such parameter, or an axis is given something else than a dim.
        """
        if dynamic is None:
            return None
        if not isinstance(dynamic, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BuildError(
                f'dynamic maps arguments to axes, as in {{"x": {{0: eqsat.dim("n", 1, 4096)}}}}, and is {brief(dynamic)}'
            )
        parameters = _parameters(function)
        found: dict[str, Mapping[int, Extent]] = {}
        for place, axes in dynamic.items():
            name = parameters[place] if isinstance(place, int) and 0 <= place < len(parameters) else place
            if not isinstance(name, str) or name not in parameters:
                listed = ", ".join(parameters) or "none"
                raise BuildError(
                    f"dynamic names {brief(place)}, and the arguments are: {listed}; use their names or positions"
                )
            if name in found:
                raise BuildError(f"dynamic names the argument {name} twice; give all of its axes at once")
            found[name] = _checked(name, axes)
        return DynamicAxes(parameters, found)

    def shape(self, place: str | int, shape: Shape) -> Shape:
        """The shape of an argument, by position or name, with its dims."""
        name = place if isinstance(place, str) else self._name(place)
        axes = self._axes.get(name, {})
        for axis in axes:
            if not -len(shape) <= axis < len(shape):
                raise ShapeError(
                    f"dynamic names axis {axis} of {name}, which has shape {shape}; pass an array with that axis"
                )
        known = {axis % len(shape): dim for axis, dim in axes.items()}
        return tuple(known.get(axis, extent) for axis, extent in enumerate(shape))

    def shapes(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> list[Shape]:
        """The shapes of the arrays among the arguments, with their dims."""
        found: list[Shape] = []
        for place, value in (*enumerate(arguments), *options.items()):
            name = place if isinstance(place, str) else self._name(place)
            if is_host(value):
                found.append(self.shape(place, as_host(value).shape))
            elif name in self._axes:
                raise BuildError(
                    f"dynamic names the argument {name}, which is {brief(value)} and no array; pass a NumPy array"
                )
        return found

    def labels(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> list[str]:
        """What messages call the arrays among the arguments."""
        names = [*(self._name(place) for place in range(len(arguments))), *options]
        values = [*arguments, *options.values()]
        return [f"argument {name!r}" for name, value in zip(names, values, strict=True) if is_host(value)]

    def _name(self, place: int) -> str:
        return self._parameters[place] if place < len(self._parameters) else str(place)


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError) as error:
        raise BuildError(
            f"cannot tell the arguments of {function!r}, which dynamic names: {error}; wrap it in a function"
        ) from error


def _checked(name: str, axes: Any) -> Mapping[int, Extent]:
    if not isinstance(axes, Mapping) or not axes:
        raise BuildError(
            f'dynamic gives {name} {brief(axes)}; map axes to dims, as in {{0: eqsat.dim("n", 1, 4096)}}'
        )
    for axis, dim in axes.items():  # pyright: ignore[reportUnknownVariableType]
        if type(axis) is not int or not isinstance(dim, Extent):  # pyright: ignore[reportUnknownArgumentType]
            raise BuildError(
                f'dynamic gives axis {brief(axis)} of {name} {brief(dim)}; map a number to a dim, as in {{0: eqsat.dim("n", 1, 4096)}}'
            )
    return axes  # pyright: ignore[reportUnknownVariableType]
