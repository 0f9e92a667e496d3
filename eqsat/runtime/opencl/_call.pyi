"""The extension that makes calls past the queue, built from `_call.c` where a C compiler is at hand when eqsat is installed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

INTERFACE: int  # of Call, which `extension.py` knows

# An array of the shape and dtype of an argument (memory for its elements, if it may be copied there), its number (-1: no kernel reads it),
# and whether it may be copied. A tuple of one object is for that very object.
Argument = tuple[np.ndarray, int, bool] | tuple[Any]
# An array of the shape and dtype of a result, its number, and whether its memory is kept for others when it is dropped: here, or by the pool
# if it is large.
Result = tuple[np.ndarray, int, bool]
# Addresses of the crew's function and of what it is given; the words, and what they are for this signature; what they are now; the turns; what says
# whether drivers were lost; the pool; whether other threads run meanwhile; what has to live as long.
Launch = tuple[
    int, int, np.ndarray, np.ndarray, list[np.ndarray | None], list[bool], object, object, bool, object
]

class Call:
    """A `runtime.device.Direct`: runs a program on arrays in new memory; None where an argument is not like that of its signature."""

    def __new__(
        cls, arguments: tuple[Argument, ...], results: tuple[Result, ...], launch: Launch, single: bool, /
    ) -> Call:
        """`single`: a call returns its only result, not in a tuple."""

    def __call__(self, arguments: Sequence[Any], /) -> Any: ...
    def among(self, constants: tuple[tuple[Any] | None, ...], single: bool, /) -> Call:
        """See `runtime.device.Direct`."""
