"""The instructions of small kernels, as a file to read; `pytest tests/codegen --regenerate-golden` writes it anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from eqsat.codegen import linearize
from eqsat.dtype import float32, int32, void
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp
from tests.codegen.test_expressions import compare
from tests.forms.form import after, at, f, i, kernel, load, local, node, register, store

GOLDEN = Path(__file__).parents[1] / "golden" / "programs.txt"
OUT, GIVEN = UOp.param(0, 64, float32), UOp.param(1, 64, float32)
ROW, COLUMN = UOp.range(4, 0, AxisType.LOOP), UOp.range(8, 2, AxisType.LOOP)
STEP, OTHER = UOp.range(8, 1, AxisType.REDUCE), UOp.range(8, 3, AxisType.REDUCE)
CARRY = UOp.range(8, 1, AxisType.SCAN)
SIZE = UOp.variable("n", 1, 9)
ITEMS, ITEM, GROUP = (
    UOp.range(SIZE, 0, AxisType.GLOBAL),
    UOp.range(4, 5, AxisType.LOCAL),
    UOp.range(3, 4, AxisType.GLOBAL),
)
ELEMENT = load(at(GIVEN, ROW * 8 + STEP))
CARRIED = load(at(GIVEN, ROW * 8 + CARRY))
PAIR = (ELEMENT, STEP.cast(int32), STEP)


def reduced(op: Op, value: UOp, *bounds: UOp) -> UOp:
    return node(Op.REDUCE, value.dtype, value, *bounds, arg=op)


def scanned(op: Op, exclusive: bool) -> UOp:
    return node(Op.SCAN, float32, CARRIED, CARRY, arg=(op, exclusive))


def put(value: UOp, *bounds: UOp) -> UOp:
    return store(at(OUT, bounds[0]), value, *bounds) if bounds else store(at(OUT, i(0)), value)


FILLED = store(at(local(4), ITEM), load(at(GIVEN, GROUP * 4 + ITEM)), ITEM)
TOTAL = reduced(Op.ADD, ELEMENT, STEP)
WIDE = load(at(GIVEN, ROW * 4), dtype=float32.vec(4))
KERNELS = {
    "a sum": [put(TOTAL, ROW)],
    "two reductions of one loop": [put(TOTAL * reduced(Op.MAX, ELEMENT, STEP), ROW)],
    "the same sum twice": [put(TOTAL, ROW), store(at(UOp.param(2, 64, float32), ROW), TOTAL * 2.0, ROW)],
    "a scan": [store(at(OUT, ROW * 8 + CARRY), scanned(Op.ADD, False), ROW, CARRY)],
    "a scan without the own element": [store(at(OUT, ROW * 8 + CARRY), scanned(Op.MAX, True), ROW, CARRY)],
    "a store that combines": [node(Op.STORE, void, at(OUT, ROW), f(2.0), ROW, arg=Op.ADD)],
    "a gated one": [node(Op.STORE, void, at(OUT, ROW, ROW < 3), f(2.0), ROW, arg=Op.MAX)],
    "one of lanes": [node(Op.STORE, void, at(OUT, ROW * 4, ROW < 3), WIDE, ROW, arg=Op.MIN)],
    "where an extreme is": [
        store(at(UOp.param(0, 64, int32), ROW), node(Op.ARGREDUCE, int32, *PAIR, arg=(Op.MAX, 1)), ROW)
    ],
    "an extreme and where it is": [
        put(node(Op.ARGREDUCE, float32, *PAIR, arg=(Op.MIN, 0)), ROW),
        store(at(UOp.param(2, 64, int32), ROW), node(Op.ARGREDUCE, int32, *PAIR, arg=(Op.MIN, 1)), ROW),
    ],
    "a sum of what another scales": [put(reduced(Op.ADD, load(at(GIVEN, ROW * 8 + OTHER)) * TOTAL, OTHER), ROW)],
    "a sum of extremes": [put(reduced(Op.ADD, reduced(Op.MAX, load(at(GIVEN, STEP * 8 + OTHER)), OTHER), STEP))],
    "a sum over two loops": [put(reduced(Op.ADD, load(at(GIVEN, STEP * 8 + OTHER)), STEP, OTHER))],
    "a sum of constants": [put(reduced(Op.ADD, f(2.0), STEP), ROW)],
    "a sum that does not vary": [put(reduced(Op.ADD, load(at(GIVEN, STEP)), STEP) + load(at(GIVEN, ROW)), ROW)],
    "a sum of two addends": [put(reduced(Op.ADD, node(Op.VECTORIZE, float32.vec(2), ELEMENT, ELEMENT * ELEMENT), STEP), ROW)],
    "a sum of lanes": [
        store(at(OUT, i(0)), reduced(Op.ADD, load(at(GIVEN, STEP * 4), dtype=float32.vec(4)), STEP)),
    ],
    "what an inner loop needs of an outer one": [
        store(at(OUT, ROW * 8 + COLUMN), load(at(GIVEN, ROW)) * 2.0 + load(at(GIVEN, COLUMN)), ROW, COLUMN)
    ],
    "two stores in two loops": [put(f(1.0), ROW), store(at(UOp.param(2, 64, float32), COLUMN), f(2.0), COLUMN)],
    "a size and items": [put(load(at(GIVEN, ITEMS)) + SIZE.cast(float32), ITEMS)],
    "what a group shares": [
        store(at(OUT, GROUP * 4 + ITEM), load(at(after(local(4), FILLED), ITEM * -1 + 3)), GROUP, ITEM)
    ],
    "a register": [put(load(at(after(register(1), store(at(register(1), i(0)), f(3.0))), i(0))), ROW)],
    "a statement": [put(f(1.0), ROW), node(Op.CUSTOM, void, load(at(GIVEN, i(2))), arg="f({0});")],
    "a loop whose end varies": [
        store(at(OUT, ROW * 8 + each), f(1.0), ROW, each)
        for each in [node(Op.RANGE, (ROW + 1).dtype, ROW + 1, arg=(6, AxisType.LOOP))]
    ],
}  # fmt: skip
KINDS = {
    Op.DEFINE_GLOBAL: "p",
    Op.DEFINE_REG: "r",
    Op.DEFINE_LOCAL: "s",
    Op.RANGE: "i",
    Op.SPECIAL: "g",
    Op.DEFINE_VAR: "n",
}


def told(linear: UOp) -> Iterator[str]:
    """One line for each instruction but constants and addresses, which stand where they are used."""
    names: dict[UOp, str] = {}
    counts: Counter[str] = Counter()
    for each in linear.src:
        parts = [names[source] for source in each.src]
        match each.op:
            case Op.CONST | Op.VCONST:
                names[each] = f"{each.arg}"
            case Op.INDEX:
                names[each] = f"{parts[0]}[{', '.join(parts[1:])}]"
            case Op.AFTER:
                names[each] = parts[0]
            case Op.STORE:
                yield f"{parts[0]} = {parts[1]}"
            case Op.END:
                yield f"end {parts[1]}"
            case Op.BARRIER:
                yield "barrier"
            case _:
                kind = KINDS.get(each.op, "v")
                names[each] = f"{kind}{counts[kind]}"
                counts[kind] += 1
                argument = each.arg[0] if each.op is Op.RANGE else each.arg
                said = "" if argument is None else f" {argument}"
                yield f"{names[each]}: {each.dtype} {each.op.name.lower()}{said}({', '.join(parts)})"
        names.setdefault(each, "done")


def test_instructions_of_small_kernels(request: pytest.FixtureRequest) -> None:
    lines = [
        line
        for name, stores in KERNELS.items()
        for line in (f"# {name}", *told(linearize(kernel(*stores))), "")
    ]
    compare(GOLDEN, lines, request)
