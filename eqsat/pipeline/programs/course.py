"""What a program with steps on the host does between its kernels, and how files say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from eqsat.custom import Operand, custom_named
from eqsat.dtype import DType
from eqsat.graph_files.arguments import decode_argument, encode_argument
from eqsat.shape import Shape
from eqsat.uop.limits import is_extent, is_size


class Passed(NamedTuple):
    """An array that a part gives as it is: its slot, and its shape and dtype."""

    slot: int
    operand: Operand


@dataclass(frozen=True, slots=True)
class HostStep:
    """A step on the host.

    Attributes:
        function: the name of the function.
        arguments: the slots of its arguments, which the part before the step gives.
        results: the shapes and dtypes of its results.
        contents: the slots of its results.
    """

    function: str
    arguments: tuple[int, ...]
    results: tuple[Operand, ...]
    contents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """What a program with steps on the host does, apart from its kernels. Arrays have slots.

    Attributes:
        steps: the steps.
        passed: for each part the arrays that it gives, if they exist before it runs; else none.
        first_data: the slot of the first array of the graph's data.
    """

    steps: tuple[HostStep, ...]
    passed: tuple[tuple[Passed, ...], ...]
    first_data: int


def written_course(course: Course) -> list[Any]:
    """The course as JSON. It has the names of functions; a process that reads it has functions of these names."""
    steps = [
        [step.function, step.arguments, list(map(_written, step.results)), step.contents]
        for step in course.steps
    ]
    passed = [[[slot, _written(operand)] for slot, operand in each] for each in course.passed]
    return [steps, passed, course.first_data]


def read_course(document: Any) -> Course:
    """The course that `written_course` wrote.

    Raises:
        BuildError: no function has the name of one of its functions.
        ValueError, TypeError: it is no course.
    """
    steps, passed, first_data = document
    return Course(
        tuple([_step(row) for row in steps]),
        tuple([tuple([Passed(_slot(slot), _operand(operand)) for slot, operand in each]) for each in passed]),
        _slot(first_data),
    )


def _written(operand: Operand) -> list[Any]:
    return [encode_argument(operand.shape), encode_argument(operand.dtype)]


def _step(row: Any) -> HostStep:
    name, arguments, results, contents = row
    return HostStep(
        custom_named(name).name,
        tuple(map(_slot, arguments)),
        tuple(map(_operand, results)),
        tuple(map(_slot, contents)),
    )


def _operand(row: Any) -> Operand:
    shape, dtype = map(decode_argument, row)
    if not isinstance(shape, tuple) or not isinstance(dtype, DType):
        raise ValueError(f"{row!r} is no shape and dtype")
    extents = cast("Shape", shape)
    if not all(map(is_extent, extents)):
        raise ValueError(f"{row!r} has no extents")
    return Operand(extents, dtype)


def _slot(number: Any) -> int:
    if not is_size(number):
        raise ValueError(f"{number!r} is no slot")
    return number
