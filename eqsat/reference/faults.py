"""Explains errors from illegal graphs: the meanings of operations expect graphs that `spec` allows, and fail on others."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from eqsat.errors import DTypeError, EqsatError, EvaluationError, MemoryExhaustedError, brief, shortened
from eqsat.spec import fault_of
from eqsat.uop import UOp, toposort

_MISFITS = (TypeError, ValueError, LookupError, AttributeError, AssertionError, ArithmeticError, DTypeError)


@contextmanager
def faults_of(roots: Sequence[UOp]) -> Generator[None]:
    """Replaces an error that arises inside by one that names the first node that is legal at no stage.

    Raises:
        EvaluationError: such an error arose.
        MemoryExhaustedError: there was no memory for an array.
    """
    try:
        yield
    except MemoryError as error:
        raise MemoryExhaustedError(
            f"no memory was left while evaluating {', '.join(map(repr, roots[:4]))} ({error}); evaluate a smaller graph, or drop arrays "
            f"that are no longer needed"
        ) from error
    except _MISFITS as error:
        if type(error) is not DTypeError and isinstance(error, EqsatError):
            raise
        for node in toposort(roots):
            fault = fault_of(node)
            if fault is not None:
                raise EvaluationError(f"{node!r} has no value: {shortened(fault)}") from error
        raise EvaluationError(
            f"{', '.join(each.op.name for each in roots[:4])} cannot be evaluated ({type(error).__name__}: {brief(error)}); "
            f"check the graph with eqsat.spec.verify, and the data"
        ) from error
