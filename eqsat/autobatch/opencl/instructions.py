"""Collects the instructions of a kernel whose control flow is text: UOps, with statements between them."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.autobatch.ir import TensorType
from eqsat.dtype import AddrSpace, DType, PtrDType, index, int32, void
from eqsat.ops import KernelInfo, Op
from eqsat.uop import UOp, toposort


class Instructions:
    """Collects instructions in order."""

    def __init__(self) -> None:
        self._instructions: list[UOp] = []
        self._known: set[UOp] = set()

    def linear(self, name: str) -> UOp:
        """All instructions as a LINEAR, for a kernel of this name."""
        return UOp(Op.LINEAR, void, tuple(self._instructions), KernelInfo(name))

    def add(self, node: UOp) -> UOp:
        """Adds an instruction unless it was added before, and returns it; its sources must have been added."""
        if node not in self._known:
            self._known.add(node)
            self._instructions.append(node)
        return node

    def add_all(self, roots: Sequence[UOp]) -> None:
        """Adds values with everything from which they are computed."""
        for node in toposort(roots):
            self.add(node)

    def text(self, template: str, *operands: UOp) -> UOp:
        """Adds a statement; `{0}` stands for the first operand, and other braces are doubled."""
        return self.custom(template, void, operands)

    def value(self, text: str, dtype: DType) -> UOp:
        """Adds an expression that is given as text, evaluated at this place."""
        return self.custom(text, dtype)

    def custom(self, template: str, dtype: DType, operands: Sequence[UOp] = ()) -> UOp:
        """Adds a text as a new node. Equal nodes would be one node, so each has a unique number as an operand that its text does not use."""
        number = self.add(UOp(Op.CONST, index, (), len(self._instructions)))
        return self.add(UOp(Op.CUSTOM, dtype, (*operands, number), template))

    def variable(self, name: str) -> UOp:
        """A variable of the launch, a non-negative int32."""
        return self.add(UOp(Op.DEFINE_VAR, int32, (), (name, 0, (1 << 31) - 1)))

    def buffer(self, slot: int, held: TensorType) -> UOp:
        """The argument number `slot`, which holds one value of a type for each member."""
        return self.add(UOp(Op.DEFINE_GLOBAL, PtrDType(held.dtype, AddrSpace.GLOBAL, held.size), (), slot))

    def load(self, buffer: UOp, member: UOp) -> UOp:
        """Loads the scalar of a member."""
        return self.add(UOp(Op.LOAD, element_type(buffer), (self.add(element(buffer, member)),)))

    def store(self, buffer: UOp, member: UOp, value: UOp) -> UOp:
        """Stores the scalar of a member."""
        return self.add(UOp(Op.STORE, void, (self.add(element(buffer, member)), value)))


def element(buffer: UOp, member: UOp) -> UOp:
    """The address of a member's value in an argument."""
    return UOp(Op.INDEX, element_type(buffer), (buffer, member))


def element_type(buffer: UOp) -> DType:
    """The dtype of an argument's elements."""
    assert isinstance(buffer.dtype, PtrDType)
    return buffer.dtype.base


def escaped(line: str) -> str:
    """A line as a template without operands."""
    return line.replace("{", "{{").replace("}", "}}")


def with_operands(line: str, count: int) -> str:
    """A template made from a line in which `@k@` stands for operand k."""
    line = escaped(line)
    for place in range(count):
        line = line.replace(f"@{place}@", f"{{{place}}}")
    return line
