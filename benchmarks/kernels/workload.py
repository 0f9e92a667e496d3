"""Workloads of the benchmark: each is a function with its inputs and the required accuracy of its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.kernels.names import numpy_names
from eqsat.demo.report import as_list

SEED = 0  # seed of the inputs
Shape = tuple[int, ...]
Function = Callable[..., Any]  # takes the names of a library, and arrays of that library


class Input(NamedTuple):
    """An array of random elements.

    Attributes:
        shape: the shape in the benchmark.
        small: the shape in tests.
        dtype: the element type; floats are normally distributed.
        end: integers are drawn from 0 to this number, exclusive; they may be positions along an axis of this extent.
        small_end: the same in tests.
        is_positive: whether floats are drawn without their signs.
    """

    shape: Shape
    small: Shape
    dtype: str = "float32"
    end: int = 256
    small_end: int = 256
    is_positive: bool = False


@dataclass(frozen=True, eq=False)
class Workload:
    """One row of the benchmark.

    Attributes:
        name: its unique name.
        kind: the class of work that it stands for.
        function: takes a namespace with eqsat's names, and arrays.
        inputs: describes the arrays.
        tolerance: the largest error that a result may have, relative to the greatest value of the reference.
        spelled: by library, the function that its users would write instead; it takes the library's names as its first argument.
        hand_written: milliseconds of kernels written by hand on two Zen 4 cores: PoCL 3.0's wheel, Debian's PoCL 3.1, Intel's runtime.
    """

    name: str
    kind: str
    function: Function
    inputs: tuple[Input, ...]
    tolerance: float = 1e-4
    spelled: Mapping[str, Function] = field(default_factory=dict[str, Function])
    hand_written: tuple[float, float, float] | None = None

    def function_for(self, library: str) -> Function:
        """The function that users of a library write."""
        return self.spelled.get(library, self.function)

    def arrays(self, *, small: bool = False) -> list[NDArray[Any]]:
        """The inputs, the same in every process."""
        draw = np.random.default_rng(SEED)
        return [_drawn(draw, each, small) for each in self.inputs]

    def reference(self, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """The results that NumPy computes with all floats in float64."""
        wide = [array.astype(np.float64) if array.dtype.kind == "f" else array for array in arrays]
        return as_list(self.function_for("numpy")(numpy_names, *wide))


def _drawn(draw: np.random.Generator, each: Input, small: bool) -> NDArray[Any]:
    shape = each.small if small else each.shape
    if each.dtype.startswith("float"):
        wide = np.float64 if each.dtype == "float64" else np.float32
        normal = draw.standard_normal(shape, wide).astype(each.dtype)
        return np.abs(normal) if each.is_positive else normal
    return draw.integers(0, each.small_end if small else each.end, shape, np.dtype(each.dtype).type)
