"""How the matrices of a WMMA are spread over its threads, and over the lanes of the fragment that each thread holds.

The number of a thread and the number of a lane are split into digits, the fastest first. Each digit moves an element by a stride in its matrix,
whose elements are counted row by row. A device with a matrix instruction has a layout of its own. Elsewhere elements follow each other, first
over the lanes of a thread, then over the threads; if there are more lanes than elements, they begin again at the first element.

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
    """One digit of the number of a thread or a lane: the stride by which it moves an element, and its base.

    If the stride is 0, all values of the digit hold the same element. At most one digit of a thread has stride 0.
    """

    stride: int
    base: int


class Fragment(NamedTuple):
    """The layout of a matrix: the digits of the number of a thread and of the number of a lane, the fastest first."""

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
        """The number of lanes of a thread."""
        return prod(digit.base for digit in self.lanes)


class Instruction(NamedTuple):
    """A matrix instruction of some devices.

    Attributes:
        devices: the names of the devices in graphs.
        dims: (N, M, K): the columns and rows of c, and the number of products in each sum.
        given: the dtype of a and b.
        made: the dtype of c.
        threads: the number of threads that compute it together.
        fragments: the layouts of a, b and c.
        text: the name of the instruction in the language of the device; empty if eqsat does not generate it.
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
    """The argument of a WMMA: (name, (N, M, K), dtype in, dtype out, device, threads, upcast axes, reduce axes, tile grid).

    Attributes:
        name: the name of the instruction, for people.
        columns, rows, inner: N, M and K of one tile, the product of a rows × inner and an inner × columns matrix.
        given: the dtype of a and b.
        made: the dtype of c and the result, in which products are summed.
        device: the device for which the fragments are laid out.
        threads: the number of threads that hold the fragments together.
        upcast: for each of a, b and c, the axes (id, size) that become its lanes; empty if unknown.
        reduced: the axes (id, size) that become K; empty if unknown.
        grid: the columns and rows of tiles in c. The tiles of a lie below each other, the tiles of b side by side; lanes hold one tile after
            another.
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
        """The product that the argument of a legal WMMA describes."""
        name, (columns, rows, inner), *rest = argument
        return Product(name, columns, rows, inner, *rest)

    @property
    def shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Rows and columns of a tile of a, b and c."""
        return (self.rows, self.inner), (self.inner, self.columns), (self.rows, self.columns)

    @property
    def tiles(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """The numbers of tiles in a, b and c: down and across."""
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
        """The instruction of its device that computes it; None if there is none."""
        dims = (self.columns, self.rows, self.inner)
        wanted = (dims, self.given, self.made, self.threads)
        return next((row for row in INSTRUCTIONS if self.device in row.devices and row[1:5] == wanted), None)

    def fragment(self, operand: int, lanes: int) -> Fragment:
        """The layout of one tile of a, b or c (operand 0, 1 or 2), of which each thread holds `lanes` lanes."""
        row = self.instruction
        if row is not None:
            return row.fragments[operand]
        size = prod(self.shapes[operand])
        return Fragment(
            (Digit(lanes, size // lanes), Digit(0, self.threads * lanes // size)), (Digit(1, lanes),)
        )

    def places(self, operand: int, lanes: int) -> tuple[tuple[int, ...], ...]:
        """For each thread and each of its lanes, the element of the whole matrix that it holds, counted row by row.

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
