"""Functions on arrays that are traced and compiled when they are called."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from eqsat.array import placeholder
from eqsat.dtype import from_numpy
from eqsat.errors import BuildError
from eqsat.pipeline.compilation import compile
from eqsat.pipeline.plan import Plan
from eqsat.pipeline.program import Program
from eqsat.pipeline.tracing import rebuild, trace_results


def jit(function: Callable[..., Any] | None = None, *, plan: Plan | None = None) -> Callable[..., Any]:
    """Makes a function of eqsat arrays one of NumPy arrays.

    It is traced and compiled once per combination of shapes and dtypes. Arguments that are no arrays (numbers, strings, None) are
    part of the program: another value compiles another one. Results come in the tuples, lists and dicts that the function returns.
    """
    if function is None:
        return functools.partial(jit, plan=plan)
    traced = function
    programs: dict[Any, tuple[Program, Any]] = {}

    @functools.wraps(traced)
    def run(*arguments: Any, **options: Any) -> Any:
        values = [*arguments, *options.values()]
        key = (len(arguments), tuple(options), tuple(_signature(value) for value in values))
        if key not in programs:
            programs[key] = _compiled(traced, arguments, options, plan)
        program, structure = programs[key]
        return rebuild(structure, iter(program.run([value for value in values if _is_array(value)])))

    return run


def _compiled(function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any],
              plan: Plan | None) -> tuple[Program, Any]:  # fmt: skip
    slots = iter(range(len(arguments) + len(options)))

    def stand_in(value: Any) -> Any:
        return placeholder(next(slots), value.shape, from_numpy(value.dtype)) if _is_array(value) else value

    positional = [stand_in(value) for value in arguments]
    named = {name: stand_in(value) for name, value in options.items()}
    sink, structure = trace_results(functools.partial(function, **named), positional)
    return compile(sink, plan), structure


def _is_array(value: Any) -> TypeGuard[NDArray[Any]]:
    return isinstance(value, np.ndarray)


def _signature(value: Any) -> Any:
    if _is_array(value):
        return value.shape, value.dtype
    try:
        hash(value)
    except TypeError:
        raise BuildError(
            f"a jitted function takes NumPy arrays and hashable constants, not {type(value).__name__}; pass an array"
        ) from None
    return type(value), value
