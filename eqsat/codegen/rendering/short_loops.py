"""Short inner loops, such as those over the taps of a filter, which the compiler is told to unroll.

Clang marks the loops of OpenCL C as not to be unrolled. A loop of two or three iterations around sixteen multiply-adds then takes a tenth to a
third longer than the same iterations one after the other: the processor starts and ends it again for each iteration of the loop around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eqsat.codegen.rendering.memory import definition, pointer_type
from eqsat.dtype import AddrSpace, DType
from eqsat.ops import Op
from eqsat.spec.order import closed_by
from eqsat.uop import UOp

MOST_ITERATIONS = 4  # of a loop that is unrolled. Loops of 5 over accumulators took up to an eighth longer
MOST_INSTRUCTIONS = 1536  # of all copies of a loop's body: more of them take seconds to compile
# Accumulators of a body that is unrolled, in bytes: half of the registers of a processor with AVX-512. With 24 of 64 bytes, the compiler also moved
# operands of later copies forward, and saved accumulators to memory.
MOST_ACCUMULATED = 16 * 64


@dataclass
class _Open:
    """A loop that is not closed yet.

    Attributes:
        loop: the RANGE.
        may_unroll: whether the loops inside are unrolled, and nothing inside forbids it.
        instructions: instructions of its body, with the copies of the loops inside.
        accumulated: bytes of the accumulators that are updated inside.
    """

    loop: UOp
    may_unroll: bool = True
    instructions: int = 0
    accumulated: int = 0


def short_loops(instructions: Sequence[UOp]) -> frozenset[UOp]:
    """The loops to unroll: those of few iterations, inside another loop, which update few accumulators and have only such loops inside."""
    found: set[UOp] = set()
    around: list[_Open] = []
    for node in instructions:
        if around:
            around[-1].instructions += 1
        if node.op is Op.RANGE:
            around.append(_Open(node))
        elif node.op is Op.STORE and around and pointer_type(definition(node.src[0])).space is AddrSpace.REG:
            around[-1].accumulated += _bytes(node.src[1])
        elif node.op is Op.BARRIER and around:
            around[-1].may_unroll = False
        elif node.op is Op.END:
            for _ in closed_by(node):
                inner = around.pop()
                copies = inner.instructions * _iterations(inner.loop)
                is_short = inner.may_unroll and 0 < copies <= MOST_INSTRUCTIONS
                if around and is_short and 0 < inner.accumulated <= MOST_ACCUMULATED:
                    found.add(inner.loop)
                elif around:
                    around[-1].may_unroll = False
                if around:
                    around[-1].instructions += copies or inner.instructions
                    around[-1].accumulated += inner.accumulated
    return frozenset(found)


def _iterations(loop: UOp) -> int:
    """The iterations of a loop; 0 if they are not known or too many to unroll it."""
    end = loop.src[0]
    return end.arg if end.op is Op.CONST and end.arg <= MOST_ITERATIONS else 0


def _bytes(value: UOp) -> int:
    assert isinstance(value.dtype, DType)
    return value.dtype.itemsize
