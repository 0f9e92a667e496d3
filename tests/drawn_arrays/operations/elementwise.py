"""Functions of corresponding elements that have one right result: arithmetic, comparison, logic, bits, choice."""

from __future__ import annotations

from tests.drawn_arrays.operations.forms import SCALARS, binary, call, integers_together, unary
from tests.drawn_arrays.operations.step import Choice, Drawn, Operation
from tests.drawn_arrays.operations.undefined import nan_sign, zero_divisor, zeros_tie
from tests.drawn_arrays.oracle import Accuracy

OF_TWO = (
    *("add", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("logical_and", "logical_or", "logical_xor"),
    *("+", "==", "!=", "<", "<=", ">", ">="),
)
OF_NUMBERS = ("negative", "positive", "sign", "floor", "ceil", "trunc", "round")


def where(choice: Choice) -> Drawn | None:
    condition = choice.one("b") if choice.chance.random() < 0.6 else choice.one()
    if condition is None:
        return None
    first = choice.partner(condition)
    second = None if first is None else choice.partner(condition, first)
    if first is None or second is None:
        return None
    if choice.chance.random() < 0.2:
        number = choice.chance.choice(SCALARS[choice.array(first).dtype.kind])
        dtype = "bfloat16" if choice.values[first].dtype == "bfloat16" else None
        return Drawn(f"xp.where({{}}, {{}}, {number})", (condition, first), dtype=dtype)
    floats = {choice.values[place].dtype for place in (first, second) if choice.values[place].is_float}
    dtype = "bfloat16" if floats == {"bfloat16"} else None  # whatever the condition is
    return Drawn("xp.where({}, {}, {})", (condition, first, second), dtype=dtype)


def clip(choice: Choice) -> Drawn | None:
    place = choice.one("iuf")
    if place is None:
        return None
    dtype = choice.array(place).dtype
    bounds = ("-1", "2") if dtype.kind != "u" else ("1", "5")
    beyond = (-(2**70), 2**70) if dtype.kind in "iu" else ("None", "None")  # bound nothing
    low, high = (
        choice.chance.choice((bound, bound, "None", "None", far))
        for bound, far in zip(bounds, beyond, strict=True)
    )
    return None if low == high else Drawn(f"xp.clip({{}}, {low}, {high})", (place,))


def power_of_integers(choice: Choice) -> Drawn | None:
    place = choice.one("iu")
    return None if place is None else Drawn(f"{{}} ** {choice.chance.choice((0, 1, 2, 3, 5, 8))}", (place,))


def shift(choice: Choice) -> Drawn | None:
    place = choice.one("iu")
    name = choice.chance.choice(("bitwise_left_shift", "bitwise_right_shift"))
    amount = choice.chance.choice((0, 1, 2, 7, 8, 31, 63, 64, 70))
    return None if place is None else Drawn(f"xp.{name}({{}}, {amount})", (place,))


ELEMENTWISE = (
    *(Operation(name, binary(name)) for name in OF_TWO),
    *(Operation(name, binary(name), product=abs) for name in ("multiply", "*")),
    Operation("square", unary("square", "iuf"), product=abs),
    Operation("subtract", binary("subtract", both_bools=False)),
    Operation("-", binary("-", both_bools=False)),
    Operation("maximum", binary("maximum"), undefined=zeros_tie),
    Operation("minimum", binary("minimum"), undefined=zeros_tie),
    Operation("divide", binary("divide")),
    Operation("/", binary("/")),
    Operation("floor_divide", binary("floor_divide", both_bools=False), undefined=zero_divisor),
    Operation("remainder", binary("remainder", both_bools=False), undefined=zero_divisor),
    Operation("fmod", binary("fmod"), undefined=zero_divisor),
    Operation("copysign", binary("copysign"), undefined=nan_sign),
    Operation("bitwise_and", integers_together("bitwise_and")),
    Operation("bitwise_or", integers_together("bitwise_or")),
    Operation("bitwise_xor", integers_together("bitwise_xor")),
    Operation("bitwise_left_shift", integers_together("bitwise_left_shift", both_bools=False)),
    Operation("bitwise_right_shift", integers_together("bitwise_right_shift", both_bools=False)),
    Operation("<<", shift),
    *(Operation(name, unary(name, "iuf")) for name in OF_NUMBERS),
    *(Operation(name, unary(name)) for name in ("abs", "logical_not", "isnan", "isinf", "isfinite")),
    Operation("reciprocal", unary("reciprocal", "f")),
    Operation("bitwise_invert", unary("bitwise_invert", "biu")),
    Operation("signbit", unary("signbit", "f"), undefined=nan_sign),
    Operation("nan_to_num", call("xp.nan_to_num({}, nan={few}, posinf=96.0, neginf=-3.0)")),
    Operation("where", where, promoted=1),
    Operation("clip", clip, undefined=zeros_tie),
    Operation("**", power_of_integers),
    Operation("pow", binary("pow", "u", scalars=False)),
    Operation("sqrt", unary("sqrt"), Accuracy(ulps=1.0)),
    Operation("relu", unary("relu", "iuf"), undefined=zeros_tie),
)
