"""PoCL reads the declarations that a source needs instead of all, and makes the same of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

from eqsat.runtime import get_device
from eqsat.runtime.opencl import declarations
from eqsat.runtime.opencl import program as programs
from eqsat.runtime.opencl.declarations import with_declarations
from eqsat.runtime.opencl.program import compile_source, options_for

MANY = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
float8 helper(float8 x) { return fma(x, sqrt(fabs(x)), convert_float8(as_uint8(x) & 3u)); }
__kernel void many(__global float *o, __global const float *a, __global const half *h) {
    __local float shared[8];
    size_t i = get_global_id(0), j = get_local_id(0);
    double d = convert_double(a[i]) + pow((double)a[i], 2.5);
    shared[j] = vload_half(i, h);
    barrier(CLK_LOCAL_MEM_FENCE);
    float8 v = helper(vload8(0, a));
    vstore8(select(v, max(v, shared[7 - j]), isless(v, 1.0f)), 0, o);
    o[8 + i] = (float)rint(d) + (d != d ? 0 : INFINITY);
}
"""


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is given to the driver."""
    given: list[str] = []
    build = programs._build

    def spy(program: cl.Program, options: list[str]) -> cl.Program:
        given.append(program._source)
        return build(program, options)

    monkeypatch.setattr(programs, "_build", spy)
    return given


def results(program: cl.Program) -> bytes:
    """What `MANY` leaves."""
    queue, inout = get_device("pocl").queue, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    random = np.random.default_rng(0)
    arrays = [
        np.zeros(16, np.float32),
        random.normal(1, 1, 8).astype(np.float32),
        random.normal(size=8).astype(np.float16),
    ]
    buffers = [cl.Buffer(queue.context, inout, hostbuf=array) for array in arrays]
    cl.Kernel(program, "many")(queue, (8,), (8,), *buffers)
    cl.enqueue_copy(queue, arrays[0], buffers[0])
    assert np.isinf(arrays[0][8:]).all()
    return arrays[0].tobytes()


def test_source_with_its_declarations_alone_computes_the_same(sources: list[str]) -> None:
    device = get_device("pocl")
    short = compile_source(device.context, MANY, options_for(device))
    assert len(sources) == 1  # it was not refused
    assert sources[0].endswith(MANY)
    whole = programs._build(cl.Program(device.context, MANY), options_for(device))
    assert results(short) == results(whole)


def test_only_what_is_named_is_declared() -> None:
    get_device("pocl").context  # noqa: B018 - loads PoCL
    text = with_declarations("float f(float x) { return sin(x); }")
    assert text is not None
    assert "float16 __ovld __cnfn sin(float16);" in text
    assert "cos(" not in text


def test_wrong_source_is_refused_as_it_is(sources: list[str]) -> None:
    wrong = "__kernel void f(__global float *o) { o[0] = sin(o, 1); }"
    with pytest.raises(cl.RuntimeError, match=":1:45 .*sin"):
        compile_source(get_device("pocl").context, wrong, ())
    assert sources[1:] == [wrong]


@pytest.mark.parametrize(
    "maps", ["", "00-01 r-xp 0 0 0 /lib/libpocl.so.2\n02-03 r-xp 0 0 0 /opt/libpocl.so\n"]
)
def test_header_of_an_unknown_driver_is_read_whole(
    maps: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sources: list[str]
) -> None:
    mapped = tmp_path / "maps"
    mapped.write_text(maps)
    monkeypatch.setattr(declarations, "MAPPED", mapped)
    compile_source(get_device("pocl").context, MANY, ())
    assert sources == [MANY]


def test_a_driver_without_the_header_reads_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped = tmp_path / "maps"
    mapped.write_text(f"00-01 r-xp 0 0 0 {tmp_path}/libpocl.so\n")
    monkeypatch.setattr(declarations, "MAPPED", mapped)
    assert with_declarations("int x;") is None


def test_declarations_over_several_lines_are_read() -> None:
    text = "/* a\n b */ int __ovld f(int a, // first\n    int b);\n#if A && \\\n B\nfloat __ovld f(float);\n#endif\n"
    header = declarations.read(text)
    assert list(header.declared["f"].values()) == ["int __ovld f(int a, int b);", "float __ovld f(float);"]
    assert [" ".join(line.split()) for line in header.kept.values()] == ["#if A && B", "#endif"]
