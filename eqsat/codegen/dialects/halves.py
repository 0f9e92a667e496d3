"""Half precision in OpenCL C: converts its 16 bits in registers.

`vload_half` and `vstore_half` call the driver's library. PoCL 3.0 inlines them only if the library was built for the processor's name,
and computes single values by integer arithmetic. Processors with F16C have an instruction for the conversion, which the text names;
other processors use the functions of the language.
"""

from __future__ import annotations

from eqsat.codegen.dialects.dialect import suffix
from eqsat.dtype import LANES

_PADDED = {
    1: "({kind}8)({value}, ({kind})0, ({kind}2)0, ({kind}4)0)",
    2: "({kind}8)({value}, ({kind}2)0, ({kind}4)0)",
    3: "({kind}8)({value}, ({kind})0, ({kind}4)0)",
    4: "({kind}8)({value}, ({kind}4)0)",
}  # vectors of eight lanes that begin with `value`, by its lanes
_TAKEN = {1: ".s0", 2: ".lo", 3: ".s012", 4: ""}  # the first lanes of a vector of four, by their number
_FILLED = {1: "(float4)(x, 0.0f, 0.0f, 0.0f)", 2: "(float4)(x, (float2)0.0f)", 3: "(float4)(x, 0.0f)", 4: "x"}
# The rounding argument "no exceptions": LLVM does not replace a call with it by its own conversion of halves.
_SILENT = 8


def conversions_of_halves(*, by_instruction: bool) -> dict[str, str]:
    """The functions `float_of_halfN`, of a `ushortN`, and `half_of_floatN`, to the nearest half, ties to even; by name.

    There are none for doubles: PoCL 3.0 loses stores of sixteen doubles as halves. Doubles become floats first, rounded to odd.

    Args:
        by_instruction: whether the functions may use instructions of x86.
    """
    found: dict[str, str] = {}
    for lanes in (1, *LANES):
        count = suffix(lanes)
        read = f"    return vload_half{count}(0, (const half *)&bits);"
        asked = _float_of_half(lanes) if by_instruction else ""
        found[f"float_of_half{count}"] = _function(
            f"float{count} float_of_half{count}(const ushort{count} bits)", read, asked
        )
        written = f"    ushort{count} bits;\n    vstore_half{count}(x, 0, (half *)&bits);\n    return bits;"
        asked = _half_of_float(lanes) if by_instruction else ""
        head = f"ushort{count} half_of_float{count}(const float{count} x)"
        found[f"half_of_float{count}"] = _function(head, written, asked)
    return found


def _function(head: str, plain: str, asked: str) -> str:
    body = f"#ifdef __F16C__\n{asked}\n#else\n{plain}\n#endif" if asked else plain
    return f"inline {head} {{\n{body}\n}}"


def _float_of_half(lanes: int) -> str:
    if lanes < 8:
        bits = _PADDED[lanes].format(kind="short", value=f"as_short{suffix(lanes)}(bits)")
        return f"    float4 x;\n    {_converted('x', bits)}\n    return x{_TAKEN[lanes]};"
    if lanes == 8:
        return f"    float8 x;\n    {_converted('x', 'as_short8(bits)')}\n    return x;"
    parts = (_converted(part, f"as_short8(bits.{part})") for part in ("lo", "hi"))
    return _with_wide(
        f"    return as_float16(__builtin_ia32_vcvtph2ps512_mask(as_short16(bits), (float16)0.0f, (ushort)0xffff, {_SILENT}));",
        f"    float8 lo, hi;\n    {' '.join(parts)}\n    return (float16)(lo, hi);",
    )


def _converted(x: str, bits: str) -> str:
    """A statement that converts to floats by inline assembly, which LLVM cannot look into.

    LLVM would replace the builtin function by its own conversion of halves, compare the values as halves, and do this lane by lane, by calls.
    """
    return f'__asm__("vcvtph2ps %1, %0" : "=x"({x}) : "x"({bits}));'


def _half_of_float(lanes: int) -> str:
    if lanes < 8:
        found = f"as_ushort8(__builtin_ia32_vcvtps2ph({_FILLED[lanes]}, 0)).lo"
        return f"    return {found}{'' if lanes == 4 else _TAKEN[lanes]};"
    if lanes == 8:
        return "    return as_ushort8(__builtin_ia32_vcvtps2ph256(x, 0));"
    parts = (f"as_ushort8(__builtin_ia32_vcvtps2ph256(x.{part}, 0))" for part in ("lo", "hi"))
    return _with_wide(
        "    return as_ushort16(__builtin_ia32_vcvtps2ph512_mask(x, 0, (short16)0, (ushort)0xffff));",
        f"    return (ushort16)({', '.join(parts)});",
    )


def _with_wide(wide: str, halves: str) -> str:
    return f"#ifdef __AVX512F__\n{wide}\n#else\n{halves}\n#endif"
