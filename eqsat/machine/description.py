"""The description of one machine, used by everything that chooses among programs: extraction, suggestions of rules, and schedules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from eqsat.dtype import DType, PtrDType, float32, float64, index, int32
from eqsat.machine.numbers import MOST, require_machine
from eqsat.machine.prices import ANY, WIDE, WIDE_BYTES, WIDE_PICKED, OwnPrice, price, price_by_constant
from eqsat.ops import ALU, Op

CORE_BANDWIDTH = (
    21e9  # bytes per second that each core draws from memory while all do, until the memory is busy
)
ALONE_TIMES = 1.5  # what a core draws while the others are idle, relative to that; of two cores, one alone gets 3/4 of what both get
SELECTED = {2: (2,), 3: (3,), 4: (2, 2), 5: (5,), 6: (2, 3), 8: (2, 2, 2)}
"""Strides between lanes, in elements, at which code loads whole vectors and selects lanes, each with its prime factors: a step for each of them."""
SELECTED_BYTES = 24  # greatest of these strides in bytes, unless it is in `INTERLEAVED`: at 32, loops over rows take no longer
INTERLEAVED = (2, 3, 4)  # strides at which stores are interleaved, in elements
NARROW = 4  # bytes of the widest lanes that are selected in steps; of wider ones, compilers select better from all vectors at once
OF_MEMORY = frozenset({Op.LOAD, Op.STORE, Op.BARRIER})  # operations for which arithmetic units share ports
TILE_ROWS = 16  # rows of a matrix register
TILE_WORDS = 16  # 4-byte words of a row, and lanes of a vector of columns
TILE_VECTORS = 4  # most vectors of columns to multiply rows with at once, each with a register of sums
MEMORY_BANDWIDTH = 200e9  # bytes per second of a server's memory


@cache
def selected_strides(itemsize: int) -> tuple[int, ...]:
    """The strides at which lanes of so many bytes are selected from whole loads, in elements.

    >>> selected_strides(1), selected_strides(4)
    ((2, 3, 4, 5, 6, 8), (2, 3, 4, 5, 6))
    """
    return tuple(step for step in SELECTED if step in INTERLEAVED or step * itemsize <= SELECTED_BYTES)


@dataclass(frozen=True)
class Machine:
    """Rates, sizes and prices of one device; the defaults are two Zen 4 cores under PoCL 3.0 (AVX2 code).

    Attributes:
        cores: compute units that run work-groups side by side.
        vector_bytes: bytes of one vector register.
        passes: passes of a whole vector register through units and load ports; 2 if they take half a register at a time.
        vector_registers: vector registers of one core.
        frequency: cycles per second.
        bandwidth: bytes per second from memory, all cores together.
        cache_bytes: bytes of level 1 and level 2 per core, and of the shared level 3.
        cache_bytes_per_cycle: bytes per cycle from level 2 and level 3, per core.
        way_bytes: bytes of one way of each level, at most a page: elements so far apart share a set. Level 3 spreads its lines, so it has a line.
        local_bytes: most bytes of local memory of a work-group.
        line_bytes: bytes of a cache line.
        jump_bytes: bytes that the memory could have delivered in the delay where a contiguous stretch ends and the next one is elsewhere.
        visit_bytes: likewise for the delay each time that a loop body returns to a stretch that it walks along.
        cached_delays: the share of these delays that remains if the elements are in level 3.
        launch_seconds: host and driver seconds per kernel when kernels are queued together.
        group_seconds: seconds to start one work-group.
        instruction_seconds: seconds to fetch and decode one instruction for the first time, so that the shorter of two equally fast bodies wins.
        accumulate_cycles: latency from one multiply-add to the next on the same register.
        sum_cycles: likewise from one sum of floats to the next.
        dot_cycles: likewise from one sum of products of bytes (DOT) to the next.
        combine_cycles: cycles to halve a vector of accumulators: extract its upper half and add it.
        exit_cycles: cycles to leave a loop, whose last branch is mispredicted.
        crossing_cycles: cycles of a load whose lanes are in two cache lines, besides the second access; arithmetic does not hide them.
        gate_cycles: cycles to test that all lanes of a vector are inside, and branch.
        gather_cycles: cycles to insert a lane that is loaded alone into its vector, or to extract one that is stored alone.
        select_cycles: cycles to select the wanted lanes from one register of loaded ones.
        shuffle_cycles: cycles to shuffle lanes of two registers into one.
        gated_lane_cycles: further cycles of such a lane that is gated, to test that it is inside.
        irregular_lane_cycles: further cycles of such a lane at no constant stride, to compute its address.
        gathered_lane_cycles: cycles instead of both if the address is a loaded element: to extract it from its vector, and to test it.
        far_lane_cycles: further cycles of such a lane if each lane is in a cache line of its own.
        missed_store_cycles: cycles of a lane that is stored alone, and whose line earlier stores have evicted from level 1.
        spill_cycles: cycles to write a register to the stack and read it back, and of the instructions that wait for it.
        latency_cycles: cycles from a load to its use, from level 1, level 2 and memory, in loops that run in order; 0 if cores execute ahead.
        local_size: preferred work-items per group; 1 if explicit vectors are better.
        units: arithmetic units relative to a processor's; arithmetic prices are divided by this number.
        resident_items, resident_words: most work-items resident on a core, and 4-byte registers that they have together.
        load_cycles: cycles from a load to its use, in which other groups may compute; 0 if a core prefetches and computes ahead.
        sub_group: work-items of a sub-group, which exchange values without local memory; 1 if the device has no sub-groups.
        vector_widths: lanes of explicit vectors that compile well.
        streamed_instructions: most instructions for each stored vector for which stores bypass the caches. If more instructions lie between them,
            such stores take longer than others.
        passing_bytes: least bytes that pass through the last cache between two runs of a kernel, because the program around it touches them.
            This is no property of the machine: `within` sets it.
        prices: prices of operations that differ on this machine from `eqsat.machine.prices`.
    """

    cores: int = 2
    vector_bytes: int = 32
    passes: float = 1.0
    vector_registers: int = 16
    frequency: float = 3.6e9
    bandwidth: float = 2 * CORE_BANDWIDTH
    cache_bytes: tuple[int, int, int] = (32 << 10, 1 << 20, 32 << 20)
    cache_bytes_per_cycle: tuple[float, float] = (32.0, 12.0)
    way_bytes: tuple[int, int, int] = (4 << 10, 4 << 10, 64)
    local_bytes: int = 1 << 19
    line_bytes: float = 64.0
    jump_bytes: float = 320.0  # this and the next are fitted to kernels of 29 programs under random loops
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

    def __post_init__(self) -> None:
        """Checks the fields.

        Raises:
            MachineError: a field has another type, or a value that no machine has.
        """
        require_machine(self)

    def cycles(self, op: Op, dtype: DType | PtrDType) -> float:
        """Cycles that one core is busy with one vector register's worth of an operation.

        Args:
            op: the operation; for a reduction, the operation that it applies.
            dtype: the element type; for a comparison that of its operands, for a pointer that of the elements that it points to.

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
        """Like `cycles`, for an operation one of whose operands is a constant: the last one of a division.

        >>> from eqsat.dtype import int32
        >>> Machine().cycles(Op.FLOORDIV, int32), Machine().cycles_by_constant(Op.FLOORDIV, int32)
        (48.0, 3.5)
        """
        element = (dtype if isinstance(dtype, DType) else dtype.base).scalar
        known = price_by_constant(op, element)
        if known is None:
            return self.cycles(op, dtype)
        return known.cycles * (self.passes if element.is_float else 1.0) / self.units

    def _usual(self, op: Op, element: DType) -> float:
        """The price by the common table, which is for registers of 32 bytes, adapted to this machine's registers and units."""
        cycles = price(op, element).cycles * self.wide(op, element)
        return cycles if op in OF_MEMORY else cycles / self.units

    def wide(self, op: Op, element: DType) -> float:
        """The time of an operation on a whole register relative to half a register; less than 1 where it has fewer instructions."""
        if op in WIDE and self.vector_bytes == WIDE_BYTES:
            return WIDE[op] if element == float64 else WIDE_PICKED.get(op, WIDE[op])
        return self.passes if op in ALU and element != index else 1.0

    @cached_property
    def _asked(self) -> dict[tuple[Op, DType | PtrDType], float]:
        """A cache of prices: a graph asks for the same ones thousands of times."""
        return {}

    @cached_property
    def _own(self) -> dict[tuple[str, str], float]:
        return {(row.op, row.dtype): row.cycles for row in self.prices}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    @property
    def tile_cycles(self) -> float:
        """Cycles of one product of bytes by matrix registers: `TILE_ROWS` rows of 16 words times 16 columns; 0 without such registers.

        >>> Machine().tile_cycles, Machine(prices=(OwnPrice("WMMA", "int32", 16.0),)).tile_cycles
        (0.0, 16.0)
        """
        return self._own.get((Op.WMMA.name, int32.name), 0.0)

    @property
    def core_bandwidth(self) -> float:
        """Bytes per second that one core draws from memory while the others are idle; more of them draw so much each, up to `bandwidth`.

        Not all cores of a server are needed to draw its whole bandwidth: at `CORE_BANDWIDTH` each, ten are enough.

        >>> [round(Machine(cores=n, bandwidth=b).core_bandwidth / 1e9, 1) for n, b in ((1, 21e9), (2, 42e9), (64, 200e9))]
        [31.5, 31.5, 31.5]
        """
        enough = max(self.bandwidth, MEMORY_BANDWIDTH) / CORE_BANDWIDTH
        return ALONE_TIMES * self.bandwidth / min(self.cores, enough)

    def from_memory(self, touched: float) -> float:
        """The share of `touched` bytes that comes from memory in each run, because the last cache has lost them since the run before.

        Other programs share that cache, and data that pass through it in turns evict each other. So it reliably holds data up to three eighths
        of its size, and nothing of data above nine eighths of it.

        >>> [Machine().from_memory(size << 20) for size in (8, 12, 24, 36, 64)]
        [0.0, 0.0, 0.5, 1.0, 1.0]
        """
        passing = max(touched, self.passing_bytes)
        return min(1.0, max(0.0, (passing / self.cache_bytes[-1] - 3 / 8) / (3 / 4)))

    def from_level3(self, touched: float) -> float:
        """The share of `touched` bytes that a core does not find in its own level 2, where it had them in the run before.

        The cores run the same parts of a kernel again, so that their caches together hold data of up to half of their size, and nothing of data
        that take half as much again as they have. Graphics processors keep nothing so near from one kernel to the next.

        >>> [Machine().from_level3(size << 20) for size in (1, 2, 3)], GRAPHICS.from_level3(1 << 10)
        ([0.0, 0.5, 1.0], 1.0)
        """
        if self.has_groups:
            return 1.0
        passing = max(touched, self.passing_bytes)
        return min(1.0, max(0.0, passing / (self.cores * self.cache_bytes[1]) - 1 / 2))

    def within(self, program_bytes: float) -> Machine:
        """The machine as seen by the kernels of a program whose inputs and results have so many bytes.

        >>> Machine().within(64 << 20).from_memory(1 << 20)
        1.0
        """
        return replace(self, passing_bytes=min(float(program_bytes), MOST))

    @property
    def lanes(self) -> int:
        """Elements of 4 bytes in one vector register."""
        return self.vector_bytes // 4

    @property
    def waits(self) -> bool:
        """Whether a work-item waits for its loads, so that others have to run meanwhile."""
        return any(self.latency_cycles)

    @property
    def has_groups(self) -> bool:
        """Whether work-items run in groups, as the lanes of registers, as on graphics cards."""
        return self.local_size > 1

    @property
    def operations_per_second(self) -> float:
        """Multiply-adds of 4-byte elements per second, all cores together."""
        return self.cores * self.frequency * self.lanes / self.cycles(Op.MULACC, float32)


PROCESSOR = Machine()
"""A processor about which nothing else is known."""

GRAPHICS = replace(
    PROCESSOR,
    cores=32,
    vector_bytes=128,  # 32 lanes of 4 bytes
    vector_registers=256,
    frequency=1.5e9,
    bandwidth=500e9,
    launch_seconds=5e-6,
    group_seconds=20e-9,
    cache_bytes=(192 << 10, 192 << 10, 4 << 20),  # units have no second level of their own
    cache_bytes_per_cycle=(128.0, 21.0),
    jump_bytes=32.0,  # a sector: memory serves other groups meanwhile, and gathers the accesses of all groups by row
    visit_bytes=1.0,
    local_bytes=48 << 10,
    latency_cycles=(100.0, 300.0, 800.0),
    local_size=256,
    units=2.0,  # four instructions per cycle, each for all lanes
    resident_items=2048,
    resident_words=1 << 16,
    load_cycles=900.0,
    vector_widths=(2, 4),
    prices=(OwnPrice(Op.LOAD.name, ANY, 1.0), OwnPrice(Op.STORE.name, ANY, 4.0)),
)
"""A mid-range graphics processor about which the driver says little: one vector unit per compute unit, copies of 16 bytes per work-item."""
