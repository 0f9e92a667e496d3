"""Pools of memory for results and temporaries.

The page faults of fresh memory cost more than most kernels that fill it (measured for a result of 64 MiB: 5.0 ms, against 2.7 ms for
storing a constant). So memory that the last user of a result drops is retained for the next result, up to a limit.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

ALIGNMENT = 128  # bytes; the size of OpenCL's largest type, and of two cache lines
SMALLEST = 256  # bytes of the smallest block
UNPOOLED = 1 << 16  # bytes up to which fresh memory costs less than the pool's bookkeeping (0.3 µs, not 6)
STEPS = 8  # block sizes per power of two, so that at most an eighth of a block is unused

Block = TypeVar("Block")


class Pool(Generic[Block]):
    """Idle blocks of memory by size, `limit` bytes at most. Blocks in use are not tracked.

    A block may be given back at any moment, even by the garbage collector while the pool's own code runs. So `give_back` never waits.
    """

    def __init__(self, allocate: Callable[[int], Block], limit: int) -> None:
        """`allocate` makes a block of that many bytes; `limit` is in bytes."""
        self._allocate = allocate
        self._limit = limit
        self._lock = threading.Lock()
        self._idle: OrderedDict[int, list[Block]] = OrderedDict()
        self._idle_bytes = 0
        self._returned: deque[tuple[int, Block]] = deque()

    def take(self, size: int) -> Block:
        """A block of `round_size(size)` bytes with arbitrary content."""
        rounded = round_size(size)
        with self._lock:
            self._collect()
            blocks = self._idle.get(rounded)
            if blocks:
                self._idle_bytes -= rounded
                return blocks.pop()
        return self._allocate(rounded)

    def give_back(self, size: int, block: Block) -> None:
        """Give back a block that `take(size)` returned. Nobody may use it any more."""
        self._returned.append((round_size(size), block))
        while self._returned and self._lock.acquire(blocking=False):
            try:
                self._collect()
            finally:
                self._lock.release()

    def clear(self) -> None:
        """Free all idle blocks."""
        with self._lock:
            self._collect()
            self._idle.clear()
            self._idle_bytes = 0

    @property
    def idle_bytes(self) -> int:
        """Bytes of all idle blocks."""
        with self._lock:
            self._collect()
            return self._idle_bytes

    def _collect(self) -> None:
        """Make returned blocks idle, then free idle blocks of the least recently used sizes until the limit holds."""
        while self._returned:
            size, block = self._returned.popleft()
            self._idle.setdefault(size, []).append(block)
            self._idle.move_to_end(size)
            self._idle_bytes += size
        while self._idle_bytes > self._limit:
            size, blocks = next(iter(self._idle.items()))
            if blocks:
                blocks.pop()
                self._idle_bytes -= size
            else:
                del self._idle[size]


def round_size(size: int) -> int:
    """The smallest block size that holds `size` bytes: a multiple of an eighth of a power of two.

    >>> round_size(1), round_size(4096), round_size(4097), round_size(64 << 20)
    (256, 4096, 4608, 67108864)
    """
    if size <= SMALLEST:
        return SMALLEST
    step = max(1, (1 << (size - 1).bit_length()) // (2 * STEPS))
    return -(-size // step) * step


def allocate_host(size: int) -> np.ndarray:
    """`size` bytes of host memory that start at a multiple of `ALIGNMENT`."""
    raw = np.empty(size + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size]


class HostPool(Pool[np.ndarray]):
    """A pool of host memory. `take_array` gives NumPy arrays whose memory returns to the pool automatically."""

    def __init__(self, limit: int) -> None:
        """`limit` is in bytes."""
        super().__init__(allocate_host, limit)
        self._loans: dict[int, _Loan] = {}  # by id: weak references hash as their referents, if these can

    def take_array(self, size: int, dtype: np.dtype) -> np.ndarray:
        """A 1-D array of `size` elements with arbitrary content; from the pool if it is larger than `UNPOOLED`.

        The memory becomes idle again when the array, its views, and everything else that refers to the memory are gone.
        """
        length = size * dtype.itemsize
        if length <= UNPOOLED:
            return np.empty(size, dtype)
        block = self.take(length)
        array = np.frombuffer(block.data, dtype, size)
        # `array.base` is a memoryview that NumPy made. All views of the array refer to it, so it dies with the last of them.
        loan = _Loan(array.base, self._end)
        loan.length, loan.block = length, block
        self._loans[id(loan)] = loan
        return array

    def _end(self, loan: _Loan) -> None:
        del self._loans[id(loan)]
        self.give_back(loan.length, loan.block)


class _Loan(weakref.ref[Any]):
    """A weak reference with the block that is in use while the referent lives. `weakref.finalize` would take 1.5 µs more."""

    __slots__ = ("block", "length")
    block: np.ndarray
    length: int
