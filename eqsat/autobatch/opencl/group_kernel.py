"""The kernel of a program whose members have large arrays: a work-group runs one member at a time.

All work-items of a group follow the same path. Each computes all scalars, and its part of the elements of arrays, which are in global memory.
On processors, a group is one work-item.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields

from eqsat.autobatch.ir import TensorType
from eqsat.autobatch.opencl.code import Code, Options
from eqsat.autobatch.opencl.functions import RegionFunctions
from eqsat.autobatch.opencl.instructions import element, escaped
from eqsat.autobatch.opencl.kernel import Kernel
from eqsat.autobatch.opencl.stacks import Held, scalar_of
from eqsat.autobatch.opencl.workspace import GroupHeld, Workspace
from eqsat.autobatch.regions import Region
from eqsat.codegen import Dialect
from eqsat.dtype import AddrSpace, PtrDType, bfloat16, float16, index, uint8, void
from eqsat.ops import Op
from eqsat.uop import UOp

_BARRIER = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"


class GroupKernel(Kernel):
    """A kernel whose work-groups run members. Between the shared arrays and the stacks, it has one more argument: the memory of each group."""

    def __init__(self, code: Code, dialect: Dialect, options: Options) -> None:
        super().__init__(code, dialect, options)
        self._group = code.group
        self._space = dialect.spaces[AddrSpace.GLOBAL]
        self._arrays = {name: _shared_by(held, self._group) for name, held in self._held.items()}
        self._held: dict[str, Held] = {**self._arrays}
        types = {name: held.held for name, held in self._held.items()}
        self._workspace = Workspace([*self._arrays.values()], code.regions, code.functions, types)

    @property
    def _is_interleaved(self) -> bool:
        return False

    def _item(self) -> UOp:
        if self._group == 1:
            return super()._item()
        self.text("const int lane = get_local_id(0);")
        self.text("const long group = get_group_id(0);")
        return self.value("group", index)

    def _further_buffers(self, first: int) -> list[UOp]:
        self._memory = self.buffer(first, TensorType(uint8, (self._workspace.size,)))
        return [self._memory]

    def _declarations(self, held: Held) -> Iterator[str]:
        if not held.is_array:
            yield from held.declarations(self._dialect)
            return
        assert isinstance(held, GroupHeld)
        pointer = f"{self._space}{held.kind(self._dialect)} *"
        yield f"{pointer}{held.top}, {pointer[len(pointer) - 1 :]}{held.next}, {pointer[len(pointer) - 1 :]}{held.name}_swapped;"
        if held.is_full:
            yield f"int {held.name}_size = 0;"

    def _point_to_stacks(self, stacks: Mapping[str, UOp], item: UOp) -> None:
        """Sets pointers to the group's memory, to the arrays in it, which are zero at first, and to the stacks.

        Stacks of arrays belong to the group, stacks of scalars to a work-item.
        """
        first = len(self._program.outputs) + 1
        own = self.value("get_global_id(0)", index)
        self._begin_at("work", self._memory, first, item)
        arrays = {held.name for held in self._held.values() if held.is_array}
        for place, (name, buffer) in enumerate(stacks.items(), start=first + 1):
            self._begin_at(f"{name}_stack", buffer, place, item if name in arrays else own)
        for held in self._arrays.values():
            if held.is_array:
                for name in (held.top, held.next):
                    self.text(
                        f"{name} = {self._at(self._workspace.of_variable(name), held.kind(self._dialect))};"
                    )
                first_element, step = ("lane", f"e += {self._group}") if self._group > 1 else ("0", "e++")
                self.text(
                    escaped(f"for (int e = {first_element}; e < {held.held.size}; {step}) {held.top}[e] = 0;")
                )

    def _begin_at(self, name: str, buffer: UOp, place: int, number: UOp) -> None:
        """Sets a pointer to the memory of one group, or work-item, in an argument; the store marks the argument as written."""
        assert isinstance(buffer.dtype, PtrDType)
        size = self.add(UOp(Op.CONST, index, (), buffer.dtype.size))
        begin = self.add(UOp(Op.MUL, index, (number, size)))
        zero = self.add(UOp.const(buffer.dtype.base, 0))
        address = self.add(element(buffer, begin))
        with self._alone():
            self.add(UOp(Op.STORE, void, (address, zero)))
        kind = self._dialect.storage_type(buffer.dtype.base)
        self.text(f"{self._space}{kind} *const {name} = out{place} + {{0}};", begin)

    def _at(self, place: int, kind: str) -> str:
        return f"({self._space}{kind} *)(work + {place})"

    # blocks

    def _change_by_functions(self, region: Region, functions: RegionFunctions) -> None:
        """Computes arrays by functions that all work-items call, and changes the stacks.

        Where possible, functions write directly to the buffers for the next values of variables.
        """
        block = next(name for name, found in self._code.functions.items() if found is functions)
        places = self._workspace.of_block(block)
        self._wait()
        for line in self._given(region, places):
            self.text(escaped(line))
        targets = self._targets(region, functions)
        for array in functions.arrays:
            pointer = targets.get(array.name) or self._at(places[array.name], array.kind)
            self.text(f"{self._space}{array.kind} *const {array.name} = {pointer};")
        for call in functions.calls:
            self._wait()
            self.text(escaped(call))
        self._wait()
        self._exchange(region, functions.values, targets, places)

    def _wait(self) -> None:
        if self._group > 1:
            self.text(_BARRIER)

    def _given(self, region: Region, places: Mapping[str, int]) -> Iterator[str]:
        """C statements for the arguments of functions: pointers to arrays, and to copies of scalars in the memory of the group."""
        for slot, read in enumerate(region.reads):
            held, name = self._held[read.name], f"given{slot}"
            text, kind = held.below(read.depth), self._dialect.storage_type(held.held.dtype)
            if held.is_array:
                yield f"{self._space}{kind} *const {name} = {text};"
                continue
            yield f"{self._space}{kind} *const {name} = {self._at(places[name], kind)};"
            alone = "if (lane == 0) " if self._group > 1 else ""
            if held.held.dtype == float16:
                yield f"{alone}vstore_half({text}, 0, ({self._space}half *){name});"
            elif held.held.dtype == bfloat16:
                yield f"{alone}{name}[0] = (ushort)(as_uint({text}) >> 16);"
            else:
                yield f"{alone}{name}[0] = {text};"

    def _targets(self, region: Region, functions: RegionFunctions) -> dict[str, str]:
        """For arrays that functions write and a variable takes as its next value, that variable's buffer."""
        made = {array.name for array in functions.arrays}
        found: dict[str, str] = {}
        for held, effect in self._effects(region):
            if effect.pushes and held.is_array and isinstance(held, GroupHeld):
                name = functions.values[effect.pushes[-1]]
                if name in made:
                    found.setdefault(name, held.next)
        return found

    def _exchange(
        self, region: Region, names: Sequence[str], targets: Mapping[str, str], places: Mapping[str, int]
    ) -> None:
        """Changes the stacks: writes all next values before any becomes a top, so that variables may take each other's values."""
        graph = region.graph.src
        texts = {
            number: targets.get(name, name) if root.shape else scalar_of(name, root.dtype, self._space)
            for number, (name, root) in enumerate(zip(names, graph, strict=True))
        }
        if region.condition is not None:
            self.text(f"chosen = {texts[region.condition]};")
        effects = [*self._effects(region)]
        lines: list[str] = []
        covered: set[int] = set()
        for held, effect in effects:
            if not isinstance(held, GroupHeld) or not held.is_array:
                continue
            for number in effect.pushes[:-1]:
                if number not in covered:
                    covered.add(number)
                    kind, kept = held.kind(self._dialect), f"kept{number}"
                    lines.append(f"{self._space}{kind} *const {kept} = {self._at(places[kept], kind)};")
                    lines.append(held.assigned(kept, texts[number]))
            lines += held.prepared(effect.pops, [texts[number] for number in effect.pushes])
        for held, effect in effects:
            if isinstance(held, GroupHeld) and held.is_array:
                pushed = [f"kept{number}" for number in effect.pushes[:-1]]
                pushed += [held.next] if effect.pushes else []
                lines += held.exchanged(effect.pops, pushed)
            else:
                lines += held.changed(effect.pops, [texts[number] for number in effect.pushes])
        for line in lines:
            self.text(escaped(line))

    @contextmanager
    def _alone(self) -> Generator[None]:
        if self._group == 1:
            yield
            return
        self.text("if (lane == 0) {{")
        yield
        self.text("}}")


def _shared_by(held: Held, group: int) -> GroupHeld:
    """The variable as one of a group."""
    values = {field.name: getattr(held, field.name) for field in fields(Held)}
    return GroupHeld(**values, group=group)
