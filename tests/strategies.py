"""Array programs drawn by Hypothesis: lists of steps that NumPy and eqsat carry out alike.

A program is drawn while NumPy computes it, so that every step fits the shapes, dtypes and values it meets.
Each value is also computed in extended precision, once as it is and twice with each rounding replaced by
noise of the size that an implementation may be off by; the spread of the three is how far two correct
implementations may differ (stochastic arithmetic: D. S. Parker, "Monte Carlo Arithmetic", 1997). Steps that
jump (comparisons, rounding, positions of extremes) are drawn only where the jump is further away than that.

The operations are in `tests.operations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.operations import OPERATIONS, Operation

DTYPES = ("float32", "float64", "int32", "int64", "int8", "uint8", "bool")
LARGEST, LEAST, MOST_ELEMENTS = 1e6, 1e-20, 3000
LOOSEST = 1e-3  # tolerance relative to the greatest element; beyond, a comparison would say nothing
ATTEMPTS = 4  # to draw an operation that fits
WIDE = np.longdouble


@dataclass(frozen=True)
class Value:
    """One value of a program.

    Attributes:
        native: as NumPy computes it.
        shadows: in extended precision: rounded nowhere, and twice with noise.
        tolerance: how far another implementation may be off, absolutely; 0 where every rounding is exact.
    """

    native: NDArray[Any]
    shadows: tuple[NDArray[Any], ...]
    tolerance: float


@dataclass(frozen=True)
class Step:
    """One operation on earlier values."""

    operation: Operation
    operands: tuple[int, ...]
    arguments: dict[str, Any]

    def __repr__(self) -> str:
        listed = [f"v{operand}" for operand in self.operands]
        listed += [f"{name}={value!r}" for name, value in self.arguments.items()]
        return f"{self.operation.name}({', '.join(listed)})"


@dataclass(frozen=True)
class Program:
    """Inputs, steps, and which values are wanted, with what they should be.

    Attributes:
        inputs: the first values.
        steps: one more value each.
        outputs: the values that are results.
        expected: what NumPy makes of them.
        tolerances: how far each result may be off.
    """

    inputs: tuple[NDArray[Any], ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    expected: tuple[NDArray[Any], ...]
    tolerances: tuple[float, ...]

    def __repr__(self) -> str:
        lines = [f"v{place} = array({array.dtype}, {array.shape})" for place, array in enumerate(self.inputs)]
        lines += [f"v{place} = {step!r}" for place, step in enumerate(self.steps, start=len(self.inputs))]
        return "\n".join([*lines, "return " + ", ".join(f"v{place}" for place in self.outputs)])

    def run(self, namespace: Any, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The results in a namespace (`numpy` or `eqsat.array`) on its own arrays."""
        values = list(inputs)
        for step in self.steps:
            operands = (values[operand] for operand in step.operands)
            values.append(step.operation.function(namespace, *operands, **step.arguments))
        return tuple(values[place] for place in self.outputs)

    def check(self, results: Sequence[Any]) -> None:
        """Compares results with what NumPy makes of the program."""
        for result, expected, tolerance in zip(results, self.expected, self.tolerances, strict=True):
            assert_close(result, expected, tolerance, self)


def assert_close(actual: Any, expected: NDArray[Any], tolerance: float, program: Program) -> None:
    """Same dtype, same shape, and elements that differ by no more than the program's roundings explain."""
    actual = np.asarray(actual)
    assert actual.shape == expected.shape, f"shape {actual.shape}, not {expected.shape}\n{program!r}"
    assert actual.dtype == expected.dtype, f"dtype {actual.dtype}, not {expected.dtype}\n{program!r}"
    if expected.dtype.kind == "f":
        difference = np.abs(actual.astype(WIDE) - expected.astype(WIDE))
        wrong = ~(difference <= tolerance)
    else:
        wrong = actual != expected
    if np.any(wrong):
        place = tuple(int(axis[0]) for axis in np.nonzero(wrong)) if wrong.ndim else ()
        found = f"{actual[place]!r} at {place}, not {expected[place]!r}; tolerance {tolerance:.3g}"
        raise AssertionError(
            f"{found}; {np.count_nonzero(wrong)} of {wrong.size} elements are wrong\n{program!r}"
        )


