"""Translates a WMMA to an instruction of the device where that costs less, else to multiply-adds.

If one thread holds the matrices, they are in its registers. Several threads store their fragments of a and b in local memory and wait for each other.
Each then loads the rows and columns that its part of the result needs. The groups of threads in a work-group have consecutive parts of that memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import prod

from eqsat.codegen.expansion.lanes import vector_of
from eqsat.dtype import AddrSpace, DType, PtrDType, void
from eqsat.errors import CodegenError
from eqsat.fragments import OPERANDS, Fragment, Product
from eqsat.integers.linear import Affine
from eqsat.machine.prices import price
from eqsat.ops import Op
from eqsat.shape import extent_of
from eqsat.uop import UOp, toposort

Lane = Callable[[UOp, int], UOp]
# Gives an element of operand 0 (a) or 1 (b), for a lane of the result and a step of K
Element = Callable[[int, int, int], UOp]


@dataclass(frozen=True)
class Writer:
    """Writes the instructions of one WMMA.

    Attributes:
        put: writes an instruction at the end of the program so far.
        helper: writes an instruction without effect, right after the last of its sources.
        lane: writes one lane of a value, as a helper.
        items: the coordinates of work-items in their group, by dimension.
        number: the number of the WMMA, by which the names of its local memories differ from those of others.
        repeated: whether the WMMA is in a loop.
    """

    put: Callable[[UOp], UOp]
    helper: Callable[[UOp], UOp]
    lane: Lane
    items: Sequence[UOp]
    number: int
    repeated: bool

    def converted(self, value: UOp, dtype: DType) -> UOp:
        """A value cast to a dtype."""
        return value if value.dtype == dtype else self.helper(value.cast(dtype))

    def index(self, value: UOp) -> UOp:
        """An index expression, with each of its nodes written as a helper."""
        done: dict[UOp, UOp] = {}
        for node in toposort([value]):
            done[node] = node if node in self.items else self.helper(node)
        return done[value]


def sums_of_products(instructions: Sequence[UOp]) -> dict[UOp, UOp]:
    """The sums of an addend and a WMMA that adds to zero, with the WMMA: it may add to the addend instead."""
    users = Counter(source for node in instructions for source in node.src)
    found: dict[UOp, UOp] = {}
    for node in instructions:
        if node.op is not Op.ADD:
            continue
        product = next((each for each in node.src if _adds_to_zero(each) and users[each] == 1), None)
        if product is not None:
            found[node] = product
    return found


def _adds_to_zero(node: UOp) -> bool:
    if node.op is not Op.WMMA:
        return False
    addend = node.src[2]
    numbers = addend.arg if addend.op is Op.VCONST else (addend.arg,)
    return addend.op in (Op.CONST, Op.VCONST) and not any(numbers)


def instruction_for(node: UOp, matrices: Collection[str]) -> bool:
    """Whether one of these instructions computes a WMMA and costs less than multiply-adds.

    An instruction drops 13 bits of float32 operands; it is used for these only if the name of the WMMA contains `tf32`.
    """
    product = Product.of(node.arg)
    row = product.instruction
    if row is None or row.text not in matrices or product.grid != (1, 1):
        return False
    if product.given.itemsize == 4 and "tf32" not in product.name:
        return False
    return price(Op.WMMA, product.made).cycles < cycles_of_multiply_adds(product)


def cycles_of_multiply_adds(product: Product) -> float:
    """The cycles that one thread takes for stores, barriers, loads and multiply-adds.

    >>> from eqsat.fragments import INSTRUCTIONS
    >>> dims, given, made = INSTRUCTIONS[0][1:4]
    >>> cycles_of_multiply_adds(Product("mma", *dims, given, made, "CUDA", 32))
    168.0
    """
    held = [prod(shape) / product.threads for shape in product.wholes]
    steps = held[2] * product.inner
    cycles = steps * price(Op.MULACC, product.made).cycles
    if product.threads == 1:
        return cycles
    accesses = (
        steps * 2 * price(Op.LOAD, product.made).cycles + sum(held[:2]) * price(Op.STORE, product.made).cycles
    )
    return cycles + accesses + 2 * price(Op.BARRIER, product.made).cycles


def multiplied(node: UOp, sources: Sequence[UOp], writer: Writer) -> UOp:
    """Writes a WMMA as multiply-adds, and returns the fragment of the result that a thread holds.

    Raises:
        CodegenError: the threads do not fill groups of work-items.
    """
    product = Product.of(node.arg)
    a, b, c = sources
    lanes = c.dtype.lanes
    dtype = c.dtype.scalar
    assert isinstance(dtype, DType)
    if product.threads == 1:
        element = _in_registers(product, a, b, lanes, writer)
    else:
        element = _in_local_memory(node, product, (a, b), lanes, writer)
    totals: list[UOp] = []
    for lane in range(lanes):
        total = writer.lane(c, lane)
        for step in range(product.inner):
            left, right = (writer.converted(element(operand, lane, step), dtype) for operand in (0, 1))
            total = writer.helper(left.alu(Op.MULACC, right, total))
        totals.append(total)
    return writer.put(vector_of(totals)) if lanes > 1 else totals[0]


def _in_registers(product: Product, a: UOp, b: UOp, lanes: int, writer: Writer) -> Element:
    """The elements of matrices that one thread holds entirely."""
    columns = product.wholes[2][1]
    (of_result,) = product.places(2, lanes)
    lane_of = [
        {element: lane for lane, element in enumerate(product.places(operand, matrix.dtype.lanes)[0])}
        for operand, matrix in enumerate((a, b))
    ]

    def element(operand: int, lane: int, step: int) -> UOp:
        row, column = divmod(of_result[lane], columns)
        number = step * columns + column if operand else row * product.inner + step
        return writer.lane((a, b)[operand], lane_of[operand][number])

    return element


def _in_local_memory(
    node: UOp, product: Product, matrices: tuple[UOp, UOp], lanes: int, writer: Writer
) -> Element:
    """The elements of matrices that several threads hold together."""
    sizes = [extent_of(item) for item in writer.items]
    if prod(sizes) % product.threads:
        raise CodegenError(
            f"{node!r} is computed by {product.threads} threads, and groups have {prod(sizes)} work-items; "
            f"give its fragments a WARP range of {product.threads}"
        )
    flat = Affine(0)
    for item in reversed(writer.items):
        flat = flat.times(extent_of(item)).plus(Affine.of(item))
    number = flat.build()
    thread, group = number % product.threads, number // product.threads
    groups = prod(sizes) // product.threads
    pointers = [
        writer.put(_memory(product, operand, groups, f"{OPERANDS[operand]}{writer.number}"))
        for operand in (0, 1)
    ]
    if writer.repeated:
        writer.put(UOp(Op.BARRIER, void, (pointers[0],)))
    stores = [
        writer.put(store)
        for operand, matrix in enumerate(matrices)
        for store in _stores(product, operand, matrix, pointers[operand], thread, group, writer)
    ]
    ready = writer.put(UOp(Op.BARRIER, void, tuple(stores)))
    waited = [writer.helper(UOp(Op.AFTER, each.dtype, (each, ready))) for each in pointers]
    columns = product.wholes[2][1]
    first = _element(product, 2, lanes, thread)
    loaded: dict[tuple[int, UOp], UOp] = {}

    def element(operand: int, lane: int, step: int) -> UOp:
        whole = prod(product.wholes[operand])
        own = first[lane]
        there = (
            Affine.of(own % columns).plus(Affine(step * columns))
            if operand
            else Affine.of(own // columns).times(product.inner).plus(Affine(step))
        )
        where = writer.index(there.plus(Affine.of(group).times(whole)).build())
        if (operand, where) not in loaded:
            address = writer.helper(UOp(Op.INDEX, product.made, (waited[operand], where)))
            loaded[operand, where] = writer.put(UOp(Op.LOAD, product.made, (address,)))
        return loaded[operand, where]

    return element


def _memory(product: Product, operand: int, groups: int, name: str) -> UOp:
    """Local memory for a matrix of each group of threads.

    It has the dtype of the product, since each element is read more often than it is written.
    """
    size = prod(product.wholes[operand]) * groups
    return UOp(Op.DEFINE_LOCAL, PtrDType(product.made, AddrSpace.LOCAL, size), (), name)


def _stores(
    product: Product, operand: int, matrix: UOp, pointer: UOp, thread: UOp, group: UOp, writer: Writer
) -> list[UOp]:
    """A store of each lane of a fragment, by the first of the threads that hold the same elements."""
    lanes = matrix.dtype.lanes
    whole = prod(product.wholes[operand])
    tiles = prod(product.tiles[operand])
    digits = _digits(product.fragment(operand, lanes // tiles), thread)
    gates = tuple(writer.index(value < 1) for stride, value in digits if stride == 0)  # at most one
    made: list[UOp] = []
    for lane, element in enumerate(_element(product, operand, lanes, thread)):
        where = writer.index(Affine.of(element).plus(Affine.of(group).times(whole)).build())
        address = writer.helper(UOp(Op.INDEX, product.made, (pointer, where, *gates)))
        made.append(UOp(Op.STORE, void, (address, writer.converted(writer.lane(matrix, lane), product.made))))
    return made


def _element(product: Product, operand: int, lanes: int, thread: UOp) -> list[UOp]:
    """For each lane of a thread, the number of the element that it holds in the whole matrix."""
    fragment = product.fragment(operand, lanes // prod(product.tiles[operand]))
    rows, columns = product.shapes[operand]
    across = product.tiles[operand][1]
    moved = Affine(0)
    for stride, value in _digits(fragment, thread):
        moved = moved.plus(Affine.of(value), stride)
    found: list[UOp] = []
    for lane in range(lanes):
        tile, within = divmod(lane, fragment.held)
        place = moved.plus(Affine(fragment.place(0, within)))
        if across > 1:  # the rows of a tile are not adjacent in the matrix
            element = place.build()
            place = Affine.of(element % columns).plus(Affine.of(element // columns), columns * across)
        start = tile // across * rows * columns * across + tile % across * columns
        found.append(place.plus(Affine(start)).build())
    return found


def _digits(fragment: Fragment, thread: UOp) -> list[tuple[int, UOp]]:
    """The digits of a thread's number with their strides; digits of base 1 are left out."""
    found: list[tuple[int, UOp]] = []
    below = 1
    for position, digit in enumerate(fragment.threads):
        rest = thread if below == 1 else thread // below
        last = position + 1 == len(fragment.threads)
        if digit.base > 1:
            found.append((digit.stride, rest if last else rest % digit.base))
        below *= digit.base
    return found
