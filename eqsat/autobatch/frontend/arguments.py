"""Finds the types of the arguments of batched functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.array.core import as_dtype
from eqsat.array.data import as_host, is_host
from eqsat.autobatch.analysis.weakness import WEAK_BOOL, WEAK_FLOAT, WEAK_INT
from eqsat.autobatch.ir import TensorType, Type
from eqsat.dtype import DType, from_numpy
from eqsat.errors import BuildError
from eqsat.pipeline import Spec


def type_of_argument(value: Any) -> Any:
    """The type of one member's value for an argument: a TensorType, or a Weak for a Python number.

    Raises:
        BuildError: the value is None.
        DTypeError: the value is no number, array or type, or has a dtype that eqsat lacks.
    """
    match value:
        case TensorType():
            return value
        case Type(pattern):
            return pattern
        case Spec(shape, dtype):
            return TensorType(dtype, shape)
        case DType():
            return TensorType(value)
        case bool():
            return WEAK_BOOL
        case np.generic() | np.ndarray():
            array: NDArray[Any] = as_host(value)  # pyright: ignore[reportUnknownArgumentType]
            return TensorType(from_numpy(array.dtype), array.shape[1:])
        case int():
            return WEAK_INT
        case float():
            return WEAK_FLOAT
        case _ if is_host(value) and not isinstance(value, type):
            return type_of_argument(as_host(value))
        case None:
            raise BuildError(
                "None is no value of a member; give a number or an array, and choose between functions outside"
            )
        case _:
            return TensorType(as_dtype(value))
