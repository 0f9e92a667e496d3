"""Rounds of kernels: a member that reaches a block at which members meet leaves the kernel, and resumes when its answer has been computed.

Between rounds, the tops of its variables, the sizes of its stacks, and the block where it waits are in memory of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eqsat.autobatch.ir import TensorType
from eqsat.autobatch.opencl.stacks import Held
from eqsat.autobatch.regions import Region
from eqsat.codegen import Dialect
from eqsat.dtype import AddrSpace, DType, float32

RESUMED = "resumed"  # variable of a launch: 0 in the first round, 1 later
_WORD = 8  # alignment in bytes of values that are stored between rounds
_OWN = ("waits", "failed", "steps")  # the kernel's own ints that are stored between rounds


@dataclass(frozen=True, slots=True)
class Waiting:
    """A block at which members meet.

    Attributes:
        number: the number, from 1, by which the kernel tells the host that a member waits here.
        requests: the types of the values that the block reads of a member; the kernel writes these values.
        answers: the types of the values that were computed from them; the kernel reads these values in the next round.
        first_request: the position of its first request among the requests of all blocks.
        first_answer: the position of its first answer among the answers of all blocks.
    """

    number: int
    requests: tuple[TensorType, ...]
    answers: tuple[TensorType, ...]
    first_request: int
    first_answer: int


def waitings(meetings: Mapping[str, Region]) -> Mapping[str, Waiting]:
    """The blocks at which members meet, with positions for their requests and answers."""
    found: dict[str, Waiting] = {}
    requests = answers = 0
    for number, (name, region) in enumerate(meetings.items(), start=1):
        made = tuple(TensorType(_dtype(root.dtype), root.shape or ()) for root in region.graph.src)
        found[name] = Waiting(number, region.held, made, requests, answers)
        requests, answers = requests + len(region.held), answers + len(made)
    return found


def _dtype(dtype: object) -> DType:
    assert isinstance(dtype, DType), "regions compute values"
    return dtype


def kept(held: TensorType) -> TensorType:
    """The type in which memory holds a variable between rounds: a 16-bit float scalar is float32, as in registers; all others keep their type."""
    return TensorType(float32) if not held.shape and held.dtype.is_float and held.dtype.bits == 16 else held


class Luggage:
    """The memory of one member between rounds."""

    def __init__(self, variables: Sequence[Held], dialect: Dialect) -> None:
        self._variables = variables
        self._dialect = dialect
        self._offsets: dict[str, int] = {}
        self.size = _WORD  # the first word is unused: the kernel stores a zero there
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
        """Statements that set the pointers to arrays, which stay in this memory."""
        for held in self._variables:
            if held.is_array:
                yield f"{held.top} = {self._at(held.top, held.kind(self._dialect))};"

    def statements(self, *, packs: bool, counts_steps: bool) -> Iterator[str]:
        """Statements that copy a member's scalars to its memory if `packs`, else back."""
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
