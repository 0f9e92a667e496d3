"""Case distinctions for rules that call a Python function, which Z3 cannot express.

If a guard or right side calls such a function on a constant of the rule, the rule is proved for one constant after the other. The cases prove the
rule if they cover all constants: all values of a narrow dtype, or all values for which the function has a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from eqsat.dtype import DType
from eqsat.proof.obligation import Obligation, known_types
from eqsat.rules.conversions.lossless import whole
from eqsat.rules.integers.division import exponent_of_two
from eqsat.rules.language.instantiate import evaluate
from eqsat.rules.language.pattern import Constant
from eqsat.rules.language.scalar import Call, Const, Operation, Pure, Scalar
from eqsat.rules.language.walking import nodes_of, variables_of_scalar

EXHAUSTIBLE_BITS = 16  # the most bits of a dtype whose values are all tried


def _powers_of_two(dtype: DType) -> Iterable[int]:
    return [1 << exponent for exponent in range(dtype.bits) if 1 << exponent <= dtype.max]


# For each function, the only arguments of fixed width for which it has a value.
SUPPORT: Mapping[Pure, Callable[[DType], Iterable[int]]] = {exponent_of_two: _powers_of_two}


# Functions that return an integer unchanged.
KEEP_INTEGERS: frozenset[Pure] = frozenset({whole})


@dataclass(frozen=True, slots=True)
class Cases:
    """The constants to prove a rule for, one choice at a time. `complete` says whether no other constants exist."""

    choices: list[dict[str, int]]
    complete: bool


def cases_of(obligation: Obligation) -> Cases | None:
    """The case distinction that an obligation needs. It has one case if none is needed; the result is None if none helps."""
    calls = _opaque_calls(obligation)
    names = {
        variable.name
        for call in calls
        for variable in variables_of_scalar(call)
        if variable.name not in obligation.values or not isinstance(variable, Const)
    }
    if not names:
        return Cases([{}], complete=True)
    if len(names) > 1 or not names <= set(obligation.constants):
        return None
    (name,) = names
    dtype = obligation.constants[name]
    candidates, complete = _candidates(calls, name, dtype)
    return Cases(
        [{name: value} for value in candidates if _applies(obligation, calls, {name: value})], complete
    )


def _opaque_calls(obligation: Obligation) -> list[Call]:
    """The calls in the guard and in computed constants whose results depend on more than dtypes."""
    rule = obligation.rule
    sources = [source for node in nodes_of(rule.left, rule.right) for source in node.src]
    computed = [source.value for source in (*sources, rule.right) if isinstance(source, Constant)]
    stack: list[Scalar] = [*computed, *([rule.where] if rule.where is not None else [])]
    known, found = known_types(obligation), list[Call]()
    while stack:
        match stack.pop():
            case Operation(_, operands):
                stack.extend(operands)
            case Call(function, operands) if function in KEEP_INTEGERS:
                stack.extend(operands)
            case Call() as call if evaluate(call, known) is None:
                found.append(call)
            case _:
                continue
    return found


def _candidates(calls: list[Call], name: str, dtype: DType) -> tuple[list[int], bool]:
    direct = [call for call in calls if [getattr(each, "name", None) for each in call.operands] == [name]]
    supported = [SUPPORT[call.function] for call in direct if call.function in SUPPORT]
    if supported:
        return list(supported[0](dtype)), not dtype.is_index
    if dtype.is_bool or dtype.bits <= EXHAUSTIBLE_BITS:
        return list(range(dtype.min, dtype.max + 1)), True
    powers = [1 << exponent for exponent in range(4, dtype.bits - 1)]
    return [*range(-16 if dtype.min else 0, 17), *powers[1:], dtype.min, dtype.max], False


def _applies(obligation: Obligation, calls: list[Call], constants: dict[str, int]) -> bool:
    """Whether the rule may apply to these constants. A part of the guard that is not known yet counts as true."""
    known = {**known_types(obligation), **constants}
    guard = obligation.rule.where
    if any(evaluate(call, known) is None for call in calls):
        return False
    return guard is None or evaluate(guard, known) is not False
