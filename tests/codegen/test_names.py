"""Whatever a graph calls its kernel, its variables and its coordinates, the source holds identifiers that say nothing else."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eqsat.codegen import RenderedKernel, render
from eqsat.codegen.rendering.custom import fill
from eqsat.codegen.rendering.names import LONGEST, kernel_name
from eqsat.dtype import AddrSpace, PtrDType, float32, index, void
from eqsat.errors import CodegenError, SpecError
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.runtime import get_device
from eqsat.runtime.cache import DiskCache
from eqsat.runtime.opencl.program import Program
from eqsat.uop import UOp

HOSTILE = [
    " ", "_", "__", "0", "9lives", "softmax", "if", "kernel", "__kernel", "int", "float4", "void", "get_global_id", "convert_int4",
    "atomic_add", "as_float", "native_sin", "vload_half", "CL_VERSION_1_2", "CLK_LOCAL_MEM_FENCE", "INFINITY", "M_PI", "exec", "kernel_exec",
    "size_t", "mul_hi", "event_t", "lgamma_r", "vload_half4_rte", "vloada_half4_rtz", "vstorea_half4_rtn",
    "exp2_float", "divide_int", "kernel_divide_int", "in0", "out0", "acc0", "i0", "k0", "gid0", "offset0", "value0", "n_", "n", "max", "select",
    "f(){}", "f() {} __kernel void g", "*/ evil /*", "// \n evil();", "a\nevil();\n", "a\revil", "a\\\nb", '"', "'", "#define x",
    "\n#include </etc/passwd>",
    "\0", "a\0b", "naïve", "変数", "\u202e", "\U0001d504", "\ud800", "a" * 10**6, "😀" * 10**6, "x; while(1);", "%s%n", "{0.__class__}", "$T", "??/",
]  # fmt: skip
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,120}")


def kernel(name: str, *variables: str) -> UOp:
    """A kernel of this name that adds the variables to the numbers of elements."""
    bound = UOp.range(4, 0, AxisType.GLOBAL)
    value = bound
    for each in variables:
        value = value + UOp.variable(each, 0, 3)
    address = UOp(Op.INDEX, float32, (UOp.param(0, 4, float32), bound))
    store = UOp(Op.STORE, void, (address, value.cast(float32), bound))
    return UOp.sink(store, arg=KernelInfo(name))


def skeleton(source: str, own: str) -> str:
    """The source without the names in question: `own` as N, names of variables as V."""
    return re.sub(r"\b[A-Za-z][A-Za-z0-9_]*_(\d+_)?(?=[ ,;)])", "V", re.sub(rf"\b{own}\b", "N", source))


@cache
def plain() -> RenderedKernel:
    return render(kernel("plain_name", "n"))


@given(
    st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1), st.from_regex(r"[a-z_]{1,12}")),
    st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1)),
)
@example("a_b", "n")
@example(" ", "kernel")
@example("f!", "kernel_f")
def test_name_reaches_the_source_as_an_identifier_only(name: str, variable: str) -> None:
    rendered = render(kernel(name, variable))
    assert IDENTIFIER.fullmatch(rendered.name)
    assert f"__kernel void {rendered.name}(" in rendered.source
    assert skeleton(rendered.source, rendered.name) == skeleton(plain().source, plain().name)
    assert [each.name for each in rendered.variables] == [variable], "callers know it by its own name"


def test_no_name_is_refused() -> None:
    with pytest.raises(SpecError, match="its KernelInfo has a name, not ''"):
        render(kernel("", "n"))


@given(st.one_of(st.sampled_from(HOSTILE), st.text(), st.from_regex(r"[a-z]{1,8}_[a-z0-9]{1,8}")))
def test_kernel_name_is_found_again(name: str) -> None:
    chosen = kernel_name(name)
    assert IDENTIFIER.fullmatch(chosen)
    assert "_" in chosen
    assert kernel_name(chosen) == chosen
    assert len(chosen) <= LONGEST


def test_pieces_of_names_come_together_to_no_other_name() -> None:
    """Any two or three words make an identifier of its own, which is made of itself."""
    words = ["", "kernel", "exec", "float", "ulong4", "t", "hi", "mul", "n", "x", "1", "é"]
    for pieces in product(words, repeat=3):
        for name in {"_".join(pieces), "".join(pieces)}:
            chosen = kernel_name(name)
            assert IDENTIFIER.fullmatch(chosen), name
            assert kernel_name(chosen) == chosen, name
            assert chosen != "kernel_exec", "a macro of PoCL"


def test_long_names_that_begin_alike_stay_apart() -> None:
    assert kernel_name("a" * 1000) != kernel_name("a" * 1001)


def test_variables_stay_apart() -> None:
    names = ["n", "n_", "n 1", "n.1", "1", "_n", "変", "数"]
    rendered = render(kernel("plain_name", *names))
    declared = re.findall(r"const long (\w+)[,)]", rendered.source)
    assert len(set(declared)) == len(names) == len(declared)


@pytest.mark.parametrize("place", range(0, len(HOSTILE), 8))
def test_every_name_compiles(place: int) -> None:
    """As the name of a kernel and of a variable, with the compiler that is installed."""
    for name in HOSTILE[place : place + 8]:
        rendered = render(kernel(name, name))
        program = Program(get_device(None), [rendered], DiskCache("off"))
        assert program.kernel(rendered.name) is not None


@pytest.mark.parametrize(
    "name", ["gid3", "gid", "", "gid0; evil()", "gidx²", "gid٣", "lid-1", "x" * 10**6, "gid0\n"]
)
def test_coordinate_of_another_name_is_refused(name: str) -> None:
    item = UOp(Op.SPECIAL, index, (UOp.const(index, 4),), name)
    out = UOp(Op.DEFINE_GLOBAL, PtrDType(float32, AddrSpace.GLOBAL, 4), (), 0)
    store = UOp(
        Op.STORE, void, (UOp(Op.INDEX, float32, (UOp.param(0, 4, float32), item)), UOp.const(float32, 1.0))
    )
    assert out is not None
    with pytest.raises(SpecError, match="its argument is a name such as gid0") as caught:
        render(UOp.sink(store, arg=KernelInfo("a_b")))
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    "template",
    ["{0.__class__}", "{0.__class__.__mro__}", "{0[0]}", "{0!r}", "{0:>1000000000}", "{0:{1}}", "{x}", "{-1}", "{9}", "{99999999999}", "{", "}",
     "{0", "{٣}", "{ 0}", "{0 }", "{}{}{}", "{__import__}"],
)  # fmt: skip
def test_text_of_a_graph_reaches_nothing_but_its_operands(template: str) -> None:
    with pytest.raises(CodegenError, match="cannot be filled with 2 sources"):
        fill(template, ["a", "b"])


@pytest.mark.parametrize(
    ("template", "filled"),
    [("f({0}, {1})", "f(a, b)"), ("{1}{1}", "bb"), ("{} + {}", "a + b"), ("{{ {0}; }}", "{ a; }"), ("", ""), ("plain", "plain")],
)  # fmt: skip
def test_text_of_a_graph_is_filled(template: str, filled: str) -> None:
    assert fill(template, ["a", "b"]) == filled


def test_operand_that_looks_like_a_field_is_not_filled_again() -> None:
    operands: Any = ["{1}", "b"]
    assert fill("{0}", operands) == "{1}"
