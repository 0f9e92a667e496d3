"""How the matrices of a WMMA are spread over its threads, and over the lanes of the fragment that each thread holds.

A fragment is given by the digits of two numbers, that of a thread and that of a lane, the fastest first: each digit moves an element by a stride in
its matrix, which is counted row by row. Devices that have an instruction have a layout of their own; everywhere else elements follow each other,
first over the lanes of a thread, then over the threads, and again from the first one where more is held than there is.

Sources: PTX ISA, "Matrix Fragments for mma"; AMD, "Matrix Instruction Calculator".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, NamedTuple

from eqsat.dtype import DType, bfloat16, float16, float32

Axes = tuple[tuple[int, int], ...]
OPERANDS = ("a", "b", "c")


class Digit(NamedTuple):
    """One digit of a number: how far it moves an element, and its base. A stride of 0: the digits hold the same; one of a thread at most."""

    stride: int
    base: int


class Fragment(NamedTuple):
    """The digits of the number of a thread and of a lane, the fastest first."""

    threads: tuple[Digit, ...]
    lanes: tuple[Digit, ...]

    def place(self, thread: int, lane: int) -> int:
        """The element, counted row by row, that a lane of a thread holds.

        >>> Fragment((Digit(2, 2),), (Digit(1, 2),)).place(1, 1)
        3
        """
        return sum(
            number // prod(digit.base for digit in digits[:position]) % digit.base * digit.stride
            for number, digits in ((thread, self.threads), (lane, self.lanes))
            for position, digit in enumerate(digits)
        )

    @property
    def held(self) -> int:
        """Lanes of a thread."""
        return prod(digit.base for digit in self.lanes)


class Instruction(NamedTuple):
    """A matrix instruction of some devices.

    Attributes:
        devices: by the names that graphs give them.
        dims: N, M, K: columns, rows, and the side that is summed over.
        given: the dtype of a and b.
        made: the dtype of c.
        threads: that compute it together.
        fragments: of a, b and c.
        text: its name in the language of the device; empty where eqsat does not write it.
    """

    devices: tuple[str, ...]
    dims: tuple[int, int, int]
    given: DType
    made: DType
    threads: int
    fragments: tuple[Fragment, Fragment, Fragment]
    text: str = ""


_NVIDIA, _AMD = ("CUDA", "NV"), ("AMD", "HIP")
_SUM_OF_NVIDIA = Fragment((Digit(2, 4), Digit(8, 8)), (Digit(1, 2), Digit(64, 2)))
_M16N8K16 = (
    Fragment((Digit(2, 4), Digit(16, 8)), (Digit(1, 2), Digit(128, 2), Digit(8, 2))),
    Fragment((Digit(16, 4), Digit(1, 8)), (Digit(8, 2), Digit(64, 2))),
    _SUM_OF_NVIDIA,
)
_M16N8K8 = (
    Fragment((Digit(2, 4), Digit(8, 8)), (Digit(1, 2), Digit(64, 2))),
    Fragment((Digit(16, 4), Digit(1, 8)), (Digit(8, 2),)),
    _SUM_OF_NVIDIA,
)
_M16N8K8_TF32 = (
    Fragment((Digit(1, 4), Digit(8, 8)), (Digit(64, 2), Digit(4, 2))),
    Fragment((Digit(8, 4), Digit(1, 8)), (Digit(32, 2),)),
    _SUM_OF_NVIDIA,
)
_MFMA = (
    Fragment((Digit(16, 16), Digit(4, 4)), (Digit(1, 4),)),
    Fragment((Digit(1, 16), Digit(64, 4)), (Digit(16, 4),)),
    Fragment((Digit(1, 16), Digit(64, 4)), (Digit(16, 4),)),
)
_RDNA = (
    Fragment((Digit(16, 16), Digit(0, 2)), (Digit(1, 16),)),
    Fragment((Digit(1, 16), Digit(0, 2)), (Digit(16, 16),)),
    Fragment((Digit(1, 16), Digit(16, 2)), (Digit(32, 8),)),
)
_MMA = "mma.sync.aligned.{}.row.col.f32.{}.{}.f32"

INSTRUCTIONS = (
    Instruction(_NVIDIA, (8, 16, 16), float16, float32, 32, _M16N8K16, _MMA.format("m16n8k16", "f16", "f16")),
    Instruction(_NVIDIA, (8, 16, 16), bfloat16, float32, 32, _M16N8K16, _MMA.format("m16n8k16", "bf16", "bf16")),
    Instruction(_NVIDIA, (8, 16, 8), float16, float32, 32, _M16N8K8, _MMA.format("m16n8k8", "f16", "f16")),
    Instruction(_NVIDIA, (8, 16, 8), float32, float32, 32, _M16N8K8_TF32, _MMA.format("m16n8k8", "tf32", "tf32")),
    Instruction(_AMD, (16, 16, 16), float16, float32, 64, _MFMA),
    Instruction(_AMD, (16, 16, 16), float16, float32, 32, _RDNA),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Product:
    """What the argument of a WMMA says: (name, (N, M, K), dtype in, dtype out, device, threads, upcast axes, reduce axes, tile grid).

    Attributes:
        name: of the instruction, for people.
        columns, rows, inner: N, M and K of one tile: rows × inner by inner × columns.
        given: the dtype of a and b.
        made: the dtype of c and the result, in which products are summed.
        device: that the fragments are laid out for.
        threads: that hold the fragments together.
        upcast: for a, b and c the axes (id, size) that its lanes come from; empty if it is not said.
        reduced: the axes (id, size) that K comes from; likewise.
        grid: columns and rows of tiles. Tiles of a lie below each other, those of b side by side; lanes hold one tile after another.
    """

    name: str
    columns: int
    rows: int
    inner: int
    given: DType
    made: DType
    device: str = ""
    threads: int = 1
    upcast: tuple[Axes, ...] = ()
    reduced: Axes = ()
    grid: tuple[int, int] = (1, 1)

    @staticmethod
    def of(argument: Any) -> Product:
        """Of the argument of a legal WMMA."""
        name, (columns, rows, inner), *rest = argument
        return Product(name, columns, rows, inner, *rest)

    @property
    def shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Rows and columns of a tile of a, b and c."""
        return (self.rows, self.inner), (self.inner, self.columns), (self.rows, self.columns)

    @property
    def tiles(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Rows and columns of tiles of a, b and c."""
        across, down = self.grid
        return (down, 1), (1, across), (down, across)

    @property
    def wholes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Rows and columns of a, b and c, all tiles together."""
        first, second, third = (
            (shape[0] * tiles[0], shape[1] * tiles[1])
            for shape, tiles in zip(self.shapes, self.tiles, strict=True)
        )
        return first, second, third

    @property
    def instruction(self) -> Instruction | None:
        """That of its device, if it has one."""
        dims = (self.columns, self.rows, self.inner)
        wanted = (dims, self.given, self.made, self.threads)
        return next((row for row in INSTRUCTIONS if self.device in row.devices and row[1:5] == wanted), None)

    def fragment(self, operand: int, lanes: int) -> Fragment:
        """How one tile of a, b or c is spread, of which a thread holds so many lanes."""
        row = self.instruction
        if row is not None:
            return row.fragments[operand]
        size = prod(self.shapes[operand])
        return Fragment(
            (Digit(lanes, size // lanes), Digit(0, self.threads * lanes // size)), (Digit(1, lanes),)
        )

    def places(self, operand: int, lanes: int) -> tuple[tuple[int, ...], ...]:
        """For each thread the element of the whole matrix, counted row by row, that each of its lanes holds.

        >>> Product("small", 2, 2, 2, float32, float32, "", 2).places(2, 2)
        ((0, 1), (2, 3))
        """
        return _places(self, operand, lanes)


@cache
def _places(product: Product, operand: int, lanes: int) -> tuple[tuple[int, ...], ...]:
    down, across = product.tiles[operand]
    columns = product.shapes[operand][1]
    held = lanes // (down * across)
    fragment = product.fragment(operand, held)

    def place(thread: int, lane: int) -> int:
        tile, within = divmod(lane, held)
        row, column = divmod(fragment.place(thread, within), columns)
        row += tile // across * product.shapes[operand][0]
        return row * columns * across + tile % across * columns + column

    return tuple(tuple(place(thread, lane) for lane in range(lanes)) for thread in range(product.threads))
