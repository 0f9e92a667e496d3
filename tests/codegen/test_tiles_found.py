"""Which loops matrix registers carry out: programs that are one, and each that differs in one thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from eqsat.codegen import OPENCL_CPU, render, with_tiles
from eqsat.codegen.rendering.tile_functions import SIGNED_ROWS, UNSIGNED_ROWS, function
from eqsat.codegen.rendering.tiles import Address, TileLoop, tile_loops
from eqsat.dtype import AddrSpace, DType, int32, void
from eqsat.integers.linear import Affine
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp, toposort
from tests.codegen.test_expressions import compare
from tests.codegen.test_tiles import product
from tests.forms.form import argument, at, i, load, local, node, register, store

LEFT, RIGHT, OTHER = argument(1, 4096, int32), argument(2, 4096, int32), argument(3, 4096, int32)
WIDE = int32.vec(16)
BARRIER = node(Op.BARRIER, void)


@dataclass(frozen=True)
class Product:
    """A loop that adds words of rows times words of columns."""

    words: int | UOp = 16
    rows: int = 16
    vectors: int = 1
    row_step: int = 100
    word_step: int = 1
    column_step: int = 16
    signed: bool = False
    left: UOp = LEFT
    right: UOp = RIGHT
    dtype: DType = WIDE
    number: int = 0
    left_of: Callable[[int], UOp] | None = None  # the word of a row
    right_of: Callable[[int], UOp] | None = None  # the words of a vector of columns
    joined: Op = Op.ADD
    product: Op = Op.DOT
    is_other_register: bool = False
    last_row: int | None = None

    @property
    def bound(self) -> UOp:
        end = i(self.words) if isinstance(self.words, int) else self.words
        return node(Op.RANGE, index_dtype(), end, arg=(self.number, AxisType.REDUCE))

    def register(self, row: int, vector: int) -> UOp:
        return register(1, 100 * self.number + row * 8 + vector, self.dtype)

    def stores(self) -> list[UOp]:
        lanes, made = self.dtype.lanes, list[UOp]()
        for row in range(self.rows):
            step = row * self.row_step if self.last_row is None or row < self.rows - 1 else self.last_row
            word = (
                self.left_of(row) if self.left_of else load(at(self.left, self.bound * self.word_step + step))
            )
            for vector in range(self.vectors):
                place = self.bound * self.column_step + vector * 16
                words = (
                    self.right_of(vector) if self.right_of else load(at(self.right, place), dtype=self.dtype)
                )
                factors = [node(Op.VECTORIZE, self.dtype, *(word,) * lanes), words]
                total = node(self.product, self.dtype, *(factors[::-1] if self.signed else factors))
                target = at(self.register(row, vector), i(0))
                before = load(at(self.register(row, vector + self.is_other_register), i(0)))
                made.append(store(target, node(self.joined, self.dtype, before, total)))
        return made

    def instructions(self, *more: UOp) -> list[UOp]:
        """The loop, all that is outside of it before, and what else stands in it at its end."""
        body = toposort([*self.stores(), *more])
        inside = [
            each for each in body if self.bound in each.ranges or each.op in (Op.STORE, Op.BARRIER, Op.CUSTOM)
        ]
        ended = node(Op.END, void, inside[-1], self.bound)
        outside = [each for each in body if each not in inside and each is not self.bound]
        return [*outside, self.bound, *(each for each in inside if each is not self.bound), ended]


def index_dtype() -> DType:
    return i(0).dtype  # pyright: ignore[reportReturnType]


def found(*products: Product) -> dict[UOp, TileLoop]:
    return tile_loops([each for one in products for each in one.instructions()])


def expected(walk: Product, signs: int = UNSIGNED_ROWS) -> TileLoop:
    return TileLoop(
        walk.bound,
        walk.bound.src[0].arg,
        signs,
        (Address(walk.left, Affine(0)), walk.row_step),
        tuple((Address(walk.right, Affine(vector * 16)), walk.column_step) for vector in range(walk.vectors)),
        tuple(tuple(walk.register(row, vector) for row in range(16)) for vector in range(walk.vectors)),
    )


PLAIN = Product()


@pytest.mark.parametrize(
    "walk",
    [
        PLAIN,
        Product(words=17),
        Product(vectors=4),
        Product(row_step=1),
        Product(column_step=1),
        Product(left=RIGHT),
    ],
    ids=["plain", "17 words", "four vectors", "rows side by side", "columns one apart", "one buffer"],
)
def test_a_loop_of_products_is_found_with_its_addresses(walk: Product) -> None:
    assert found(walk) == {walk.bound: expected(walk)}
    signed = replace(walk, signed=True)
    assert found(signed) == {walk.bound: expected(walk, SIGNED_ROWS)}


def looked_up(row: int) -> UOp:
    place = load(at(OTHER, PLAIN.bound)).cast(index_dtype())  # pyright: ignore[reportArgumentType]
    return load(at(LEFT, place + PLAIN.bound + row * 100))


GATE = load(at(OTHER, i(0))) < 3


@pytest.mark.parametrize(
    "walk",
    [
        Product(words=15),
        Product(words=UOp.variable("n", 16, 32)),
        Product(rows=15),
        Product(rows=17),
        Product(vectors=5),
        Product(row_step=0),
        Product(word_step=2),
        Product(word_step=0),
        Product(column_step=0),
        Product(column_step=-16),
        Product(last_row=1501),
        Product(dtype=int32.vec(8)),
        Product(joined=Op.SUB),
        Product(product=Op.MUL),
        Product(is_other_register=True),
        Product(left_of=lambda row: load(at(LEFT if row else OTHER, PLAIN.bound + row * 100))),
        Product(vectors=2, right_of=lambda vector: load(at((RIGHT, OTHER)[vector], PLAIN.bound * 16), dtype=WIDE)),
        Product(left_of=lambda row: load(at(LEFT, PLAIN.bound + row * 100, GATE), UOp.const(int32, 0))),
        Product(right_of=lambda vector: load(at(RIGHT, PLAIN.bound * 16, GATE), node(Op.VCONST, WIDE, arg=(0,) * 16), dtype=WIDE)),
        Product(left_of=lambda row: UOp.const(int32, row)),
        Product(left_of=lambda row: load(node(Op.POINTER_INDEX, int32, at(LEFT, i(0)), PLAIN.bound + row * 100))),
        Product(left_of=lambda row: load(at(register(16, 999, int32), i(row)))),
        Product(right_of=lambda vector: node(Op.VECTORIZE, WIDE, *(load(at(RIGHT, PLAIN.bound * 16 + lane)) for lane in range(16)))),
        Product(left_of=looked_up),
    ],
    ids=[
        "few words", "a size", "15 rows", "17 rows", "five vectors", "one row", "words apart", "one word", "one column", "columns backward",
        "a row elsewhere", "half vectors", "a difference", "other products", "another sum", "two buffers of rows", "two buffers of columns",
        "gated rows", "gated columns", "constants", "moved rows", "registers", "columns one by one", "looked up",
    ],
)  # fmt: skip
def test_a_loop_that_differs_is_left(walk: Product) -> None:
    assert found(walk) == {}


@pytest.mark.parametrize(
    "more",
    [
        store(at(OTHER, i(0)), UOp.const(int32, 1)),
        node(Op.CUSTOM, void, arg="f();"),
        store(at(register(1, 77, WIDE), i(0)), node(Op.VCONST, WIDE, arg=(0,) * 16)),
    ],
    ids=["a store", "a statement", "a register"],
)
def test_a_loop_that_does_more_is_left(more: UOp) -> None:
    assert tile_loops(PLAIN.instructions(more)) == {}


def test_products_of_two_signs_or_twice_one_are_left() -> None:
    mixed = [*PLAIN.stores()[:-1], replace(PLAIN, signed=True).stores()[-1]]
    again = [
        *PLAIN.stores(),
        replace(PLAIN, number=0)
        .stores()[0]
        .with_src((at(register(1, 55, WIDE), i(0)), PLAIN.stores()[0].src[1])),
    ]
    for stores in (mixed, again, PLAIN.stores()[:-1]):
        assert tile_loops(around(stores)) == {}
    assert tile_loops(around(PLAIN.stores())) == {PLAIN.bound: expected(PLAIN)}


def around(stores: Sequence[UOp]) -> list[UOp]:
    body = toposort(stores)
    outside = [each for each in body if PLAIN.bound not in each.ranges and each.op is not Op.STORE]
    inside = [each for each in body if each not in outside and each is not PLAIN.bound]
    return [*outside, PLAIN.bound, *inside, node(Op.END, void, inside[-1], PLAIN.bound)]


def test_only_innermost_loops_without_conditions_are_found() -> None:
    inner = PLAIN.instructions()
    place = inner.index(PLAIN.bound)
    outer = node(Op.RANGE, index_dtype(), i(3), arg=(9, AxisType.LOOP))
    nested = [*inner[:place], outer, *inner[place:], node(Op.END, void, inner[-1], outer)]
    assert tile_loops(nested) == {PLAIN.bound: expected(PLAIN)}
    empty = node(Op.RANGE, index_dtype(), i(3), arg=(8, AxisType.LOOP))
    holding = [*inner[: place + 1], empty, node(Op.END, void, empty, empty), *inner[place + 1 :]]
    assert tile_loops(holding) == {}
    block = node(Op.IF, void, GATE)
    assert tile_loops([*inner[: place + 1], block, node(Op.ENDIF, void, block), *inner[place + 1 :]]) == {}
    assert tile_loops([*inner, BARRIER]) == {}


def test_loops_with_other_words_beyond_the_last_sixteen_are_left() -> None:
    first, other, alike = Product(words=18), Product(words=19, number=1), Product(words=34, number=2)
    assert found(first, other, alike) == {each.bound: expected(each) for each in (first, alike)}
    assert expected(first).last == 2
    assert expected(PLAIN).last == 0


def test_memories_of_rows_and_columns_are_told() -> None:
    shared = local(4096, dtype=int32)
    assert expected(PLAIN).spaces == (AddrSpace.GLOBAL, AddrSpace.GLOBAL)
    assert found(Product(left=shared))[PLAIN.bound].spaces == (AddrSpace.LOCAL, AddrSpace.GLOBAL)
    assert found(Product(right=shared))[PLAIN.bound].spaces == (AddrSpace.GLOBAL, AddrSpace.LOCAL)


def test_functions_and_kernels_of_tiles(request: pytest.FixtureRequest) -> None:
    """As a file to read; `pytest tests/codegen --regenerate-golden` writes it anew."""
    memories = {space.name: space for space in (AddrSpace.GLOBAL, AddrSpace.LOCAL)}
    lines = [
        function(vectors, signs, (memories[rows], memories[columns]), OPENCL_CPU, "dot")
        for vectors, signs, rows, columns in (
            (1, UNSIGNED_ROWS, "GLOBAL", "GLOBAL"), (2, SIGNED_ROWS, "LOCAL", "GLOBAL"), (4, UNSIGNED_ROWS, "GLOBAL", "LOCAL"),
        )
    ]  # fmt: skip
    for graph in (product(17, vectors=2, row_step=20), product(16, outer=1, signed_rows=True)):
        source = render(graph, with_tiles(OPENCL_CPU)).source
        lines.append(source[source.index("// kernel_product") :])
    compare(Path(__file__).parents[1] / "golden" / "tiles.txt", lines, request)
