"""Kernels that run in rounds: a member that comes to a block at which members meet leaves the kernel, and comes back when its answer is there.

Between rounds the tops of its variables, the sizes of its stacks and where it waits are in memory of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eqsat.autobatch.ir import Program, TensorType
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.opencl.stacks import Held
from eqsat.autobatch.regions import Region
from eqsat.codegen import Dialect
from eqsat.dtype import AddrSpace, DType, float32

RESUMED = "resumed"  # variable of a launch: 0 in the first round
_WORD = 8  # bytes to which values in memory between rounds are aligned
_OWN = ("waits", "failed", "steps")  # ints of the kernel itself that are kept


@dataclass(frozen=True, slots=True)
class Waiting:
    """A block at which members meet.

    Attributes:
        number: which tells the host where a member waits; from 1.
        requests: what the block reads of a member, written by the kernel: types, and the place of the first among all requests.
        answers: what was computed of it, read by the kernel in the next round.
        first_request: see above.
        first_answer: alike.
    """

    number: int
    requests: tuple[TensorType, ...]
    answers: tuple[TensorType, ...]
    first_request: int
    first_answer: int


def waitings(program: Program, meetings: Mapping[str, Region]) -> Mapping[str, Waiting]:
    """The blocks of these names, with places for what is asked and answered."""
    found: dict[str, Waiting] = {}
    requests = answers = 0
    for number, (name, region) in enumerate(meetings.items(), start=1):
        asked = tuple(tensor_of(program.var_defs, read.name) for read in region.reads)
        made = tuple(TensorType(_dtype(root.dtype), root.shape or ()) for root in region.graph.src)
        found[name] = Waiting(number, asked, made, requests, answers)
        requests, answers = requests + len(asked), answers + len(made)
    return found


def _dtype(dtype: object) -> DType:
    assert isinstance(dtype, DType), "regions compute values"
    return dtype


def kept(held: TensorType) -> TensorType:
    """What memory holds of a variable: scalars as they are in registers, which for 16 bits is float; arrays as they are stored."""
    return TensorType(float32) if not held.shape and held.dtype.is_float and held.dtype.bits == 16 else held


class Luggage:
    """The memory of one member between rounds."""

    def __init__(self, variables: Sequence[Held], dialect: Dialect) -> None:
        self._variables = variables
        self._dialect = dialect
        self._offsets: dict[str, int] = {}
        self.size = _WORD  # the first word is nobody's
        for name in _OWN:
            self._reserve(name, 4)
        for held in variables:
            self._reserve(held.top, kept(held.held).dtype.itemsize * max(1, held.held.size))
            if held.is_full:
                self._reserve(f"{held.name}_size", 4)

    def _reserve(self, name: str, size: int) -> None:
        self._offsets[name] = self.size
        self.size += -(-size // _WORD) * _WORD

    def pointers(self) -> Iterator[str]:
        """Says where arrays are, which stay where they are."""
        for held in self._variables:
            if held.is_array:
                yield f"{held.top} = {self._at(held.top, held.kind(self._dialect))};"

    def statements(self, *, packs: bool, counts_steps: bool) -> Iterator[str]:
        """Copies the scalars that a member needs to its memory, or back."""
        for name in _OWN:
            if counts_steps or name != "steps":
                yield self._copied(name, "int", packs=packs)
        for held in self._variables:
            if not held.is_array:
                yield self._copied(held.top, self._dialect.storage_type(kept(held.held).dtype), packs=packs)
            if held.is_full:
                yield self._copied(f"{held.name}_size", "int", packs=packs)

    def _copied(self, variable: str, kind: str, *, packs: bool) -> str:
        place = f"*{self._at(variable, kind)}"
        return f"{place} = {variable};" if packs else f"{variable} = {place};"

    def _at(self, name: str, kind: str) -> str:
        return f"({self._dialect.spaces[AddrSpace.GLOBAL]}{kind} *)(luggage + {self._offsets[name]})"
