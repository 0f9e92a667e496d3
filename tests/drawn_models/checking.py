"""Models drawn and run: what differs from NumPy and from the reference by more than rounding explains."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

import eqsat as eq
import eqsat.array as xp
from tests.drawn_arrays.values import Numbers
from tests.drawn_models.counting import COUNTING
from tests.drawn_models.drafting import Draft, Model, TooLargeError
from tests.drawn_models.layers import LAYERS

CALLS = 4  # later ones go past the queue
MARGIN = 16  # times the error of the reference, whose roundings are others
UNITS = 64  # of precision, relative to the greatest element, that any result may be off
ERRORS = (eq.EqsatError, AssertionError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
FLOATS = ("float32", "float32", "float32", "float64", "float16")
INTEGERS = ("int32", "int32", "int64", "uint8", "int8", "uint16", "uint32")
TOKENS = (1, 2, 3, 5, 7, 8, 16, 17, 31, 32, 33, 64)
INPUT_WIDTHS = (1, 2, 3, 4, 6, 8, 16, 17, 24, 33, 64)

Results = list[Numbers]


def draw_model(seed: str, most: int = 6) -> Model:
    """The model of a seed: an input of members, tokens and widths, then 1 to `most` layers; the last value is a result, and some before it."""
    chance = Random(seed)
    counts = chance.random() < 0.3
    draft = Draft(chance, chance.choice(INTEGERS if counts else FLOATS))
    x = draft.start((chance.choice((1, 1, 2, 3, 4, 8)), chance.choice(TOKENS), chance.choice(INPUT_WIDTHS)))
    for _ in range(chance.randint(1, most)):
        try:
            x = chance.choice(COUNTING if counts else LAYERS)(draft, x)
        except TooLargeError:
            break
    if x == "x":
        x = draft.line("x + x")
    others = [
        name
        for name, value in draft.values.items()
        if name[0] == "v" and name != x and value.ndim == 3 and chance.random() < 0.1
    ]
    return draft.model((*others[:2], x))


def by_jit(model: Model, plan: eq.Plan | None = None) -> Results:
    """Compiled and called until calls are short; all calls return the same bits."""
    function = eq.jit(lambda *arguments: model.function(xp, *arguments), plan=plan)
    given = model.given(model.dtype)
    first, *others = (function(*given) for _ in range(CALLS))
    for other in others:
        for one, again in zip(first, other, strict=True):
            assert np.asarray(one).tobytes() == np.asarray(again).tobytes(), "two calls differ"
    return list(first)


def by_member(model: Model) -> Results:
    """A function of one member, mapped over the batch."""
    x, *parameters = model.given(model.dtype)

    def one(member: Any, *weights: Any) -> Any:
        results = model.function(xp, xp.expand_dims(xp.asarray(member), axis=0), *weights)
        return tuple(xp.squeeze(result, axis=0) for result in results)

    return list(eq.jit(eq.vmap(one, in_axes=(0, *(None,) * len(parameters))))(x, *parameters))


def for_any_batch(model: Model) -> Results:
    """Compiled once for batches of many sizes, called on one of a single member, and on all members."""
    members = eq.dim("members", 1, 2 * len(model.arguments[0]) + 1)
    function = eq.jit(lambda *arguments: model.function(xp, *arguments), dynamic={0: {0: members}})
    x, *parameters = model.given(model.dtype)
    single, whole = function(x[:1], *parameters), function(x, *parameters)
    for one, all_ in zip(single, whole, strict=True):
        np.testing.assert_allclose(one[0], all_[0], rtol=1e-2, atol=1e-2)
    return list(whole)


WAYS: dict[str, Callable[[Model], Results]] = {
    "jit": by_jit,
    "strict": lambda model: by_jit(model, eq.Plan(strict=True)),
    "fast": lambda model: by_jit(model, eq.Plan(fast_math=True)),
    "members": by_member,
    "batches": for_any_batch,
}


def wrong_with(model: Model, way: str) -> str | None:
    """What is wrong with a model that is run in a way; None if nothing is."""
    try:
        with patch.dict(os.environ, EQSAT_CACHE="off"):
            found = WAYS[way](model)
            errors = [0.0] * len(found) if np.dtype(model.dtype).kind in "iu" else errors_of_reference(model)
    except ERRORS as error:
        return f"{type(error).__name__}: {str(error)[:800]}"
    for place, (actual, error, right) in enumerate(zip(found, errors, model.expected, strict=True)):
        words = difference(np.asarray(actual), error, right, model.dtype)
        if words:
            return f"result {place}: {words}"
    return None


def errors_of_reference(model: Model) -> list[float]:
    """How far the reference's results are off in the model's dtype: the model's meaning in double precision is NumPy's.

    Raises:
        AssertionError: it is not.
    """
    errors: list[float] = []
    rounded = referred(model, model.dtype)
    for one, exact, right in zip(rounded, referred(model, "float64"), model.expected, strict=True):
        words = difference(exact, 0.0, right, "float32")
        assert words is None, f"the reference: {words}"
        with np.errstate(all="ignore"):
            error = np.abs(one.astype(np.float64) - exact)
        errors.append(float(np.max(error, initial=0.0, where=np.isfinite(error))))
    return errors


def referred(model: Model, dtype: str) -> tuple[Numbers, ...]:
    """What the model means in a dtype."""
    given = model.given(dtype)
    specs = [eq.spec(argument.shape, argument.dtype) for argument in given]
    graph = eq.trace(lambda *arguments: model.function(xp, *arguments), *specs)
    with np.errstate(all="ignore"):
        return eq.evaluate(graph, dict(enumerate(given)))


def difference(actual: Numbers, error: float, right: Numbers, dtype: str) -> str | None:
    """Where a result is further from NumPy's in double precision than a reference's error and some units of precision explain."""
    if actual.shape != right.shape:
        return f"shape {actual.shape}, not {right.shape}"
    if right.dtype.kind != "f":
        wrong = actual != right
    else:
        finite = np.isfinite(right) & (np.abs(right) < np.finfo(dtype).max)
        scale = np.max(np.abs(right), initial=1e-3, where=finite)
        with np.errstate(all="ignore"):
            apart = (
                np.abs(actual.astype(np.float64) - right)
                > MARGIN * error + UNITS * np.finfo(dtype).eps * scale
            )
        wrong = finite & (apart | ~np.isfinite(actual))
    if not wrong.any():
        return None
    place = tuple(int(axis[0]) for axis in np.nonzero(wrong)) if wrong.ndim else ()
    return f"{actual[place]!r} at {place}, not {right[place]!r}; {np.count_nonzero(wrong)} of {wrong.size} elements are wrong"
