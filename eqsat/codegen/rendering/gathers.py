"""Gathers: vectors of elements from anywhere in a buffer, by the instruction of AVX-512, or without a branch for each lane."""

from __future__ import annotations

from typing import NamedTuple

from eqsat.codegen.expansion.gathers import INSTRUCTIONS, has_instruction
from eqsat.dtype import DType, index
from eqsat.ops import Op
from eqsat.spec.sources import behind
from eqsat.uop import UOp

SHARED = (Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL)
BITS_OF_GATES = 64  # bits of a lane of the mask of gates: as many as of a position


class Gathered(NamedTuple):
    """A gather from one buffer.

    Attributes:
        base: the buffer.
        places: a vector of positions.
        gate: a vector of bools: the lanes that are loaded.
        otherwise: the scalar value of the other lanes.
    """

    base: UOp
    places: UOp
    gate: UOp
    otherwise: UOp

    @staticmethod
    def of(node: UOp) -> Gathered | None:
        """The gather that a VECTORIZE does; None if it does none."""
        first = node.src[0]
        if not isinstance(node.dtype, DType) or not has_instruction(node.dtype) or first.op is not Op.LOAD:
            return None
        address = first.src[0]
        if address.op is not Op.INDEX or len(address.src) != 3:
            return None
        base, place, gate = address.src
        if behind(base).op not in SHARED or place.op is not Op.GEP or gate.op is not Op.GEP:
            return None
        found = Gathered(base, place.src[0], gate.src[0], first.src[1])
        is_whole = found.places.dtype == index.vec(node.dtype.lanes) == index.vec(found.gate.dtype.lanes)
        return found if is_whole and all(map(found.is_lane, range(node.dtype.lanes), node.src)) else None

    def is_lane(self, lane: int, load: UOp) -> bool:
        """Whether `load` is the load of lane number `lane`."""
        address = UOp(
            Op.INDEX, load.src[0].dtype, (self.base, _lane(self.places, lane), _lane(self.gate, lane))
        )
        return load.op is Op.LOAD and load.src == (address, self.otherwise)


def _lane(vector: UOp, lane: int) -> UOp:
    return UOp(Op.GEP, vector.dtype.scalar, (vector,), (lane,))


def gathering(inline: str, name: str, element: str, dtype: DType, pointer: str) -> str:
    """The text of a function that gathers the lanes whose gate holds: by the instruction of AVX-512 where there is one, else lane by lane."""
    lanes, kind = dtype.lanes, INSTRUCTIONS[dtype.scalar]
    parts = ("",) if lanes == 8 else (".lo", ".hi")
    asked = ", ".join(
        f"as_{element}8(__builtin_ia32_gatherdiv{kind}(({element}8)(otherwise), (__global const void *)(ulong)from, at{part}, "
        f"__builtin_ia32_cmpq512_mask(inside{part}, (long8)(0), 1, 255), {dtype.scalar.itemsize}))"
        for part in parts
    )
    plain = ", ".join(f"inside.s{lane:x} ? from[at.s{lane:x}] : otherwise" for lane in range(lanes))
    body = f"#ifdef __AVX512F__\n    return ({element}{lanes})({asked});\n#else\n    return ({element}{lanes})({plain});\n#endif"
    return _function(inline, name, element, lanes, pointer, body)


def gathering_without_branches(inline: str, name: str, element: str, dtype: DType, pointer: str) -> str:
    """Like `gathering`, for a buffer that is not empty: lanes whose gate fails load its first element, since a branch takes longer than a load."""
    lanes = dtype.lanes
    found = ", ".join(f"from[places.s{lane:x}]" for lane in range(lanes))
    mask = "inside" if dtype.scalar.bits == BITS_OF_GATES else f"convert_int{lanes}(inside)"
    body = (
        f"    const long{lanes} places = inside ? at : (long{lanes})(0);\n"
        f"    const {element}{lanes} found = ({element}{lanes})({found});\n"
        f"    return {mask} ? found : ({element}{lanes})(otherwise);"
    )
    return _function(inline, name, element, lanes, pointer, body)


def _function(inline: str, name: str, element: str, lanes: int, pointer: str, body: str) -> str:
    operands = f"{pointer}from, const long{lanes} at, const long{lanes} inside, const {element} otherwise"
    return f"{inline} {element}{lanes} {name}({operands}) {{\n{body}\n}}"
