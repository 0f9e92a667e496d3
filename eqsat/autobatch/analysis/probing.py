"""Finds the types of a primitive's results by calling it on placeholders, and on sample numbers where its inputs are Python numbers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any

from eqsat.array import placeholder
from eqsat.autobatch.analysis.weakness import Weak, stored, type_of
from eqsat.autobatch.ir import PrimOp, TensorType
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.autobatch.primitives import results_of
from eqsat.errors import BuildError, EqsatError

# Whether a primitive is being called; batched functions then refuse to run
is_probing: ContextVar[bool] = ContextVar("is_probing", default=False)

# Samples for the k-th Python number. The type of a result should not depend on them, but some cannot be divisors or positions.
_SAMPLES: tuple[Callable[[int], int], ...] = (lambda number: number + 1, lambda number: 1, lambda number: 0)


def result_types(operation: PrimOp, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The pattern of types of each output, for the types of the inputs.

    Raises:
        BuildError: the function of the primitive raises an error, or returns something other than numbers and arrays.
    """
    if any(isinstance(leaf, Weak) for pattern in inputs for leaf in leaves(pattern)):
        for sample in _SAMPLES:
            try:
                return _called(operation, _arguments(inputs, sample))
            except Exception:  # noqa: BLE001, S112  the next sample may work, and the last call is on placeholders
                continue
    with located(operation):
        return _called(operation, _arguments([stored(pattern) for pattern in inputs]))


def stand_ins(inputs: Sequence[Any]) -> list[Any]:
    """Placeholders for values of these types."""
    return _arguments([stored(pattern) for pattern in inputs])


@contextmanager
def located(operation: PrimOp) -> Generator[None]:
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


def _called(operation: PrimOp, arguments: Sequence[Any]) -> tuple[Any, ...]:
    token = is_probing.set(True)
    try:
        return tuple(type_of(result) for result in results_of(operation, operation.function(*arguments)))
    finally:
        is_probing.reset(token)


def _arguments(inputs: Sequence[Any], sample: Callable[[int], int] = lambda number: 0) -> list[Any]:
    slots, numbers = count(), count()

    def argument(leaf: TensorType | Weak) -> Any:
        if isinstance(leaf, TensorType):
            return placeholder(next(slots), leaf.shape, leaf.dtype)
        value = sample(next(numbers))
        return value + 0.5 if leaf.dtype.is_float else value

    return [mapped(argument, pattern) for pattern in inputs]
