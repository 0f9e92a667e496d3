"""Checking a rule on samples: both sides are evaluated by the reference and compared as its soundness class says.

`EXACT`: bit by bit, NaN payloads aside, and the sign of a zero where the rule takes MAX or MIN of zeros. `FINITE`: where inputs
and results are finite, the sign of zero aside. `REAL`: within rounding, on positive numbers of moderate size. A rule is also
refuted if its right side has no value where its left side has one (a division by zero, say), or another dtype or shape.
"""

import random
from dataclasses import dataclass
from math import prod, sqrt

import numpy as np

from eqsat.dtype import DType
from eqsat.errors import BuildError, RuleError
from eqsat.ops import Op
from eqsat.reference import evaluate
from eqsat.rules.instantiate import build, holds
from eqsat.rules.lossless import SIGNIFICAND
from eqsat.rules.pattern import Call, Constant, Fact, Node, Number, Operation, Value
from eqsat.rules.rule import FLOATS, Rule, Soundness, nodes_of
from eqsat.uop import toposort
from tests.rules.draw import Draw, is_pointwise

GRID = 1024  # points at which special values meet
ATTEMPTS = 1500  # to satisfy the guard, per rule and dtype
DIVISIONS = frozenset({Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD})
SHIFTS = frozenset({Op.SHL, Op.SHR})


@dataclass
class Verdict:
    """How often a rule was checked, and where it failed, if it did."""

    rule: Rule
    dtype: DType
    draws: int = 0
    elements: int = 0
    counterexample: str = ""


def sample(rule: Rule, dtype: DType, draws: int = 24, seed: int = 0) -> Verdict:
    """Check `rule` on up to `draws` random matches in which the value its domain limits has `dtype`."""
    verdict = Verdict(rule, dtype)
    chance = random.Random(f"{rule.name} {dtype} {seed}")
    pointwise = is_pointwise(rule)
    for attempt in range(ATTEMPTS):
        draw = Draw(
            rule, dtype, chance,
            large=attempt > ATTEMPTS * 0.6 and chance.random() < 0.5,
            tame=rule.soundness is Soundness.REAL,
            points=GRID if pointwise and attempt % 4 < 3 else None,
        )  # fmt: skip
        sides = _sides(rule, draw)
        if sides is None:
            continue
        _compare(rule, draw, *sides, verdict)
        enough = 2 if draw.large else draws
        if verdict.counterexample or (verdict.draws >= enough and verdict.elements >= enough):
            break
    return verdict


def _sides(rule, draw):
    """Both sides for one draw; None where it is no match: a left side that cannot be built, a guard that fails."""
    try:
        left = draw.left()
        if not holds(rule, draw.bindings, draw.bounds):
            return None
        return left, build(with_facts(rule.right, draw), draw.bindings, left.dtype, left.shape)
    except (BuildError, RuleError, AssertionError):
        return None


def with_facts(part, draw):
    """A right side in which bounds are the numbers that this draw has for them."""
    match part:
        case Fact("lo" | "hi", Value(name)):
            return Number(draw.bounds[name][part.kind == "hi"]) if name in draw.bounds else part
        case Constant(value):
            return Constant(with_facts(value, draw))
        case Node(op, src, fields, dtype):
            src, fields = (tuple(with_facts(inner, draw) for inner in row) for row in (src, fields))
            return Node(op, src, fields, dtype)
        case Operation(symbol, operands):
            return Operation(symbol, tuple(with_facts(operand, draw) for operand in operands))
        case Call(function, operands):
            return Call(function, tuple(with_facts(operand, draw) for operand in operands))
        case _:
            return part


def _compare(rule, draw, left, right, verdict):
    if (left.dtype, left.shape) != (right.dtype, right.shape):
        verdict.counterexample = (
            f"{left.dtype}{left.shape} became {right.dtype}{right.shape} for {_show(draw)}"
        )
        return
    data = draw.data()
    order = toposort([left, right])
    values = dict(zip(order, evaluate(order, data), strict=True))
    defined = _defined(left, values)
    verdict.draws += 1
    if not is_pointwise(rule) and not np.all(defined):
        return
    broken = defined & ~_defined(right, values)
    differs = broken | (defined & ~_agree(rule, left, right, values, data))
    verdict.elements += int(np.count_nonzero(defined)) if left.shape else 1
    if np.any(differs):
        verdict.counterexample = _describe(
            draw, left, values[left], values[right], data, np.argwhere(differs)[0]
        )


