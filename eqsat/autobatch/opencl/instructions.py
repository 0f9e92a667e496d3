"""The instructions of a kernel whose control flow is text: UOps, and statements between them."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.autobatch.ir import TensorType
from eqsat.dtype import AddrSpace, DType, PtrDType, index, int32, void
from eqsat.ops import KernelInfo, Op
from eqsat.uop import UOp, toposort


class Instructions:
    """Collects instructions, in order."""

    def __init__(self) -> None:
        self._instructions: list[UOp] = []
        self._known: set[UOp] = set()

    def linear(self, name: str) -> UOp:
        """All of them, as a kernel of this name."""
        return UOp(Op.LINEAR, void, tuple(self._instructions), KernelInfo(name))

    def add(self, node: UOp) -> UOp:
        """An instruction, if it is not there yet; its sources are."""
        if node not in self._known:
            self._known.add(node)
            self._instructions.append(node)
        return node

    def add_all(self, roots: Sequence[UOp]) -> None:
        """Values with all that they are computed from."""
        for node in toposort(roots):
            self.add(node)

    def text(self, template: str, *operands: UOp) -> UOp:
        """A statement; `{0}` is the first operand, and braces are doubled."""
        return self.custom(template, void, operands)

    def value(self, text: str, dtype: DType) -> UOp:
        """What a text stands for here."""
        return self.custom(text, dtype)

    def custom(self, template: str, dtype: DType, operands: Sequence[UOp] = ()) -> UOp:
        """A text, which is none of those before it: equal nodes are one node, so each has a number that it does not write."""
        number = self.add(UOp(Op.CONST, index, (), len(self._instructions)))
        return self.add(UOp(Op.CUSTOM, dtype, (*operands, number), template))

    def variable(self, name: str) -> UOp:
        """A number of a launch, from 0."""
        return self.add(UOp(Op.DEFINE_VAR, int32, (), (name, 0, (1 << 31) - 1)))

    def buffer(self, slot: int, held: TensorType) -> UOp:
        """The argument that has one value for each member."""
        return self.add(UOp(Op.DEFINE_GLOBAL, PtrDType(held.dtype, AddrSpace.GLOBAL, held.size), (), slot))

    def load(self, buffer: UOp, member: UOp) -> UOp:
        """The scalar of a member."""
        return self.add(UOp(Op.LOAD, element_type(buffer), (self.add(element(buffer, member)),)))

    def store(self, buffer: UOp, member: UOp, value: UOp) -> UOp:
        """Writes the scalar of a member."""
        return self.add(UOp(Op.STORE, void, (self.add(element(buffer, member)), value)))


def element(buffer: UOp, member: UOp) -> UOp:
    """The address of a value of an argument."""
    return UOp(Op.INDEX, element_type(buffer), (buffer, member))


def element_type(buffer: UOp) -> DType:
    """The dtype of what an argument holds."""
    assert isinstance(buffer.dtype, PtrDType)
    return buffer.dtype.base


def escaped(line: str) -> str:
    """A line as a template without operands."""
    return line.replace("{", "{{").replace("}", "}}")


def with_operands(line: str, count: int) -> str:
    """A line in which `@k@` stands for operand k, as a template."""
    line = escaped(line)
    for place in range(count):
        line = line.replace(f"@{place}@", f"{{{place}}}")
    return line
