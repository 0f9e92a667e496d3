"""What each operation on a dtype of each kind is written as, as files to read; `pytest tests/codegen --regenerate-golden` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from inspect import unwrap
from pathlib import Path

import pytest

from eqsat.codegen import OPENCL_CPU, C, Dialect, render
from eqsat.codegen.linearization.nest_text import nest_text
from eqsat.codegen.rendering.join import join
from eqsat.dtype import (
    FLOATS,
    INTS,
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int32,
    uint16,
    uint64,
)
from eqsat.errors import CodegenError
from eqsat.ops import DIVISIONS, Op
from eqsat.uop import UOp
from tests.codegen.kernels import elementwise
from tests.codegen.test_golden import FEATURES

GOLDEN = Path(__file__).parents[1] / "golden" / "expressions"
DTYPES = (
    bool_,
    int8,
    uint16,
    int32,
    uint64,
    bfloat16,
    float16,
    float32,
    float64,
)  # of each width and sign; others are written alike
WAYS = (("", OPENCL_CPU, 1), (" x 2", OPENCL_CPU, 2), (" in C", C, 1))  # how a dtype is told, dialect, lanes
NAMES = {"in0": "a", "in1": "b", "out0": "made"}
PLACES = re.compile(r"const long (gid0|offset0) =|for |}")
ELEMENT = re.compile(r"\*\(__global \w+ \*\)\((\w+) \+ offset0\)|\b(\w+)\[(?:gid0|i0)\]")
Term = Callable[[UOp, UOp], UOp]
TEXT_OF = unwrap(render)  # without the referee, who would run thousands of kernels


def operations(dtype: DType) -> Iterator[tuple[str, Term]]:
    """Operations that need no elementary function: of variables, with constants on each side, and inside of each other."""
    ops, alone, constants = [Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.CMPLT, Op.CMPNE], [Op.NEG], [3]
    inside = Op.XOR if dtype.is_bool else Op.ADD
    match dtype.kind:
        case "b":
            ops, alone, constants = [Op.AND, Op.OR, Op.XOR, Op.CMPNE], [], [1]
        case "f":
            ops, alone, constants = [*ops, Op.FDIV], [*alone, Op.RECIP, Op.SQRT], [3, -0.5, float("nan")]
        case kind:
            bits = [Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR]
            ops += [*bits, Op.POW, *sorted(DIVISIONS, key=str)]
            constants = [3, 4, 0] if kind == "u" else [3, 4, -5, dtype.min]
    for op in ops:
        yield f"{op.name}(a, b)", lambda a, b, op=op: a.alu(op, b)
        for value in constants:
            yield f"{op.name}(a, {value})", lambda a, b, op=op, value=value: a.alu(op, a.like(value))
            yield f"{op.name}({value}, a)", lambda a, b, op=op, value=value: a.like(value).alu(op, a)
        if op not in (Op.CMPLT, Op.CMPNE):
            yield f"{op.name}({inside.name}(a, b), b)", lambda a, b, op=op: a.alu(inside, b).alu(op, b)
            yield f"{op.name}(a, {inside.name}(b, a))", lambda a, b, op=op: a.alu(op, b.alu(inside, a))
        else:
            yield f"not {op.name}(a, b)", lambda a, b, op=op: a.alu(op, b).logical_not()
            yield f"WHERE({op.name}(a, b), a, b)", lambda a, b, op=op: a.alu(op, b).where(a, b)
            yield (
                f"{op.name}(a, b) and {op.name}(b, 1)",
                lambda a, b, op=op: a.alu(op, b) & b.alu(op, b.like(1)),
            )
    for op in alone:
        yield f"{op.name}(a)", lambda a, b, op=op: a.alu(op)
        yield f"{op.name}({op.name}(a) - b)", lambda a, b, op=op: a.alu(op).alu(Op.SUB, b).alu(op)
    if not dtype.is_bool:
        yield "MULACC(a, b, a - b)", lambda a, b: a.alu(Op.MULACC, b, a.alu(Op.SUB, b))


def conversions(dtype: DType) -> Iterator[tuple[str, Term]]:
    """A dtype as each other one and back, and its bits as those of each that is as wide."""
    for other in (bool_, *INTS, *FLOATS):
        yield f"{other}(a)", lambda a, b, to=other: a.cast(to)
        yield f"{dtype}({other}(a))", lambda a, b, to=other: a.cast(to).cast(dtype)
        if other.bits == dtype.bits and other.is_bool == dtype.is_bool:
            yield f"bits of a as {other}", lambda a, b, to=other: UOp(Op.BITCAST, to, (a,))
            if not dtype.is_bool:
                yield (
                    f"NEG(bits of a - b as {other})",
                    lambda a, b, to=other: UOp(Op.BITCAST, to, (a.alu(Op.SUB, b),)).alu(Op.NEG),
                )


def written(term: Term, dtype: DType, lanes: int, dialect: Dialect, helpers: dict[str, None]) -> str:
    """The statements that compute a term of two loaded values, and store it; definitions before the kernel are added to the helpers."""
    try:
        source = TEXT_OF(elementwise([term], (dtype, dtype), 16, lanes), dialect).source
    except CodegenError as error:
        return str(error)
    head, _, body = source.partition("\n// kernel_elementwise")
    helpers[head] = None
    lines = [line.strip() for line in body[body.index(") {\n") :].splitlines()[1:-1]]
    text = " ".join(line.removesuffix(" }") for line in lines if not PLACES.match(line))
    return ELEMENT.sub(lambda found: NAMES[found[1] or found[2]], text)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_operation_on_each_kind_of_dtype(dtype: DType, request: pytest.FixtureRequest) -> None:
    helpers: dict[str, None] = {}
    lines = [
        f"{dtype}{way}: {title}: {written(term, dtype, lanes, dialect, called)}"
        for way, dialect, lanes in WAYS
        for terms, called in ((operations(dtype), helpers), (conversions(dtype), {}))
        for title, term in terms
    ]
    compare(GOLDEN / f"{dtype}.txt", [*lines, join(list(helpers))], request)


def test_loop_nest_of_every_kernel(request: pytest.FixtureRequest) -> None:
    nests = [f"{name}\n{nest_text(sink)}\n" for name, sink in FEATURES.items() if name != "drawn_up"]
    compare(GOLDEN / "nests.txt", nests, request)


def compare(file: Path, lines: list[str], request: pytest.FixtureRequest) -> None:
    """Asserts that these are the lines of a file, or writes them."""
    text = "".join(f"{line}\n" for line in lines)
    if request.config.getoption("--regenerate-golden", default=False):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    before = file.read_text()
    differing = [line for line in lines if line not in before]
    assert before == text, "\n".join(["if these are meant, run with --regenerate-golden:", *differing[:9]])
