"""Forms of elementary functions: cheaper code with the same result, or nearly the same, for operands with bounds.

A form is the argument of an operation on one scalar or vector, and a C function `op_form` of `codegen.functions`. Without an argument, an
operation is computed by its full form, which is right everywhere. Inside its bounds, a form without stated errors has every bit of the full form;
a form for weights has those of normal results, and zeros for others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from eqsat.dtype import DType, float32, float64
from eqsat.floats.intervals import Bounds
from eqsat.machine import share_of_form
from eqsat.ops import Op


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far off results of functions may be.

    Attributes:
        error: units in the last place by which all of them may be off; None asks for every bit of full forms.
        zero_weights: whether weights below the least normal number may be 0 (`schedule.weights`).
    """

    error: float | None = None
    zero_weights: bool = True


USUAL_ACCURACY = Accuracy()


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a function of one operand or more.

    Attributes:
        name: the argument of the operation.
        ends: the least and the greatest number that operands may be, by the dtype that is computed in; a dtype without such a form is missing.
            Operands may be NaN, too.
        errors: the greatest error of results in units in the last place, by the same dtype; None if results have every bit of the full form.
        any_operand: whether it is enough that one operand is inside the ends.
        for_weights: whether results below the least normal number are 0, so that the form is for weights alone (`schedule.weights`).
    """

    name: str
    ends: Mapping[DType, tuple[float, float]]
    errors: Mapping[DType, float] | None = None
    any_operand: bool = False
    for_weights: bool = False

    def allows(
        self,
        dtype: DType,
        operands: Sequence[Bounds],
        error: float | None = None,
        *,
        is_weight: bool = False,
    ) -> bool:
        """Whether the form is right for operands with these bounds, up to `error` units in the last place; None asks for all bits."""
        if dtype not in self.ends or (self.for_weights and not is_weight):
            return False
        low, high = self.ends[dtype]
        if self.errors is not None and (error is None or self.errors[dtype] > error):
            return False
        inside = [each.inside(low, high) for each in operands]
        return any(inside) if self.any_operand else all(inside)

    def relaxed(self, single: float, double: float) -> Form:
        """The relaxed form inside the same bounds, with these greatest errors in float32 and float64, in units in the last place."""
        name = f"{self.name}_relaxed" if self.name else "relaxed"
        return replace(self, name=name, errors={float32: single, float64: double})


def _form(name: str, single: tuple[float, float], double: tuple[float, float]) -> Form:
    return Form(name, {float32: single, float64: double})


def _within(name: str, limit: float) -> Form:
    return _form(name, (-limit, limit), (-limit, limit))


_LOGARITHMS = (_form("normal", (2.0**-126, inf), (2.0**-1022, inf)),)
_ANGLES = (_within("small", 0.7853), _form("moderate", (-51456.0, 51456.0), (-3293184.0, 3293184.0)))

_EXPONENTIALS = (
    _form("moderate", (-64.0, 88.0), (-600.0, 709.0)),
    _form("below", (-inf, 88.0), (-inf, 709.0)),
)
_WEIGHT = replace(_EXPONENTIALS[1], name="weight", for_weights=True)
_EVERYWHERE = _within("", inf)
_MODERATE_SIGMOID = _form("moderate", (-87.0, 87.0), (-708.0, 708.0))

FORMS: Mapping[Op, tuple[Form, ...]] = {
    Op.EXP: (*_EXPONENTIALS, _WEIGHT, *(form.relaxed(2.4, 1.1) for form in (*_EXPONENTIALS, _WEIGHT, _EVERYWHERE))),
    Op.EXP2: (_form("moderate", (-90.0, 127.0), (-900.0, 1023.0)), _form("below", (-inf, 127.0), (-inf, 1023.0))),
    Op.EXPM1: (_form("moderate", (-25.0, 88.0), (-45.0, 709.0)),),
    Op.LOG: _LOGARITHMS,
    Op.LOG2: (*_LOGARITHMS, *(form.relaxed(2.5, 2.5) for form in (*_LOGARITHMS, _EVERYWHERE))),
    Op.LOG10: (*_LOGARITHMS, *(form.relaxed(3.5, 3.5) for form in (*_LOGARITHMS, _EVERYWHERE))),
    Op.LOGADDEXP: (Form("positive", {float32: (0.0, inf), float64: (0.0, inf)}, any_operand=True).relaxed(2.5, 2.5),),
    Op.SIN: (*_ANGLES, *(form.relaxed(3.0, 2.5) for form in (_ANGLES[1], _EVERYWHERE))),
    Op.COS: (*_ANGLES, *(form.relaxed(3.0, 2.5) for form in (_ANGLES[1], _EVERYWHERE))),
    Op.TAN: (*_ANGLES, *(form.relaxed(4.5, 4.5) for form in (_ANGLES[1], _EVERYWHERE))),
    Op.ASIN: (_within("small", 0.4999),), Op.ACOS: (_within("small", 0.4999),), Op.ATAN: (_within("small", 1.0),),
    Op.SINH: (_form("moderate", (-88.0, 88.0), (-709.0, 709.0)),), Op.COSH: (_form("moderate", (-88.0, 88.0), (-709.0, 709.0)),),
    Op.TANH: (_within("small", 0.5499),),
    Op.SIGMOID: (_MODERATE_SIGMOID,), Op.SILU: (_MODERATE_SIGMOID,),
    Op.ERF: (Form("small", {float32: (-0.9999, 0.9999)}),),
}  # fmt: skip


def chosen_form(
    op: Op, dtype: DType, operands: Sequence[Bounds], error: float | None = None, *, is_weight: bool = False
) -> str | None:
    """The name of the cheapest form of a function for operands with these bounds; None for the full form.

    Args:
        op: the operation of the function.
        dtype: the dtype of its operands; narrow ones are computed in float32.
        operands: the bounds of its operands.
        error: the greatest error that results may have, in units in the last place; None for every bit of the full form.
        is_weight: whether results below the least normal number may be 0.

    >>> chosen_form(Op.EXP, float32, [Bounds(-inf, 0.0, nan=True)]), chosen_form(Op.EXP, float32, [Bounds(0.0, inf, nan=False)])
    ('below', None)
    >>> chosen_form(Op.EXP, float32, [Bounds(-inf, 0.0, nan=True)], error=4)
    'below_relaxed'
    """
    computed = float64 if dtype.scalar == float64 else float32
    fitting = [
        form for form in FORMS.get(op, ()) if form.allows(computed, operands, error, is_weight=is_weight)
    ]
    return min((form.name for form in fitting), key=lambda name: share_of_form(op, name), default=None)
