"""Compiles programs without stacks to explicit vectors, for processors: a work-item runs as many members at once as a vector has lanes.

Each lane holds the number of the block at which its member waits. Blocks run one after another, under a mask, for the lanes that wait there. A
loop of one block goes on until a lane leaves it. A lane whose member is done takes the next member, so the time depends on the mean of the
members' paths, not on the longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from eqsat.array.data import stand_in
from eqsat.autobatch.ir import EXIT, Block, BranchOp, GotoOp, Program, TensorType, VariableAllocation
from eqsat.autobatch.ir.operations import targets
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.opencl.indentation import indented
from eqsat.autobatch.opencl.instructions import Instructions
from eqsat.autobatch.opencl.names import identifiers
from eqsat.autobatch.regions import Read, Region, is_scalar
from eqsat.codegen import Dialect, RenderedKernel, render
from eqsat.codegen.expansion.lanes import broadcast, elementwise, repeated
from eqsat.dtype import DType, bool_, index, int32
from eqsat.machine import Machine
from eqsat.machine.prices import DIVISION_ALONE, DIVISIONS
from eqsat.ops import ALU, Op
from eqsat.support.reachability import reachable
from eqsat.uop import UOp, toposort

LANES = 16
_ROUNDS = 8  # iterations of a loop between two checks whether a lane has left it
_IDLE = -1  # the block number of a lane without a member
_ITERATIONS = (
    20  # predicted iterations of a loop: fewer than most have, for then lanes lose more than they could gain
)
_FETCHING = 100.0  # cycles to store the results of a finished member and load the next member into its lane


def have_lanes(program: Program, regions: Mapping[str, Region]) -> bool:
    """Whether a program can run in lanes: it has no stacks, computes only scalars, and has no 16-bit floats, which are stored differently."""
    names = (*program.var_alloc, *program.vars_in)
    held = [tensor_of(program.var_defs, name) for name in names if name in program.var_defs]
    return (
        VariableAllocation.FULL not in program.var_alloc.values()
        and all(isinstance(block.terminator, GotoOp | BranchOp) for block in program.graph.blocks)
        and not any(each.shape or (each.dtype.is_float and each.dtype.bits == 16) for each in held)
        and all(map(is_scalar, regions.values()))
    )


def gains(program: Program, regions: Mapping[str, Region], machine: Machine) -> bool:
    """Whether a member is predicted to take less time in a lane than by itself; it counts the loops, and fetching the member once."""
    loops = _loops(program)
    repeated = {name: region for name, region in regions.items() if name in loops}
    recurring = _recurring_divisions(repeated.values())
    alone = in_lanes = 0.0
    for name, region in repeated.items():
        itself, vectors = _cycles(region, machine, recurring)
        share = 1.0 if name in targets(program.graph.by_name[name].terminator) else 0.5
        alone += share * (itself + machine.cycles(Op.END, int32))
        in_lanes += vectors / LANES
    waste = _ROUNDS / 2  # mean iterations of a loop after a lane has left it
    return (_ITERATIONS + waste) * in_lanes + _FETCHING < _ITERATIONS * alone + machine.exit_cycles


def lane_kernel(
    program: Program, regions: Mapping[str, Region], dialect: Dialect, name: str
) -> RenderedKernel:
    """Renders the kernel. It has the arguments of `Kernel`: the inputs, the outputs, and a status for each member, an int32 that is 0."""
    return _LaneKernel(program, regions, dialect, name).rendered()


def _loops(program: Program) -> set[str]:
    """The blocks that lie in a loop: each can be reached from itself."""
    following = {block.name: set(targets(block.terminator)) - {EXIT} for block in program.graph.blocks}
    return {name for name, after in following.items() if name in reachable(after, following.__getitem__)}


def _recurring_divisions(regions: Iterable[Region]) -> set[UOp]:
    """The divisions in the blocks of loops for whose results the next iteration waits, as in `a, b = b, a % b`, but not in `if n % d == 0`."""
    following: dict[str, set[str]] = {}  # the variables that are computed from each variable
    divisions: list[tuple[UOp, frozenset[str], set[str]]] = []  # what each is computed from, and what from it
    for region in regions:
        origins: dict[UOp, frozenset[str]] = {}
        users: dict[UOp, set[str]] = {}
        for node in toposort(region.graph.src):
            own = {_read(region, node).name} if node.op is Op.PARAM else set[str]()
            origins[node] = frozenset(own).union(*(origins[each] for each in node.src))
        for name, effect in region.effects.items():
            for node in toposort([region.graph.src[number] for number in effect.pushes]):
                users.setdefault(node, set()).add(name)
                for origin in origins[node]:
                    following.setdefault(origin, set()).add(name)
        divisions += [
            (node, origins[node], users.get(node, set())) for node in origins if node.op in DIVISIONS
        ]

    def after(name: str) -> Iterable[str]:
        return following.get(name, ())

    def recurs(origins: frozenset[str], users: set[str]) -> bool:
        return not origins.isdisjoint(reachable(users, after))

    return {node for node, origins, users in divisions if recurs(origins, users)}


def _read(region: Region, param: UOp) -> Read:
    slot: int = param.arg[0]
    return region.reads[slot]


def _cycles(region: Region, machine: Machine, recurring: Set[UOp]) -> tuple[float, float]:
    """The cycles of a block for one member alone, and for all lanes together, including the selection of results by a mask."""
    alone = in_lanes = 0.0
    for node in toposort(region.graph.src):
        if node.op not in ALU:
            continue
        operand = node.src[-1].dtype
        assert isinstance(operand, DType)
        by_constant = node.op in DIVISIONS and node.src[1].op is Op.CONST
        cycles = (machine.cycles_by_constant if by_constant else machine.cycles)(node.op, operand)
        in_lanes += cycles * LANES * operand.itemsize / machine.vector_bytes
        if by_constant:
            alone += DIVISION_ALONE.by_constant
        elif node.op in DIVISIONS:
            alone += DIVISION_ALONE.result if node in recurring else DIVISION_ALONE.busy
        else:
            alone += cycles
    for effect in region.effects.values():
        for number in effect.pushes:
            held = region.graph.src[number].dtype
            assert isinstance(held, DType)
            in_lanes += machine.cycles(Op.WHERE, held) * LANES * held.itemsize / machine.vector_bytes
    return alone, in_lanes


@dataclass(frozen=True, slots=True)
class _Lanes:
    """A variable with a value for each lane.

    Attributes:
        name: the identifier of its vector; `{name}_lanes` is the array through which single lanes are exchanged.
        held: its dtype.
    """

    name: str
    held: DType

    @property
    def carried(self) -> DType:
        """The dtype of its lanes: int32 for bools, since OpenCL C has no vectors of bools."""
        return int32 if self.held.is_bool else self.held


class _LaneKernel:
    def __init__(self, program: Program, regions: Mapping[str, Region], dialect: Dialect, name: str) -> None:
        self._program = program
        self._regions = regions
        self._dialect = dialect
        self._name = name
        self._code = Instructions()
        names = identifiers(dict.fromkeys((*program.var_alloc, *program.vars_in)), "lane")
        self._variables = {
            variable: _Lanes(identifier, tensor_of(program.var_defs, variable).dtype)
            for variable, identifier in names.items()
        }
        self._numbers = {block.name: number for number, block in enumerate(program.graph.blocks)}
        self._numbers[EXIT] = len(program.graph.blocks)
        self._fixed: dict[UOp, str] = {}  # the C variables of values that depend on no variable

    def rendered(self) -> RenderedKernel:
        """Renders the kernel."""
        code, program = self._code, self._program
        slots = (*program.vars_in, *program.outputs)
        buffers = [
            code.buffer(slot, TensorType(self._variables[name].held)) for slot, name in enumerate(slots)
        ]
        status = code.buffer(len(slots), TensorType(int32))
        self._declare()
        code.text("for (;;) {{")
        self._fetch(buffers[: len(program.vars_in)], buffers[len(program.vars_in) :], status)
        code.text("do {{")
        for block in program.graph.blocks:
            self._block(block)
        code.text(f"}}}} while (!any(at == {self._numbers[EXIT]}));")
        code.text("}}")
        found = render(code.linear(self._name), self._dialect)
        return replace(found, source=indented(found.source, self._name))

    def _declare(self) -> None:
        code = self._code
        batch, chunk = code.variable("batch"), code.variable("chunk")
        item = code.add(UOp(Op.SPECIAL, index, (code.add(UOp(Op.CONST, index, (), 1)),), "gid0"))
        code.text("long next = {0} * {1};", item, chunk)
        code.text("const long end = min((long){0}, next + {1});", batch, chunk)
        code.text(f"long members[{LANES}] = {{{{0}}}};")
        code.text(f"int waits[{LANES}];")
        code.text(f"{self._type(int32)} at = {_IDLE};")
        for variable in self._variables.values():
            code.text(f"{self._type(variable.carried)} {variable.name} = 0;")
        for variable in self._exchanged():
            kind = self._dialect.value_type(variable.carried)
            code.text(f"{kind} {variable.name}_lanes[{LANES}];")
        for region in self._regions.values():
            self._fix(region)

    def _fix(self, region: Region) -> None:
        """Computes values that depend on no variable before all blocks: several blocks may use them, and a block's declarations are local to it."""
        fixed: set[UOp] = set()
        for node in toposort(region.graph.src):
            if node.op is Op.PARAM or not fixed.issuperset(node.src):
                continue
            fixed.add(self._code.add(node))
            if node.op is not Op.CONST and node not in self._fixed:
                self._fixed[node] = f"fixed{len(self._fixed)}"
                assert isinstance(node.dtype, DType)
                kind = self._dialect.value_type(node.dtype)
                self._code.text(f"const {kind} {self._fixed[node]} = {{0}};", node)

    def _exchanged(self) -> list[_Lanes]:
        """The variables that are stored or loaded when a lane takes another member: the inputs and outputs."""
        names = dict.fromkeys((*self._program.vars_in, *self._program.outputs))
        return [self._variables[name] for name in names]

    def _fetch(self, inputs: Sequence[UOp], outputs: Sequence[UOp], status: UOp) -> None:
        """Stores the results of finished members, and loads the next members into their lanes."""
        code, done = self._code, self._numbers[EXIT]
        code.text(f"vstore{LANES}(at, 0, waits);")
        for variable in self._exchanged():
            code.text(f"vstore{LANES}({variable.name}, 0, {variable.name}_lanes);")
        code.text("bool are_done = true;")
        code.text(f"for (int lane = 0; lane < {LANES}; lane++) {{{{")
        code.text(f"if (waits[lane] == {done}) {{{{")
        member = code.value("members[lane]", index)
        for name, buffer in zip(self._program.outputs, outputs, strict=True):
            variable = self._variables[name]
            text = f"{variable.name}_lanes[lane]{' != 0' if variable.held.is_bool else ''}"
            code.store(buffer, member, code.value(text, variable.held))
        code.store(status, member, code.value("0", int32))
        code.text(f"waits[lane] = {_IDLE};")
        code.text("}}")
        code.text(f"if (waits[lane] == {_IDLE} && next < end) {{{{")
        member = code.value("next", index)
        for name, buffer in zip(self._program.vars_in, inputs, strict=True):
            code.text(f"{self._variables[name].name}_lanes[lane] = {{0}};", code.load(buffer, member))
        code.text(f"waits[lane] = {self._numbers[self._program.graph.entry]};")
        code.text("members[lane] = next++;")
        code.text("}}")
        code.text(f"are_done &= waits[lane] == {_IDLE};")
        code.text("}}")
        code.text("if (are_done) break;")
        code.text(f"at = vload{LANES}(0, waits);")
        for name in self._program.vars_in:
            variable = self._variables[name]
            code.text(f"{variable.name} = vload{LANES}(0, {variable.name}_lanes);")

    def _block(self, block: Block) -> None:
        """Runs a block for the lanes that wait there; a block that loops to itself runs until one of these lanes has left it."""
        code, number = self._code, self._numbers[block.name]
        code.text(f"if (any(at == {number})) {{{{")
        repeats = block.name in targets(block.terminator)
        if repeats:
            code.text(f"const {self._type(int32)} entered = at == {number};")
            code.text(f"do {{{{ for (int round = 0; round < {_ROUNDS}; round++) {{{{")
        self._change(block, number)
        if repeats:
            code.text(f"}}}} }}}} while (!any(entered & (at != {number})));")
        code.text("}}")

    def _change(self, block: Block, number: int) -> None:
        code, region = self._code, self._regions[block.name]
        at = code.value("at", int32.vec(LANES))
        here = _equal(at, number)
        values = [broadcast(value, LANES) for value in self._values(region)]
        match block.terminator:
            case BranchOp(_, true_block, false_block):
                assert region.condition is not None
                following = _chosen(
                    values[region.condition], self._number(true_block), self._number(false_block)
                )
            case terminator:
                following = self._number(targets(terminator)[0])
        changed = {"at": _chosen(here, following, at)}
        for name, effect in region.effects.items():
            if name in self._variables and effect.pushes:
                variable = self._variables[name]
                before = code.value(variable.name, variable.carried.vec(LANES))
                changed[variable.name] = _chosen(here, _carried(values[effect.pushes[-1]]), before)
        code.add_all(list(changed.values()))
        for name, value in changed.items():
            code.text(f"{name} = {{0}};", value)

    def _values(self, region: Region) -> list[UOp]:
        """The values of a region as vectors, computed from the present values of variables."""
        used = set(toposort(region.graph.src))
        found: dict[UOp, UOp] = {}
        for slot, read in enumerate(region.reads):
            variable = self._variables[read.name]
            given = stand_in(slot, (), variable.held)
            if given in used:
                lanes = self._code.value(variable.name, variable.carried.vec(LANES))
                found[given] = _truth(lanes) if variable.held.is_bool else lanes
        for node in toposort(region.graph.src):
            if node in self._fixed:
                assert isinstance(node.dtype, DType)
                found[node] = self._code.value(self._fixed[node], node.dtype)
            elif node not in found and node.op is not Op.PARAM:
                found[node] = elementwise(node, [found[each] for each in node.src]) if node.src else node
        return [found[root] for root in region.graph.src]

    def _number(self, block: str) -> UOp:
        return broadcast(UOp.const(int32, self._numbers[block]), LANES)

    def _type(self, dtype: DType) -> str:
        return self._dialect.value_type(dtype.vec(LANES))


def _equal(vector: UOp, number: int) -> UOp:
    """A mask of the lanes that hold a number."""
    mask = bool_.vec(LANES)
    differs = UOp(Op.CMPNE, mask, (vector, broadcast(UOp.const(int32, number), LANES)))
    return UOp(Op.CMPNE, mask, (differs, broadcast(UOp.const(bool_, True), LANES)))


def _truth(vector: UOp) -> UOp:
    """The lanes of an int32 vector as bools."""
    return UOp(Op.CMPNE, bool_.vec(LANES), (vector, broadcast(UOp.const(int32, 0), LANES)))


def _carried(value: UOp) -> UOp:
    """The lanes of a bool vector as int32; other vectors as they are."""
    if not value.dtype.scalar.is_bool:
        return value
    return _chosen(value, *(broadcast(UOp.const(int32, number), LANES) for number in (1, 0)))


def _chosen(mask: UOp, value: UOp, otherwise: UOp) -> UOp:
    """The lanes of `value` where the mask is true, else of `otherwise`; a constant mask needs no selection."""
    constant = repeated(mask)
    if constant is not None and constant.op is Op.CONST:
        return value if constant.arg else otherwise
    return UOp(Op.WHERE, otherwise.dtype, (mask, value, otherwise))
