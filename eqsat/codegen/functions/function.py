"""One elementary function as C text, for one float dtype and every number of lanes."""

from __future__ import annotations

from dataclasses import dataclass

from eqsat.codegen.dialects import Dialect
from eqsat.codegen.dialects.dialect import suffix
from eqsat.dtype import DType, float64, int32, int64, uint64

REGISTER_BITS = frozenset({128, 256, 512})  # of vectors on x86


@dataclass(frozen=True, slots=True)
class Function:
    """The text of one C function, a template as `Dialect` has them.

    $T is the value type (`float8`), $S its scalar, $I and $U the signed and the unsigned integer type of the same
    width and lanes, $D, $L and $M `double`, `long` and `ulong` with as many lanes, $N the lanes as a suffix, $lanes their number,
    $merged statements that return whether a lane of an $I called `mask` is not 0, where each has all bits or none.

    Attributes:
        text: the definition of `name_$T`, in which names of other functions end in `_$T` or `_$S`.
        needs: functions called with as many lanes.
        needs_scalar: functions called lane by lane.
        of_vectors: the function for several lanes, where it is another.
    """

    text: str
    needs: tuple[str, ...] = ()
    needs_scalar: tuple[str, ...] = ()
    of_vectors: Function | None = None

    def of(self, dtype: DType) -> Function:
        """This function for as many lanes as `dtype` has."""
        return self.of_vectors if self.of_vectors and dtype.lanes > 1 else self

    def render(self, dtype: DType, dialect: Dialect) -> str:
        """The definition for values of `dtype`, float32 or float64 in any number of lanes, in a language."""
        lanes = dtype.lanes
        integer = int64 if dtype.scalar == float64 else int32
        return dialect.fill(
            self.text,
            T=dialect.value_type(dtype),
            S=dialect.value_type(dtype.scalar),
            I=dialect.value_type(integer.vec(lanes)),
            U=dialect.unsigned_type(integer.vec(lanes)),
            D=dialect.value_type(float64.vec(lanes)),
            L=dialect.value_type(int64.vec(lanes)),
            M=dialect.value_type(uint64.vec(lanes)),
            N=suffix(lanes),
            lanes=lanes,
            merged=_merged(integer, lanes, dialect),
        )


def _merged(integer: DType, lanes: int, dialect: Dialect) -> str:
    """One half of the lanes or the other, until two are left: compilers see one instruction in it, and none in `any`.

    With registers of masks it is two, which are asked for by name.
    """
    statements: list[str] = []
    name = "mask"
    rest = lanes
    while rest > 3:
        rest //= 2
        half = f"mask{rest}"
        statements.append(f"const {dialect.value_type(integer.vec(rest))} {half} = {name}.lo | {name}.hi;")
        name = half
    parts = [f"{name}.s{lane}" for lane in range(rest)] if rest > 1 else [name]
    statements.append(f"return ({' | '.join(parts)}) != 0;")
    plain = "\n".join(f"    {each}" for each in statements)
    bits = lanes * integer.bits
    if not dialect.masks_of_x86 or bits not in REGISTER_BITS:
        return plain
    asked = f"__builtin_ia32_cvt{'q' if integer.bits == 64 else 'd'}2mask{bits}(mask) != 0"
    return f"#ifdef __AVX512DQ__\n    return {asked};\n#else\n{plain}\n#endif"


# By name of the function and scalar dtype that it computes in.
FunctionTable = dict[tuple[str, DType], Function]
