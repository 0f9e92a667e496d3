"""Products against NumPy."""

import numpy as np
import pytest

import eqsat.array as xp
from eqsat.errors import BuildError, ShapeError
from tests.array.compare import assert_agrees, numbers

SHAPES = [
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((4,), (4, 5)),
    ((3, 4), (4, 5)),
    ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (7, 4, 5)),
    ((4,), (2, 4, 5)),
    ((2, 3, 4), (4,)),
    ((3, 0), (0, 2)),
    ((0, 3), (3, 2)),
    ((1, 1), (1, 1)),
]


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_matmul_agrees(shapes, dtype):
    x, y = numbers(dtype, shapes[0], 1), numbers(dtype, shapes[1], 2)
    expected = (
        np.matmul(x.astype(np.float32), y.astype(np.float32)).astype(dtype)
        if dtype == "float16"
        else np.matmul(x, y)
    )
    assert_agrees(xp.matmul(x, y), expected, absolute=1e-5 if dtype.startswith("float") else 0)
    assert_agrees(xp.asarray(x) @ y, expected, absolute=1e-5 if dtype.startswith("float") else 0)
    assert_agrees(x @ xp.asarray(y), expected, absolute=1e-5 if dtype.startswith("float") else 0)


def test_matmul_promotes():
    x, y = numbers("int16", (3, 4), 1), numbers("float32", (4, 2), 2)
    assert_agrees(xp.matmul(x, y), x @ y, absolute=1e-5)


def test_matmul_refuses_what_does_not_fit():
    with pytest.raises(ShapeError, match=r"cannot matrix-multiply \(2, 3\) and \(2, 3\)"):
        xp.matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(
        ShapeError, match=r"cannot matrix-multiply \(5, 2, 3\) and \(4, 3, 2\): matching axes"
    ):
        xp.matmul(np.ones((5, 2, 3)), np.ones((4, 3, 2)))
    with pytest.raises(ShapeError, match="multiply by it with"):
        xp.ones((2, 2)) @ 3


def test_vecdot_and_outer_agree():
    x, y = numbers("int64", (3, 1, 4), 1), numbers("int64", (5, 4), 2)
    assert_agrees(xp.vecdot(x, y), np.vecdot(x, y))
    assert_agrees(xp.vecdot(x.swapaxes(1, 2), y.T, axis=-2), np.vecdot(x.swapaxes(1, 2), y.T, axis=-2))
    assert_agrees(xp.outer(x[0, 0], y[0]), np.outer(x[0, 0], y[0]))
    assert_agrees(xp.outer(x, 2.0), np.outer(x, 2.0))
    with pytest.raises(ShapeError, match="their last extents differ"):
        xp.vecdot(np.ones(3), np.ones(1))


@pytest.mark.parametrize("axes", [0, 1, 2, ((0, 1), (1, 0)), ((1,), (0,)), (1, 0), ((-1, 0), (0, -1))])
def test_tensordot_agrees(axes):
    x, y = numbers("int32", (3, 3, 3), 1), numbers("int32", (3, 3, 3), 2)
    assert_agrees(xp.tensordot(x, y, axes=axes), np.tensordot(x, y, axes))


def test_tensordot_refuses_what_does_not_fit():
    with pytest.raises(ShapeError, match="extents differ"):
        xp.tensordot(np.ones((2, 3)), np.ones((2, 3)), axes=1)
    with pytest.raises(ShapeError, match="pair at most 1"):
        xp.tensordot(np.ones(2), np.ones(2), axes=2)


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ba", [(2, 3)]),
        ("ii", [(4, 4)]),
        ("aibi->ab", [(2, 3, 4, 3)]),
        ("aibi,cbcd->ad", [(2, 3, 4, 3), (5, 4, 5, 2)]),
        ("ii->i", [(4, 4)]),
        ("ijji->j", [(2, 3, 3, 2)]),
        ("iaia->a", [(2, 3, 2, 3)]),
        ("ij->", [(2, 3)]),
        ("ij->j", [(2, 3)]),
        ("i,j->ij", [(2,), (3,)]),
        ("ij,ij->i", [(2, 3), (2, 3)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (1, 3, 4)]),
        ("...ij,jk", [(5, 6, 2, 3), (3, 4)]),
        ("i...,i...->...", [(3, 2), (3, 2)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("ij,kj,kl,lm->im", [(2, 3), (4, 3), (4, 5), (5, 2)]),
        ("a,b,c->abc", [(2,), (3,), (4,)]),
        ("ij,ij,ij->ij", [(2, 3), (2, 3), (2, 3)]),
        ("bhqd,bhkd->bhqk", [(2, 2, 3, 4), (2, 2, 5, 4)]),
        (" i j , j -> i ", [(2, 3), (3,)]),
        ("ij,jk->ik", [(2, 0), (0, 4)]),
        (",i->i", [(), (3,)]),
        ("...Z,Zy,yX->...X", [(2, 3), (3, 4), (4, 2)]),
    ],
)
def test_einsum_agrees(subscripts, shapes):
    operands = [numbers("int32", shape, seed) for seed, shape in enumerate(shapes)]
    assert_agrees(xp.einsum(subscripts, *operands), np.einsum(subscripts, *operands))


def test_einsum_explains_what_it_cannot_read():
    x = np.ones((2, 3))
    for subscripts, message in [
        ("ij,jk->ik", "2 terms for 1 operands"),
        ("ijk->i", "write one letter for each axis"),
        ("i1->i", "not made of letters"),
        ("ij->ii", "each output letter must occur once"),
        ("ij->k", "each output letter must occur once"),
    ]:
        with pytest.raises(BuildError, match=message):
            xp.einsum(subscripts, x)
    with pytest.raises(ShapeError, match="matching axes have extents 2 and 3"):
        xp.einsum("ii->i", x)
    with pytest.raises(BuildError, match=r'give it first, as a string such as einsum\("ij,jk->ik", x, y\)'):
        xp.einsum(x, [0, 1], [1, 0])
