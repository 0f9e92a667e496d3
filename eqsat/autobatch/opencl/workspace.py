"""Arrays of members in global memory: two buffers for each variable, for its present and its next value, and the arrays of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eqsat.autobatch.ir import Program, TensorType
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.opencl.functions import RegionFunctions
from eqsat.autobatch.opencl.stacks import Held
from eqsat.autobatch.regions import Region

LARGE = 1 << 13  # bytes of a member's arrays from which they are in global memory
_ALIGNMENT = 64  # bytes


def array_bytes(program: Program) -> int:
    """The bytes of one value of each variable that holds an array, summed."""
    types = [tensor_of(program.var_defs, name) for name in program.var_alloc if name in program.var_defs]
    return sum(held.size * held.dtype.itemsize for held in types if held.shape)


@dataclass(frozen=True)
class GroupHeld(Held):
    """A variable of a kernel whose work-groups run members: all work-items of the group copy its arrays together.

    Attributes:
        group: the number of work-items in the group.
    """

    group: int = 1

    @property
    def next(self) -> str:
        """The identifier of the buffer that takes the next value of an array."""
        return f"{self.name}_next"

    def assigned(self, target: str, value: str) -> str:
        """The C statement that copies a value; a work-item copies the same elements of every array."""
        if not self.is_array:
            return f"{target} = {value};"
        first, step = ("lane", f"e += {self.group}") if self.group > 1 else ("0", "e++")
        return f"for (int e = {first}; e < {self.held.size}; {step}) {target}[e] = {value}[e];"

    def prepared(self, pops: int, pushed: Sequence[str]) -> Iterator[str]:
        """C statements that copy the next value of an array to its buffer, unless it is there; values that may still be read do not change."""
        if pushed and pushed[-1] != self.next:
            yield self.assigned(self.next, pushed[-1])
        elif not pushed and pops and self.is_full:
            yield self.assigned(self.next, self._at(-pops))

    def exchanged(self, pops: int, pushed: Sequence[str]) -> Iterator[str]:
        """C statements that change the stack of an array whose next value is prepared, and exchange its two buffers."""
        if self.is_full:
            size, grown = f"{self.name}_size", len(pushed) - pops
            if grown > 0:
                yield f"if ({size} > {self.depth - grown}) {{ failed = {self.number}; goto overflow; }}"
            if pushed and not pops:
                yield self.assigned(self._at(0), self.top)
            for offset, value in enumerate(pushed[:-1]):
                yield self.assigned(self._at(1 - pops + offset), value)
            if grown:
                yield f"{size} {'+' if grown > 0 else '-'}= {abs(grown)};"
        elif not pushed:
            return
        yield f"swapped = {self.top}; {self.top} = {self.next}; {self.next} = swapped;".replace(
            "swapped", f"{self.name}_swapped"
        )


class Workspace:
    """The layout of a group's memory: offsets in bytes from its beginning."""

    def __init__(
        self,
        variables: Sequence[GroupHeld],
        regions: Mapping[str, Region],
        functions: Mapping[str, RegionFunctions],
        types: Mapping[str, TensorType],
    ) -> None:
        self.size = _ALIGNMENT  # the first bytes are unused: the kernel stores a zero there
        self._places: dict[str, int] = {}
        for held in variables:
            if held.is_array:
                for name in (held.top, held.next):
                    self._places[name] = self._reserved(held.held)
        common, most = self.size, self.size
        self._of_blocks: dict[str, dict[str, int]] = {}
        for block, made in functions.items():
            self.size = common
            region = regions[block]
            found = self._of_blocks[block] = {}
            for slot, read in enumerate(region.reads):
                if not types[read.name].shape:
                    found[f"given{slot}"] = self._reserved(types[read.name])
            for array in made.arrays:
                found[array.name] = self._reserve(array.size * array.itemsize)
            for number, root in enumerate(region.graph.src):
                if root.shape and _is_kept_below(region, number):
                    found[f"kept{number}"] = self._reserved(TensorType(root.dtype.scalar, root.shape))
            most = max(most, self.size)
        self.size = most

    def _reserved(self, held: TensorType) -> int:
        return self._reserve(max(1, held.size) * held.dtype.itemsize)

    def _reserve(self, size: int) -> int:
        place = self.size
        self.size += -(-size // _ALIGNMENT) * _ALIGNMENT
        return place

    def of_variable(self, name: str) -> int:
        """The offset of a variable's buffer."""
        return self._places[name]

    def of_block(self, block: str) -> Mapping[str, int]:
        """The offsets of a block's arrays by name; arrays of different blocks may share memory."""
        return self._of_blocks[block]


def _is_kept_below(region: Region, number: int) -> bool:
    """Whether a value of a region is pushed and then covered by another push."""
    return any(number in effect.pushes[:-1] for effect in region.effects.values())
