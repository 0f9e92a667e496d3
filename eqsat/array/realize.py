"""Computes the arrays of a closed graph when Python needs their values.

This is the only place where arrays use an executor. It is the reference interpreter, which is below this layer
and always available, so an `Array` can show its value anywhere. Programs that should run fast go through the
pipeline, which compiles the same graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat import reference
from eqsat.array.data import collect_buffers, host_values, require_no_params
from eqsat.reference.faults import faults_of
from eqsat.uop import UOp


def evaluate(values: Sequence[UOp]) -> list[NDArray[Any]]:
    """Computes the values with the reference interpreter, each as a new array, contiguous and writable.

    Raises:
        UnknownValueError: a value depends on a placeholder.
        MemoryExhaustedError: there is no memory for a value.
    """
    require_no_params(values)
    data: dict[UOp | int | str, Any] = {buffer: host_values(buffer) for buffer in collect_buffers(*values)}
    with faults_of(values):
        # The interpreter returns views of the data that it reads, and repeats elements by strides of 0
        return [np.array(result, order="C") for result in reference.evaluate(UOp.sink(*values), data)]
