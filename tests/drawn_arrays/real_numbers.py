"""How far a polynomial may be off whatever equal form over the real numbers it is computed in.

Sums, differences and products of inputs and constants are sums of monomials. In any form that associates, distributes or takes out
factors, what reaches the result from one monomial goes through at most as many products as it has factors, and as many sums as there
are monomials: each rounding moves it by one unit of precision. So the error is at most (monomials + factors) · precision · (the sum of
the monomials' sizes). The three are the program itself on other inputs: ones count monomials, twos bound the logarithm of the number of
factors, absolute values with sums in place of differences give sizes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.drawn_arrays.drawing import Program, Step, function_of
from tests.drawn_arrays.oracle import ORACLE, Value
from tests.drawn_arrays.oracle.precision import GREATEST, LEAST, PRECISION, WIDE
from tests.drawn_arrays.values import Numbers

SIGNS = (
    ("xp.subtract(", "xp.add("),
    ("} - ", "} + "),
    (") - ", ") + "),
    (" - {", " + {"),
    ("xp.negative(", "xp.positive("),
)
OF_NUMBERS = frozenset({"add", "subtract", "multiply", "+", "-", "*"})  # one operand may be a number
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?|True")
MOST_FACTORS = 60  # of numbers no smaller than a quarter, so that no monomial is subnormal


def expected_over_the_reals(program: Program) -> list[Value]:
    """The results, and how far each may be off."""
    exact = _evaluated(program, lambda text, _: text, lambda x: x.astype(WIDE))
    sizes = _evaluated(program, _sizes_of, lambda x: np.abs(x.astype(WIDE)))
    monomials = _evaluated(program, _constant(1), lambda x: np.ones_like(x, WIDE))
    powers = _evaluated(program, _constant(2), lambda x: np.full_like(x, 2, WIDE))
    coarsest = max((given.dtype for given in program.inputs), key=PRECISION.__getitem__)
    precision, results = PRECISION[coarsest], list[Value]()
    for native, value, size, count, power in zip(
        program.expected(), exact, sizes, monomials, powers, strict=True
    ):
        factors = np.log2(np.maximum(power, 1))
        # and the sign of a zero, also of a sum of nothing, is not said
        bound = (count + factors) * (precision * size + LEAST[coarsest]) + LEAST[coarsest]
        known = (size < GREATEST[coarsest] / 4) & (factors < MOST_FACTORS)
        results.append(
            Value(
                value.astype(native.array.dtype),
                native.dtype,
                np.where(known, bound, np.inf).astype(np.float64),
            )
        )
    return results


def _evaluated(
    program: Program, rewrite: Callable[[str, Step], str], convert: Callable[[Numbers], Numbers]
) -> list[Numbers]:
    """The results of another program on other inputs, in the long double."""
    values: list[Any] = [convert(given.values) for given in program.inputs]
    with np.errstate(all="ignore"):
        for step in program.steps:
            text = rewrite(step.text, step)
            values.append(
                np.asarray(
                    function_of(text, len(step.operands))(ORACLE, *(values[place] for place in step.operands))
                )
            )
    return [values[place] for place in program.outputs]


def _sizes_of(text: str, step: Step) -> str:
    """Sums in place of differences, and numbers without a sign."""
    for sign, instead in SIGNS:
        text = text.replace(sign, instead)
    return NUMBER.sub(lambda found: found[0].lstrip("-"), text) if step.operation.name in OF_NUMBERS else text


def _constant(number: int) -> Callable[[str, Step], str]:
    """Sums in place of differences and means, and one number in place of all."""

    def rewrite(text: str, step: Step) -> str:
        text = _sizes_of(text, step).replace("xp.mean(", "xp.sum(")
        return NUMBER.sub(str(number), text) if step.operation.name in OF_NUMBERS else text

    return rewrite
