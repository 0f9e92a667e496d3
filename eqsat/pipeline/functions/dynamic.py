"""Arrays whose extents only calls know: their shapes in a graph, and the axes that `jit` is told about."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eqsat.array.data import as_host, collect_params, is_host
from eqsat.errors import BuildError, ShapeError, brief
from eqsat.extents import Extent
from eqsat.pipeline.functions.nested import Place, has_arrays, leaves_of, text_of
from eqsat.schedule.dynamic.arrays import Dynamic
from eqsat.shape import Shape
from eqsat.specialization.dynamic_extents import argument_shapes, extents_of, has_extents
from eqsat.uop import UOp, toposort


def dynamic_of(sink: UOp, shapes: Sequence[Shape | None]) -> Dynamic | None:
    """The shapes of a graph's arguments and results; None if no extent depends on the call. `shapes` are those of the first arguments, if known.

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
    """The axes of a function's arguments whose extents only calls know, from the argument `dynamic` of `jit`."""

    def __init__(self, parameters: Sequence[str], axes: Mapping[Place, Mapping[int, Extent]]) -> None:
        self._parameters = parameters
        self._axes = axes

    @staticmethod
    def of(
        function: Callable[..., Any], dynamic: Mapping[str | int, Mapping[Any, Any]] | None
    ) -> DynamicAxes | None:
        """Reads `dynamic`, which names parameters by their names or positions. None if it is None.

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
        found: dict[Place, Mapping[int, Extent]] = {}
        named: set[str] = set()
        for place, axes in dynamic.items():
            name = parameters[place] if isinstance(place, int) and 0 <= place < len(parameters) else place
            if not isinstance(name, str) or name not in parameters:
                listed = ", ".join(parameters) or "none"
                raise BuildError(
                    f"dynamic names {brief(place)}, and the arguments are: {listed}; use their names or positions"
                )
            if name in named:
                raise BuildError(f"dynamic names the argument {name} twice; give all of its axes at once")
            named.add(name)
            found |= _checked((name,), axes)
        return DynamicAxes(parameters, found)

    def shape(self, place: Place, shape: Shape) -> Shape:
        """The shape of an argument, or of an array inside one, with dims in place of its dynamic extents."""
        place = self._named(place)
        axes = self._axes.get(place, {})
        for axis in axes:
            if not -len(shape) <= axis < len(shape):
                raise ShapeError(
                    f"dynamic names axis {axis} of {text_of(place)}, which has shape {shape}; pass an array with that axis"
                )
        known = {axis % len(shape): dim for axis, dim in axes.items()}
        return tuple(known.get(axis, extent) for axis, extent in enumerate(shape))

    def shapes(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> list[Shape]:
        """The shapes of the arrays among the arguments, with dims in place of dynamic extents."""
        found: list[Shape] = []
        missing = set(self._axes)
        for place, value in self._leaves(arguments, options):
            if is_host(value):
                found.append(self.shape(place, as_host(value).shape))
                missing.discard(place)
            elif place in self._axes:
                raise BuildError(
                    f"dynamic names the argument {text_of(place)}, which is {brief(value)} and no array; pass a NumPy array"
                )
        nested = sorted(text_of(place) for place in missing if len(place) > 1)
        if nested:
            raise BuildError(
                f"dynamic names {nested[0]}, and there is no such array; name arrays by their keys and positions"
            )
        return found

    def labels(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> list[str]:
        """The names by which messages call the arrays among the arguments."""
        leaves = self._leaves(arguments, options)
        return [f"argument {_label(place)}" for place, value in leaves if is_host(value)]

    def _leaves(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
        """The arguments in order, each with its place. Containers with arrays in them are replaced by their leaves."""
        for place, value in (*enumerate(arguments), *options.items()):
            named = self._named((place,))
            yield from leaves_of(value, named) if has_arrays(value) else ((named, value),)

    def _named(self, place: Place) -> Place:
        """A place that begins with the name of the argument, not its position."""
        name: str | int = place[0]
        if isinstance(name, int):
            name = self._parameters[name] if name < len(self._parameters) else str(name)
        return (name, *place[1:])


def _label(place: Place) -> str:
    name, *inside = place
    return text_of(place) if inside else repr(name)


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError) as error:
        raise BuildError(
            f"cannot tell the arguments of {function!r}, which dynamic names: {error}; wrap it in a function"
        ) from error


def _checked(place: Place, axes: Any) -> dict[Place, Mapping[int, Extent]]:
    """Checks the axes that `dynamic` gives an argument. Returns them by place: of the argument, or of each array in it that has some."""
    if not isinstance(axes, Mapping) or not axes:
        raise BuildError(
            f'dynamic gives {text_of(place)} {brief(axes)}; map axes to dims, as in {{0: eqsat.dim("n", 1, 4096)}}'
        )
    inside: dict[Any, Any] = axes  # pyright: ignore[reportUnknownVariableType, reportAssignmentType]
    if all(isinstance(each, Mapping) for each in inside.values()):
        return {
            found: dims
            for key, each in inside.items()
            for found, dims in _checked((*place, key), each).items()
        }
    for axis, dim in inside.items():
        if type(axis) is not int or not isinstance(dim, Extent):
            raise BuildError(
                f'dynamic gives axis {brief(axis)} of {text_of(place)} {brief(dim)}; map a number to a dim, as in {{0: eqsat.dim("n", 1, 4096)}}'
            )
    return {place: inside}