def _agree(rule, left, right, values, data):
    one, other = np.asarray(values[left]), np.asarray(values[right])
    if not left.dtype.is_float:
        return np.asarray(one == other)
    nans = np.isnan(one) & np.isnan(other)
    if rule.soundness is Soundness.EXACT:
        takes_extremes = {Op.MAX, Op.MIN} & {node.op for node in nodes_of(rule.left, rule.right)} or _reduces(
            rule
        )
        same = (one == other) & ((np.signbit(one) == np.signbit(other)) | bool(takes_extremes))
        return same | nans
    finite = np.isfinite(one) & np.isfinite(other)
    if rule.soundness is Soundness.FINITE:
        inputs = [
            np.isfinite(array)
            for slot, array in data.items()
            if slot.dtype.is_float and array.shape == one.shape
        ]
        return (one == other) | ~np.logical_and.reduce([finite, *inputs])
    scale = max((_magnitude(value) for node, value in values.items() if node.dtype in FLOATS), default=1.0)
    steps = max(
        np.size(value) for value in values.values()
    )  # the longest sum there can be; its error grows like a random walk
    tolerance = 64 * scale * 2.0 ** -SIGNIFICAND[left.dtype.name] * sqrt(max(1, steps))
    with np.errstate(all="ignore"):
        return (np.abs(one.astype(np.float64) - other) <= tolerance) | ~finite


def _reduces(rule):
    return any(node.op is Op.REDUCE_AXIS for node in nodes_of(rule.left))


def _magnitude(value):
    finite = np.abs(np.asarray(value, np.float64))
    finite = finite[np.isfinite(finite)]
    return float(finite.max()) if finite.size else 0.0


def _defined(root, values):
    """Where `root` has a value: per element of a pointwise graph, one bool for another."""
    masks = {}
    for node in toposort([root]):
        sources = [masks[source] for source in node.src]
        own = ~_undefined(node, values)
        if node.op is Op.WHERE:
            condition = np.asarray(values[node.src[0]], bool)
            branches = np.where(condition, sources[1], sources[2])
            masks[node] = sources[0] & branches
        elif any(mask.shape != own.shape and mask.ndim for mask in sources):
            masks[node] = np.asarray(own.all() and all(mask.all() for mask in sources))
        else:
            masks[node] = own
            for mask in sources:
                masks[node] = masks[node] & mask
    return np.broadcast_to(masks[root], np.shape(values[root]))


def _undefined(node, values):
    """Where the operation of `node` itself has no value, its operands having one."""
    false = np.zeros(np.shape(values[node]), bool)
    if node.op in DIVISIONS:
        return np.asarray(values[node.src[1]] == 0)
    if node.op in SHIFTS:
        amount, bits = values[node.src[1]], node.dtype.bits
        return np.asarray((amount < 0) | (amount >= bits))
    if node.op is Op.POW and not node.dtype.is_float:
        return np.asarray(values[node.src[1]] < 0) if not node.dtype.is_bool else false
    if node.op is Op.CAST and node.src[0].dtype.is_float and not (node.dtype.is_float or node.dtype.is_bool):
        whole = np.trunc(np.asarray(values[node.src[0]], np.float64))
        return ~((whole >= float(node.dtype.min)) & (whole < float(node.dtype.max) + 1.0))
    return false


def _describe(draw, left, one, other, data, place):
    at = tuple(int(coordinate) for coordinate in place)
    lines = [
        f"{draw.rule.name} on {draw.dtype}: {np.asarray(one)[at]!r} became {np.asarray(other)[at]!r}",
        _show(draw),
    ]
    for name, slot in draw.slots.items():
        array = data[slot]
        shown = array.reshape(left.shape)[at] if array.size == prod(left.shape) else array[:8]
        lines.append(f"  {name} = {shown!r} of shape {draw.bindings[name].shape}, dtype {slot.dtype}")
    return "\n".join(lines)


def _show(draw):
    plain = {name: value for name, value in draw.bindings.items() if name not in draw.slots}
    return f"  {plain}, bounds {draw.bounds}"
