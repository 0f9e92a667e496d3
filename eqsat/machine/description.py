"""One machine, as everything that chooses among programs sees it: extraction, suggestions of rules, and schedules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from eqsat.dtype import DType, PtrDType, float32, int32
from eqsat.machine.prices import WIDE, WIDE_BYTES, price, price_by_constant
from eqsat.ops import Op

ANY = "any"  # element type
CORE_BANDWIDTH = 21e9  # bytes per second that one core draws from memory, until the memory is busy
SELECTED = (2, 3, 4)  # elements from one lane to the next at which code loads whole vectors and selects lanes
PRODUCTS = frozenset({Op.MUL, Op.MULACC})
OF_FLOATS = frozenset({Op.ADD, Op.SUB, Op.MAX, Op.MIN, Op.CMPLT, Op.CMPNE})  # that units for floats carry out
OF_MEMORY = frozenset({Op.LOAD, Op.STORE, Op.BARRIER})  # that units have in common
TILE_ROWS = 16  # of a matrix register
TILE_WORDS = 16  # of a row, of four bytes, and lanes of a vector of columns
TILE_VECTORS = 4  # of columns, that rows are multiplied with at once at most: so many registers hold sums
MEMORY_BANDWIDTH = 200e9  # bytes per second of a server's memory


class OwnPrice(NamedTuple):
    """What an operation takes on one machine.

    Attributes:
        op: its name.
        dtype: the name of its element type, or `ANY`.
        cycles: of one core, for one vector register of elements.
    """

    op: str
    dtype: str
    cycles: float


@dataclass(frozen=True)
class Machine:
    """Rates, sizes and prices of one device; the defaults are two Zen 4 cores under PoCL 3.0 (AVX2 code).

    Attributes:
        cores: compute units that run work-groups side by side.
        vector_bytes: of one vector register.
        float_passes: of a whole vector register through the units for floats and for products, which may take half of one at a time.
        vector_registers: of one core.
        frequency: cycles per second.
        bandwidth: bytes per second from memory, all cores together.
        cache_bytes: of level 1 and level 2 per core, level 3 shared.
        cache_bytes_per_cycle: from level 2 and level 3, per core.
        way_bytes: of each level: elements so far apart share a set of it, below the size of a page. Level 3 spreads its lines.
        local_bytes: local memory of a work-group at most.
        line_bytes: that a cache fetches together.
        jump_bytes: what the memory could have delivered where elements side by side end, and the next are elsewhere.
        visit_bytes: likewise each time that a loop's body comes back to elements that it walks along.
        cached_delays: what of these delays is left where the elements are in level 3.
        launch_seconds: host and driver time per kernel when kernels are queued together.
        group_seconds: to start one work-group.
        instruction_seconds: to fetch and decode one instruction for the first time; of equals, the shorter body wins.
        accumulate_cycles: from one multiply-add to the next on the same register.
        sum_cycles: likewise from one sum of floats to the next.
        dot_cycles: likewise from one sum of products of bytes (DOT) to the next.
        combine_cycles: to halve a vector of accumulators: take its upper half, add.
        exit_cycles: to leave a loop, whose last branch is predicted wrongly.
        crossing_cycles: of a load whose lanes are in two cache lines, besides the second access: what computes does not hide it.
        gate_cycles: to test that all lanes of a vector are inside, and branch.
        gather_cycles: to put a lane, loaded or stored alone, into its vector or take it out.
        select_cycles: to take the lanes that are wanted out of one register of others.
        shuffle_cycles: to put lanes of two registers into one.
        gated_lane_cycles: besides, to test that it is inside.
        irregular_lane_cycles: besides, to compute its address.
        gathered_lane_cycles: in place of both, where the address is an element that was read: to take it out of its vector, and to test it.
        far_lane_cycles: besides, where each lane is in a cache line of its own.
        missed_store_cycles: of a lane, stored alone, whose line the stores before it have driven out of level 1.
        spill_cycles: of a register written to the stack and read back, and what waits for it.
        latency_cycles: from a load to its use, of what level 1, level 2 and memory have, in loops that run in order; 0 where cores run ahead.
        local_size: preferred work-items per group; 1 where explicit vectors do better.
        units: that compute side by side, in times of those of a processor: what a price says, they do in a part of the cycles.
        resident_items, resident_words: work-items that a core has begun at once at most, and elements of 4 bytes that all their registers have.
        load_cycles: from a load to its use, while other groups may compute; nothing where a core foresees what is loaded, and computes ahead.
        sub_group: work-items of a sub-group, whose lanes exchange values without local memory; 1 where the device has none.
        vector_widths: lanes of explicit vectors that compile well.
        streamed_instructions: for each vector that is stored past the caches at most: stores that come further apart take longer than others.
        passing_bytes: that pass through the last cache from one run of a kernel to the next, at least: what the program around it touches. It is no
            rate of the machine: `within` sets it.
        prices: of operations that take something else on this machine than `eqsat.machine.prices` says.
    """

    cores: int = 2
    vector_bytes: int = 32
    float_passes: float = 1.0
    vector_registers: int = 16
    frequency: float = 3.6e9
    bandwidth: float = 2 * CORE_BANDWIDTH
    cache_bytes: tuple[int, int, int] = (32 << 10, 1 << 20, 32 << 20)
    cache_bytes_per_cycle: tuple[float, float] = (32.0, 12.0)
    way_bytes: tuple[int, int, int] = (4 << 10, 4 << 10, 64)
    local_bytes: int = 1 << 19
    line_bytes: float = 64.0
    jump_bytes: float = 320.0  # this and the next by kernels of 29 programs under drawn loops
    visit_bytes: float = 25.0
    cached_delays: float = 0.3
    launch_seconds: float = 10e-6
    group_seconds: float = 6e-9
    instruction_seconds: float = 5e-9
    accumulate_cycles: float = 4.0
    sum_cycles: float = 4.0
    dot_cycles: float = 5.0
    combine_cycles: float = 1.5
    exit_cycles: float = 20.0
    crossing_cycles: float = 0.0
    gate_cycles: float = 3.0
    gather_cycles: float = 1.0
    select_cycles: float = 0.8
    shuffle_cycles: float = 0.5
    gated_lane_cycles: float = 6.0
    irregular_lane_cycles: float = 8.0
    gathered_lane_cycles: float = 1.0
    far_lane_cycles: float = 1.0
    missed_store_cycles: float = 9.0
    spill_cycles: float = 3.0
    latency_cycles: tuple[float, float, float] = (0.0, 0.0, 0.0)
    local_size: int = 1
    units: float = 1.0
    resident_items: int = 1
    resident_words: int = 1 << 10
    load_cycles: float = 0.0
    sub_group: int = 1
    vector_widths: tuple[int, ...] = (4, 8, 16)
    streamed_instructions: float = 12.0
    passing_bytes: float = 0.0
    prices: tuple[OwnPrice, ...] = ()

    def cycles(self, op: Op, dtype: DType | PtrDType) -> float:
        """Cycles that one core is busy with one vector register's worth of an operation.

        Args:
            op: the operation; of a reduction the one that it applies.
            dtype: of the elements; of a comparison those that are compared, of a pointer those that it points to.

        Raises:
            MachineError: the operation has no price.

        >>> from eqsat.dtype import float32
        >>> Machine().cycles(Op.SQRT, float32), Machine(prices=(OwnPrice("SQRT", "float32", 4.5),)).cycles(Op.SQRT, float32)
        (6.0, 4.5)
        """
        found = self._asked.get((op, dtype))
        if found is None:
            element = (dtype if isinstance(dtype, DType) else dtype.base).scalar
            found = self._own.get((op.name, element.name), self._own.get((op.name, ANY)))
            found = self._usual(op, element) if found is None else found
            self._asked[op, dtype] = found
        return found

    def cycles_by_constant(self, op: Op, dtype: DType | PtrDType) -> float:
        """The same of an operation whose last operand is a constant.

        >>> from eqsat.dtype import int32
        >>> Machine().cycles(Op.FLOORDIV, int32), Machine().cycles_by_constant(Op.FLOORDIV, int32)
        (48.0, 6.0)
        """
        element = (dtype if isinstance(dtype, DType) else dtype.base).scalar
        known = price_by_constant(op, element)
        return self.cycles(op, dtype) if known is None else known.cycles / self.units

    def _usual(self, op: Op, element: DType) -> float:
        """By the table of prices, which is of registers of 32 bytes."""
        cycles = price(op, element).cycles * self.wide(op, element)
        return cycles if op in OF_MEMORY else cycles / self.units

    def wide(self, op: Op, element: DType) -> float:
        """What a whole register of an operation takes in times of half of one, which is at least 1."""
        if op in PRODUCTS or (op in OF_FLOATS and element.is_float):
            return self.float_passes
        return WIDE.get(op, 1.0) if self.vector_bytes == WIDE_BYTES else 1.0

    @cached_property
    def _asked(self) -> dict[tuple[Op, DType | PtrDType], float]:
        """Prices that were asked for; a graph asks for the same ones thousands of times."""
        return {}

    @cached_property
    def _own(self) -> dict[tuple[str, str], float]:
        return {(row.op, row.dtype): row.cycles for row in self.prices}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    @property
    def tile_cycles(self) -> float:
        """Of one product of bytes by matrix registers: of `TILE_ROWS` rows of 16 words and 16 columns; 0 where there are none.

        >>> Machine().tile_cycles, Machine(prices=(OwnPrice("WMMA", "int32", 16.0),)).tile_cycles
        (0.0, 16.0)
        """
        return self._own.get((Op.WMMA.name, int32.name), 0.0)

    def from_memory(self, touched: float) -> float:
        """The share of `touched` bytes that comes from memory, run after run: what the last cache has lost since the run before.

        That cache is shared with whatever else runs, and what passes through it in turns drives out what comes next, so it holds three
        eighths of its size reliably, and nothing of what is larger than nine eighths.

        >>> [Machine().from_memory(size << 20) for size in (8, 12, 24, 36, 64)]
        [0.0, 0.0, 0.5, 1.0, 1.0]
        """
        passing = max(touched, self.passing_bytes)
        return min(1.0, max(0.0, (passing / self.cache_bytes[-1] - 3 / 8) / (3 / 4)))

    def within(self, program_bytes: float) -> Machine:
        """The machine as kernels of a program see it whose inputs and results have so many bytes.

        >>> Machine().within(64 << 20).from_memory(1 << 20)
        1.0
        """
        return replace(self, passing_bytes=float(program_bytes))

    @property
    def lanes(self) -> int:
        """Elements of 4 bytes in one vector register."""
        return self.vector_bytes // 4

    @property
    def waits(self) -> bool:
        """Whether a work-item waits for what it loads, so that others have to run meanwhile."""
        return any(self.latency_cycles)

    @property
    def operations_per_second(self) -> float:
        """Multiply-adds of elements of 4 bytes, all cores together."""
        return self.cores * self.frequency * self.lanes / self.cycles(Op.MULACC, float32)


PROCESSOR = Machine()
"""A processor of which nothing else is known."""

GRAPHICS = replace(
    PROCESSOR,
    cores=32,
    vector_bytes=128,  # 32 lanes of 4 bytes
    vector_registers=256,
    frequency=1.5e9,
    bandwidth=500e9,
    launch_seconds=5e-6,
    group_seconds=20e-9,
    cache_bytes=(192 << 10, 192 << 10, 4 << 20),  # no unit has a second level of its own
    cache_bytes_per_cycle=(128.0, 21.0),
    jump_bytes=32.0,  # a sector: other groups wait for memory meanwhile, and rows of it are gathered from all of them
    visit_bytes=1.0,
    local_bytes=48 << 10,
    latency_cycles=(100.0, 300.0, 800.0),
    local_size=256,
    units=2.0,  # four instructions a cycle, each of them for all lanes
    resident_items=2048,
    resident_words=1 << 16,
    load_cycles=900.0,
    vector_widths=(2, 4),
    prices=(OwnPrice(Op.LOAD.name, ANY, 1.0), OwnPrice(Op.STORE.name, ANY, 4.0)),
)
"""A mid-range graphics processor of which the driver says little: one vector unit per compute unit, copies of 16 bytes per work-item."""
