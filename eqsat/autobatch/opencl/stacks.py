"""Variables of a lowered program in a kernel: the tops of their stacks are in registers, the values below them in arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eqsat.autobatch.ir import TensorType, VariableAllocation
from eqsat.codegen import Dialect
from eqsat.dtype import DType, PtrDType, bfloat16, float16


@dataclass(frozen=True)
class Held:
    """A variable, which holds one scalar or array, as a kernel declares it.

    Attributes:
        name: its identifier; the top is `{name}_top`.
        number: the number that reports an overflow of its stack.
        held: its type.
        allocation: how it is stored; a FULL variable has memory `{name}_stack` below its top, of which `{name}_size` values are in use.
        depth: the number of values for which that memory has room.
        stride: the distance between neighbouring values of a stack, as C text, if the stacks of work-items are interleaved; else empty.
    """

    name: str
    number: int
    held: TensorType
    allocation: VariableAllocation
    depth: int
    stride: str = ""

    @property
    def top(self) -> str:
        """The identifier of the top."""
        return f"{self.name}_top"

    @property
    def is_full(self) -> bool:
        """Whether it has a stack."""
        return self.allocation is VariableAllocation.FULL

    @property
    def is_array(self) -> bool:
        """Whether it holds an array rather than a scalar; then `{name}_top` is an array whose elements have the dtype's storage type."""
        return bool(self.held.shape)

    def kind(self, dialect: Dialect) -> str:
        """The C type of one element."""
        return (dialect.storage_type if self.is_array else dialect.value_type)(self.held.dtype)

    def declarations(self, dialect: Dialect) -> Iterator[str]:
        """The declarations at the beginning of the kernel."""
        size = max(1, self.held.size)
        yield (
            f"{self.kind(dialect)} {self.top}[{size}] = {{0}};"
            if self.is_array
            else f"{self.kind(dialect)} {self.top} = 0;"
        )
        if self.is_full:
            yield f"int {self.name}_size = 0;"

    def below(self, depth: int) -> str:
        """The C text for the value that lies `depth` below the top; for an array, for its address."""
        return self._at(-depth) if depth else self.top

    def _at(self, offset: int) -> str:
        """The C text for the stack's value at `offset` from `{name}_size`, the place where the top would be stored."""
        place = (
            f"{self.name}_size {'+' if offset > 0 else '-'} {abs(offset)}" if offset else f"{self.name}_size"
        )
        stack = f"{self.name}_stack"
        if self.is_array:
            return f"({stack} + (long)({place}) * {self.held.size})"
        return f"{stack}[{f'({place}) * {self.stride}' if self.stride else place}]"

    def assigned(self, target: str, value: str) -> str:
        """The C statement that copies a value."""
        if not self.is_array:
            return f"{target} = {value};"
        return f"for (int e = 0; e < {self.held.size}; e++) {target}[e] = {value}[e];"

    def changed(self, pops: int, pushed: Sequence[str]) -> Iterator[str]:
        """C statements that pop values and push others; the texts of pushed values must not read tops, which these statements change."""
        if not self.is_full:
            if pushed:
                yield self.assigned(self.top, pushed[-1])
            return
        size, grown = f"{self.name}_size", len(pushed) - pops
        if grown > 0:
            yield f"if ({size} > {self.depth - grown}) {{ failed = {self.number}; goto overflow; }}"
        if not pushed:
            yield self.assigned(self.top, self._at(-pops))
        elif not pops:
            yield self.assigned(self._at(0), self.top)
        for offset, value in enumerate(pushed[:-1]):
            yield self.assigned(self._at(1 - pops + offset), value)
        if grown:
            yield f"{size} {'+' if grown > 0 else '-'}= {abs(grown)};"
        if pushed:
            yield self.assigned(self.top, pushed[-1])


def given_array(slot: int, held: Held, text: str, dialect: Dialect) -> Iterator[str]:
    """C statements for the array `given{slot}` that functions take for a value: a copy, since the variable may change before its last use."""
    kind, size = dialect.storage_type(held.held.dtype), max(1, held.held.size)
    if held.is_array:
        yield f"{kind} given{slot}[{size}];"
        yield held.assigned(f"given{slot}", text)
    elif held.held.dtype == float16:
        yield f"{kind} given{slot}[1];"
        yield f"vstore_half({text}, 0, (half *)given{slot});"
    elif held.held.dtype == bfloat16:
        yield f"{kind} given{slot}[1] = {{(ushort)(as_uint({text}) >> 16)}};"
    else:
        yield f"{kind} given{slot}[1] = {{{text}}};"


def scalar_of(name: str, dtype: DType | PtrDType, space: str) -> str:
    """The C text for the scalar in an array of one element."""
    if dtype == float16:
        return f"vload_half(0, (const {space}half *){name})"
    return f"as_float((uint){name}[0] << 16)" if dtype == bfloat16 else f"{name}[0]"