@st.composite
def programs(draw: st.DrawFn, max_operations: int = 30) -> Program:
    """A program of up to `max_operations` steps on one to four inputs."""
    extents = draw(
        st.lists(st.sampled_from((0, 1, 1, 2, 3, 3, 4, 5, 7, 7, 9, 13, 16, 33)), min_size=3, max_size=3)
    )
    values = [_input(draw, extents) for _ in range(draw(st.integers(1, 4)))]
    count = len(values)
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, max_operations))):
        drawn = next(filter(None, (_step(draw, values) for _ in range(ATTEMPTS))), None)
        if drawn is not None:
            steps.append(drawn[0])
            values.append(drawn[1])
    others = st.lists(st.integers(0, len(values) - 1), max_size=2)
    outputs = tuple(dict.fromkeys([len(values) - 1, *draw(others)]))
    return Program(
        tuple(value.native for value in values[:count]),
        tuple(steps),
        outputs,
        tuple(values[place].native for place in outputs),
        tuple(values[place].tolerance for place in outputs),
    )


def _input(draw: st.DrawFn, extents: Sequence[int]) -> Value:
    """Small whole numbers, or eighths, in a shape made of a few extents, so that shapes often broadcast."""
    shape = tuple(draw(st.sampled_from((*extents, 1))) for _ in range(draw(st.integers(0, 3))))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low, high = (0, 2) if dtype.kind == "b" else (0, 19) if dtype.kind == "u" else (-9, 10)
    numbers = (
        random.integers(low * 8, high * 8, shape) / 8
        if dtype.kind == "f"
        else random.integers(low, high, shape)
    )
    return _exact(np.asarray(numbers).astype(dtype))


def _step(draw: st.DrawFn, values: Sequence[Value]) -> tuple[Step, Value] | None:
    """A step that fits, and its value; None if the operation drawn does not fit what there is."""
    operation = draw(st.sampled_from(OPERATIONS))
    # later values more often, so that programs are deep
    places = [len(values) - 1 - draw(st.integers(0, len(values) - 1)) // 2 for _ in range(operation.operands)]
    operands = [values[place] for place in places]
    arguments = operation.arguments(draw, *(operand.native for operand in operands))
    if arguments is None:
        return None
    with np.errstate(all="ignore"):
        value = _compute(operation, operands, arguments)
    return None if value is None else (Step(operation, tuple(places), arguments), value)


def _compute(operation: Operation, operands: Sequence[Value], arguments: dict[str, Any]) -> Value | None:
    """The step's value; None where it is out of bounds, or jumps where rounding decides to which side."""
    tolerance = sum(operand.tolerance for operand in operands)
    if operation.distance is not None and tolerance:
        nearest = operation.distance(*(operand.native for operand in operands), **arguments)
        if not nearest > 4 * tolerance:
            return None

    def run(*arrays: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(operation.function(np, *arrays, **arguments))

    native = run(*(operand.native for operand in operands))
    if native.size > MOST_ELEMENTS or not _is_moderate(native):
        return None
    if native.dtype.kind != "f":
        return _exact(native)
    shadows = [run(*(operand.shadows[which] for operand in operands)).astype(WIDE) for which in range(3)]
    if operation.is_exact and all(np.array_equal(native.astype(WIDE), shadow) for shadow in shadows):
        return _exact(native)
    scale = np.abs(shadows[0])
    if operation.scale is not None:
        scale = scale + operation.scale(*(np.abs(operand.shadows[0]) for operand in operands), **arguments)
    value = _noisy(native, shadows, np.finfo(native.dtype).eps * operation.noise * scale)
    return value if value.tolerance < LOOSEST * (1 + np.max(np.abs(native), initial=0)) else None


def _is_moderate(native: NDArray[Any]) -> bool:
    if native.dtype.kind != "f":
        return True
    size = np.abs(native)
    return bool(np.all(size < LARGEST) and np.all((size == 0) | (size > LEAST)))


def _exact(native: NDArray[Any]) -> Value:
    wide = native.astype(WIDE) if native.dtype.kind == "f" else native
    return Value(native, (wide, wide, wide), 0.0)


def _noisy(native: NDArray[Any], shadows: Sequence[NDArray[Any]], noise: NDArray[Any]) -> Value:
    """One shadow rounded up everywhere, and one to either side in turn, by the size of the noise."""
    signs = np.where(np.arange(native.size).reshape(native.shape) % 3, 1, -1)
    disturbed = (shadows[0], shadows[1] + noise, shadows[2] + signs * noise)
    spread = [np.max(np.abs(other - shadows[0]), initial=0.0) for other in (native, *disturbed[1:])]
    return Value(native, disturbed, float(4 * max(spread)))
