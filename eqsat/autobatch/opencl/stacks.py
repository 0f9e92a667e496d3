"""Variables of a lowered program in a kernel: tops in registers, what lies below them in arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eqsat.autobatch.ir import TensorType, VariableAllocation
from eqsat.codegen import Dialect
from eqsat.dtype import DType, PtrDType, bfloat16, float16


@dataclass(frozen=True)
class Held:
    """One variable of one scalar or array, as a kernel writes it.

    Attributes:
        name: its identifier; the top is `{name}_top`.
        number: by which an overflow names it.
        held: its type.
        allocation: FULL ones have memory `{name}_stack` for `depth` values below the top, of which `{name}_size` are in use.
        depth: see above.
        stride: how many values lie from one to the next, where the stacks of work-items lie side by side.
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
        """Whether it holds more than one scalar; then `{name}_top` is an array, of elements as they are stored in memory."""
        return bool(self.held.shape)

    def kind(self, dialect: Dialect) -> str:
        """The C type of one element."""
        return (dialect.storage_type if self.is_array else dialect.value_type)(self.held.dtype)

    def declarations(self, dialect: Dialect) -> Iterator[str]:
        """What stands at the beginning of the kernel."""
        size = max(1, self.held.size)
        yield (
            f"{self.kind(dialect)} {self.top}[{size}] = {{0}};"
            if self.is_array
            else f"{self.kind(dialect)} {self.top} = 0;"
        )
        if self.is_full:
            yield f"int {self.name}_size = 0;"

    def below(self, depth: int) -> str:
        """The value that lies so far below the top; of an array, where it begins."""
        return self._at(-depth) if depth else self.top

    def _at(self, offset: int) -> str:
        """The value that lies so far from the top, which is at `{name}_size` if it were stored."""
        place = (
            f"{self.name}_size {'+' if offset > 0 else '-'} {abs(offset)}" if offset else f"{self.name}_size"
        )
        stack = f"{self.name}_stack"
        if self.is_array:
            return f"({stack} + (long)({place}) * {self.held.size})"
        return f"{stack}[{f'({place}) * {self.stride}' if self.stride else place}]"

    def assigned(self, target: str, value: str) -> str:
        """The statement that copies a value."""
        if not self.is_array:
            return f"{target} = {value};"
        return f"for (int e = 0; e < {self.held.size}; e++) {target}[e] = {value}[e];"

    def changed(self, pops: int, pushed: Sequence[str]) -> Iterator[str]:
        """Statements that take values off and put others on, whose texts mention no top."""
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
    """The array `given{slot}` of a value, as functions take it: a copy, since the variable may change before the value is used again."""
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
    """The value of an array of one element."""
    if dtype == float16:
        return f"vload_half(0, (const {space}half *){name})"
    return f"as_float((uint){name}[0] << 16)" if dtype == bfloat16 else f"{name}[0]"
