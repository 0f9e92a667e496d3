"""The extension for direct calls, which bypass the queue. It is built from `_call.c` if there is a C compiler when eqsat is installed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

INTERFACE: int  # the version of Call's interface, which `extension.py` checks

# An argument: an array of its shape and dtype, its number (-1 if no kernel reads it), and whether it may be copied. If so, the array is the memory
# that it is copied to. A tuple of one object is a constant: the call must be given that very object.
Argument = tuple[np.ndarray, int, bool] | tuple[Any]
# A result: an array of its shape and dtype, its number, and whether its memory is retained for other results when it is dropped: here, or by the
# pool if it is large.
Result = tuple[np.ndarray, int, bool]
# The addresses of the crew's function and of its argument; the words that the crew reads; their image for this signature; a list with the image that
# they have now; the list of turns; the object that knows whether drivers were lost; the pool; whether other threads run meanwhile; objects that must
# live as long.
Launch = tuple[
    int, int, np.ndarray, np.ndarray, list[np.ndarray | None], list[bool], object, object, bool, object
]

class Call:
    """A `runtime.device.Direct`: runs a program, with results in new memory. Returns None if an argument does not fit the signature."""

    def __new__(
        cls, arguments: tuple[Argument, ...], results: tuple[Result, ...], launch: Launch, single: bool, /
    ) -> Call:
        """`single`: whether a call returns its only result without a tuple."""

    def __call__(self, arguments: Sequence[Any], /) -> Any: ...
    def among(self, constants: tuple[tuple[Any] | None, ...], single: bool, /) -> Call:
        """See `runtime.device.Direct`."""
