"""OpenCL C 1.2 for the compilers of processors and of graphics cards."""

from __future__ import annotations

from dataclasses import replace

from eqsat.codegen.dialects.dialect import COORDINATES, SCALARS, Dialect
from eqsat.codegen.dialects.halves import conversions_of_halves
from eqsat.dtype import AddrSpace
from eqsat.fragments import INSTRUCTIONS

_COORDINATE = {"gid": "get_global_id", "gidx": "get_group_id", "lid": "get_local_id"}
_HALVES = {
    "round_half": "$inline float$N round_half_$T(const $T x) { return float_of_half$N(half_of_$T(x)); }",
    "half_bits": "$inline ushort$N half_bits_$T(const $T x) { return half_of_$T(x); }",
    "half_value": "$inline float$N half_value_$T(const $T bits) { return float_of_half$N(bits); }",
}
_SUB_GROUPS = "#pragma OPENCL EXTENSION cl_khr_subgroups : enable"
_EXTREME = """\
static inline {kind} sub_group_reduce_{extreme}_{dtype}(const {kind} x) {{
    const {kind} found = sub_group_reduce_{extreme}(x);
    return sub_group_any(isnan(x)) ? ({kind})NAN : found;
}}"""
# PoCL splits a vector conversion into two of half as many lanes, down to one instruction for each lane. Every compiler built on Clang has
# `__builtin_convertvector`.
_CONVERSIONS = {
    f"convert_{name}{lanes}": f"#define convert_{name}{lanes}(x) __builtin_convertvector(x, {name}{lanes})"
    for name in dict.fromkeys(SCALARS.values())
    for lanes in (2, 4, 8, 16)
}

OPENCL_CPU = Dialect(
    name="OpenCL on a CPU",
    scalars=SCALARS,
    kernel="__kernel void",
    spaces={AddrSpace.GLOBAL: "__global ", AddrSpace.LOCAL: "__local ", AddrSpace.REG: ""},
    inline="inline",
    table="__constant",
    in_table="__constant ",
    contracted="#pragma OPENCL FP_CONTRACT ON",
    uncontracted="#pragma OPENCL FP_CONTRACT OFF",
    unrolled="#pragma unroll",
    double="#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
    coordinates={name: f"{_COORDINATE[name[:-1]]}({name[-1]})" for name in COORDINATES},
    barrier="barrier(CLK_LOCAL_MEM_FENCE);",
    shuffle="__builtin_shufflevector",
    stream="__builtin_nontemporal_store",
    x86_builtins=True,
    gathers=True,
    functions=frozenset({"max", "min"}),
    templates=_HALVES,
    definitions=_CONVERSIONS | conversions_of_halves(by_instruction=True),
)
OPENCL_GPU = replace(
    OPENCL_CPU,
    name="OpenCL on a GPU",
    items_are_lanes=True,
    short_indices=True,
    aligned_bytes=16,
    vector_pointers=False,
    shuffle="",
    stream="",
    restrict="restrict ",
    x86_builtins=False,
    gathers=False,
    definitions=conversions_of_halves(by_instruction=False),
)
OPENCL_NVIDIA = replace(
    OPENCL_GPU,
    name="OpenCL on a graphics card of NVIDIA",
    matrices=frozenset(row.text for row in INSTRUCTIONS if row.text),
)
"""For compute capability 8.0 and later, whose instructions are written in PTX."""


def with_sub_groups(dialect: Dialect, items: int, attribute: str = "") -> Dialect:
    """The language of a device with sub-groups that reduce (cl_khr_subgroups).

    Args:
        dialect: the language that the device reads otherwise.
        items: the work-items of a sub-group.
        attribute: the attribute that gives a kernel sub-groups of this size, if the device has several sizes.
    """
    name = f"{dialect.name} with sub-groups of {items}"
    extremes = {
        f"sub_group_reduce_{extreme}_{dtype}": _EXTREME.format(dtype=dtype, kind=kind, extreme=extreme)
        for dtype, kind in (("float32", "float"), ("float64", "double"))
        for extreme in ("max", "min")
    }
    definitions = {**dialect.definitions, "sub_group_reduce_\\w+": _SUB_GROUPS, **extremes}
    return replace(
        dialect, name=name, sub_group=items, sub_group_attribute=attribute, definitions=definitions
    )
