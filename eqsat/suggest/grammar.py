"""The terms among which suggestions are searched: a `Grammar` for each domain, and assumptions about its variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eqsat.dtype import DType, bool_, float32, index, int8, uint8
from eqsat.ops import COMPARISON, Op
from eqsat.rules.language.facts import lo
from eqsat.rules.language.pattern import Value
from eqsat.rules.language.rule import ANY, BOOL, FLOATS, INDEX, INTEGERS, INTS, SIGNED, UNSIGNED, Domain
from eqsat.rules.language.scalar import Const, Scalar

Number = bool | int | float


@dataclass(frozen=True, slots=True)
class Signature:
    """An operation in a grammar, with the dtypes of its operands and of its result."""

    op: Op
    operands: tuple[DType, ...]
    result: DType


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """Assumptions about the variables of a grammar.

    Attributes:
        conditions: the guard, in parts; a rule gets the parts whose variables it has.
        instances: examples that satisfy the conditions, with numbers for constants and bounds for values; they show whether a rule is derived.
        told_apart: the variables that the conditions distinguish from others of their kind.
    """

    conditions: tuple[Scalar, ...]
    instances: tuple[Mapping[str, int | tuple[int, int]], ...]
    told_apart: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """The terms that are built, and the dtypes for which a rule among them may hold.

    Attributes:
        name: its name for `eqsat rules --suggest --domain`.
        values: names of variables, with their dtypes.
        constants: names of variables that stand for constants of `dtype`.
        dtype: the dtype of numbers, on which terms are compared.
        literals: numbers that occur in terms.
        signatures: the operations.
        results: the dtypes that the two sides of a suggestion may have.
        domains: the domains for which a suggestion may hold, the widest first.
        settings: the assumptions that may be made, the weakest first.
    """

    name: str
    values: Mapping[str, DType]
    constants: tuple[str, ...]
    dtype: DType
    literals: tuple[Number, ...]
    signatures: tuple[Signature, ...]
    results: tuple[DType, ...]
    domains: tuple[Domain, ...]
    settings: tuple[Setting, ...]

    def interchangeable(self, setting: Setting) -> list[list[str]]:
        """The variables of each kind, except kinds of which the setting distinguishes a variable."""
        kinds = [
            [name for name, own in self.values.items() if own == dtype]
            for dtype in dict.fromkeys(self.values.values())
        ]
        return [kind for kind in (*kinds, list(self.constants)) if not setting.told_apart & set(kind)]


def over(dtype: DType, *operations: Op) -> tuple[Signature, ...]:
    """Operations on one dtype: comparisons give bools, a WHERE chooses by a bool, everything else stays in the dtype."""
    return tuple(
        Signature(
            op,
            (bool_, dtype, dtype) if op is Op.WHERE else (dtype,) * (1 if op in _UNARY else 2),
            bool_ if op in COMPARISON else dtype,
        )
        for op in operations
    )


_UNARY = frozenset({Op.NEG, Op.SQRT, Op.RECIP})
_FLOOR = (Op.ADD, Op.MUL, Op.FLOORDIV, Op.FLOORMOD, Op.MAX, Op.MIN)
_BITWISE = (Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR)
_LOGIC = (Op.AND, Op.OR, Op.CMPNE)

_C, _D, _X = Const("c"), Const("d"), Value("x")

NOTHING = Setting((), ({"c": 7, "d": 3, "e": 20}, {"c": -5, "d": 11, "e": 2}))
NOT_ZERO = Setting((_C != 0, _D != 0), NOTHING.instances)
POSITIVE = Setting((_C > 0, _D > 0), ({"c": 7, "d": 3}, {"c": 5, "d": 11}))
DIVISIBLE = Setting(
    (_C > 0, _D > 0, _C % _D == 0), ({"c": 12, "d": 3}, {"c": 15, "d": 5}), frozenset({"c", "d"})
)
ORDERED = Setting((_C <= _D,), ({"c": 3, "d": 7}, {"c": -5, "d": 11}), frozenset({"c", "d"}))
NON_NEGATIVE = Setting(
    (lo(_X) >= 0, _C > 0, _D > 0),
    ({"c": 7, "d": 3, "x": (0, 100)}, {"c": 5, "d": 11, "x": (0, 50)}),
    frozenset({"x"}),
)
UNASSUMING = Setting((), ({},))

_XY = {"x": index, "y": index}

_ALL = (
    Grammar(
        "index", _XY, ("c", "d"), index, (0, 1, -1), over(index, *_FLOOR), (index,), (INTEGERS, INDEX),
        (NOTHING, NOT_ZERO, POSITIVE, DIVISIBLE, ORDERED, NON_NEGATIVE),
    ),
    Grammar(
        "comparisons", _XY, ("c", "d"), index, (0, 1, -1),
        over(index, *_FLOOR, Op.CMPLT, Op.CMPNE) + over(bool_, *_LOGIC),
        (bool_,), (INTEGERS, INDEX), (NOTHING, POSITIVE, ORDERED),
    ),
    Grammar(
        "choices", _XY | {"p": bool_, "q": bool_}, ("c", "d", "e"), index, (0, 1),
        over(index, Op.WHERE, Op.CMPLT, Op.CMPNE, Op.ADD, Op.MUL, Op.MAX, Op.MIN) + over(bool_, *_LOGIC),
        (index, bool_), (ANY, INTEGERS, INDEX), (NOTHING,),
    ),
    Grammar(
        "bool", {"p": bool_, "q": bool_, "r": bool_}, (), bool_, (),
        over(bool_, *_LOGIC, Op.XOR, Op.WHERE), (bool_,), (BOOL,), (UNASSUMING,),
    ),
    Grammar(
        "signed", {"x": int8, "y": int8}, ("c", "d"), int8, (0, 1, -1), over(int8, *_FLOOR, Op.IDIV, Op.MOD), (int8,),
        (INTEGERS, INTS, SIGNED), (NOTHING, NOT_ZERO, POSITIVE),
    ),
    Grammar(
        "unsigned", {"x": uint8, "y": uint8}, ("c", "d"), uint8, (0, 1), over(uint8, *_FLOOR, *_BITWISE), (uint8,),
        (INTEGERS, INTS, UNSIGNED), (NOTHING, POSITIVE),
    ),
    Grammar(
        "bits", {"x": int8, "y": int8}, ("c", "d"), int8, (0, 1, -1), over(int8, Op.ADD, Op.MUL, *_BITWISE), (int8,),
        (INTS, SIGNED), (NOTHING,),
    ),
    Grammar(
        "float", {"x": float32, "y": float32}, (), float32, (0.0, 1.0, -1.0, 2.0),
        over(float32, Op.ADD, Op.SUB, Op.MUL, Op.FDIV, Op.NEG, Op.MAX, Op.MIN, Op.SQRT, Op.RECIP),
        (float32,), (FLOATS,), (UNASSUMING,),
    ),
)  # fmt: skip

GRAMMARS: Mapping[str, Grammar] = {grammar.name: grammar for grammar in _ALL}
"""The grammars by name."""
