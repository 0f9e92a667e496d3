"""Finds the types of a primitive's results by calling it on placeholders for its inputs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any

from eqsat.array import Array, placeholder
from eqsat.autobatch.analysis.weakness import Weak, type_of
from eqsat.autobatch.ir import PrimOp, TensorType
from eqsat.autobatch.ir.patterns import mapped
from eqsat.autobatch.primitives import results_of
from eqsat.autobatch.python_numbers import PythonNumber
from eqsat.errors import BuildError, EqsatError

# Whether a primitive is being called; batched functions then refuse to run
is_probing: ContextVar[bool] = ContextVar("is_probing", default=False)


def result_types(operation: PrimOp, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The pattern of types of each output, for the types of the inputs; an input may be a Python int itself.

    Raises:
        BuildError: the function of the primitive raises an error, or returns something other than numbers and arrays.
    """
    slots = count()

    def stand_in(leaf: TensorType | Weak | int) -> Array | int:
        if isinstance(leaf, int):
            return leaf
        if isinstance(leaf, Weak):
            return PythonNumber(placeholder(next(slots), (), leaf.dtype).uop)
        return placeholder(next(slots), leaf.shape, leaf.dtype)

    with _located(operation):
        result = operation.function(*(mapped(stand_in, pattern) for pattern in inputs))
        return tuple(type_of(each) for each in results_of(operation, result))


@contextmanager
def _located(operation: PrimOp) -> Generator[None]:
    """A context in which errors of a primitive are raised with the line where it was written."""
    token = is_probing.set(True)
    try:
        yield
    except EqsatError as error:
        raise type(error)(f"{error} ({_place(operation)})") from error
    except RecursionError as error:
        raise BuildError(
            f"{operation.name} calls itself without end while it is traced ({_place(operation)}); "
            f"decorate the function that it calls with eqsat.autobatch.batch"
        ) from error
    except Exception as error:
        raise BuildError(
            f"{operation.name} raises {type(error).__name__}: {error} ({_place(operation)}); use eqsat's functions of arrays"
        ) from error
    finally:
        is_probing.reset(token)


def _place(operation: PrimOp) -> object:
    return operation.position or f"the primitive that writes {', '.join(operation.vars_out)}"
