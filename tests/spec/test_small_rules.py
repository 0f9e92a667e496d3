"""Small parts of the rules of `spec`, asked by themselves."""

from __future__ import annotations

import pytest

from eqsat.dtype import float16, float32, index, int8, int32
from eqsat.ops import Op
from eqsat.spec.matrices import _argument  # pyright: ignore[reportPrivateUsage]
from eqsat.spec.sources import behind, is_value
from eqsat.uop import UOp
from tests.forms.form import after, argument, at, f, i, load, node, pointer, store
from tests.spec.nodes import BARRIER, SMALL

ADDRESS = at(argument(0, 8), i(0))
STORED = store(ADDRESS, f(1.0))


@pytest.mark.parametrize(
    ("value", "has_elements"),
    [
        (f(1.0), True),
        (load(ADDRESS), True),
        (after(load(ADDRESS), STORED), True),
        (node(Op.NOOP, float32, f(1.0)), True),
        (argument(0, 8), False),
        (node(Op.CAST, pointer(4), argument(0, 8)), False),
        (node(Op.CAST, float32, argument(0, 8)), True),
        (UOp.param(0, 8, float32), False),
        (node(Op.RESHAPE, float32, UOp.param(0, 8, float32), arg=(2, 4)), False),
        (after(UOp.param(0, 8, float32), STORED), False),
        (ADDRESS, False),
        (node(Op.NOOP, float32, ADDRESS), False),
        (after(ADDRESS, STORED), False),
        (STORED, False),
        (BARRIER, False),
    ],
    ids=repr,
)
def test_values_have_elements(value, has_elements):
    assert is_value(value) == has_elements


def test_what_stands_behind_an_address():
    memory = argument(0, 8)
    cast = node(Op.CAST, pointer(4), after(memory, STORED))
    assert behind(cast) is memory
    assert behind(cast, (Op.AFTER,)) is cast
    assert behind(ADDRESS) is ADDRESS


def of_kinds(*kinds):
    return ("m", (2, 2, 2), *kinds)


WRONG = {
    "its argument is": [of_kinds(float16), list(SMALL), "m", (*SMALL, "d", 1, (), (), (1, 1), 1)],
    "the name is a text": [("", *SMALL[1:]), (1, *SMALL[1:])],
    "N, M and K are from 1 to 4096": [
        ("m", sizes, float16, float32)
        for sizes in (2, [2, 2, 2], "222", (2, 2), (2, 2, 2, 2), (0, 2, 2), (2, 2, 4097), (2, 2, True), (2, 2, 2.0))
    ],
    "dtypes are those of numbers": [
        of_kinds(float16, None), of_kinds(pointer(4), float32), of_kinds(float16.vec(2), float32), of_kinds(float16, index),
        of_kinds(float32, float32.vec(2)),
    ],
    "in a dtype of their kind that is no narrower": [
        of_kinds(float32, float16), of_kinds(float32, int32), of_kinds(int32, int8), of_kinds(int8, float32),
    ],
    "the device is a name": [(*SMALL, ""), (*SMALL, 3)],
    "threads are from 1 to 4096": [(*SMALL, "d", threads) for threads in (0, -1, 4097, True, (1,), "1")],
    "upcast axes are three tuples": [(*SMALL, "d", 1, axes) for axes in (0, [(), (), ()], ((), ()), ((),) * 4)],
    "axes are ((id, size), …)": [
        (*SMALL, "d", 1, (axes, (), ()))
        for axes in (1, [(0, 2)], (0, 2), ([0, 2],), ((0, 2, 2),), ((0,),), ((-1, 2),), ((True, 2),), ((0, 0),), ((0, 4097),), ((0, True),))
    ],
    "an axis is named twice": [(*SMALL, "d", 1, ((), ((0, 2), (0, 2)), ())), (*SMALL, "d", 1, (), ((3, 2), (3, 2)))],
    "the tile grid is (columns, rows)": [
        (*SMALL, "d", 1, (), (), grid) for grid in (1, [1, 1], (1,), (1, 1, 1), (0, 1), (1, 4097), (True, 1))
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "words"), [(given, words) for words, several in WRONG.items() for given in several]
)
def test_arguments_of_matrix_products_are_told_part_by_part(given, words):
    assert words in (_argument(given) or "")


@pytest.mark.parametrize(
    "given",
    [
        SMALL,
        ("m", (4096, 1, 1), float32, float32),
        ("m", (1, 1, 1), int8, int32),
        (*SMALL, "d"),
        (*SMALL, "d", 4096),
        (*SMALL, "d", 1, ()),
        (*SMALL, "d", 1, ((), ((0, 2), (1, 4096)), ())),
        (*SMALL, "d", 1, (), ((0, 2),)),
        (*SMALL, "d", 1, (), (), (1, 4096)),
    ],
    ids=repr,
)
def test_arguments_of_matrix_products_at_their_ends(given):
    assert _argument(given) is None
