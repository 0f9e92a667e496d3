"""The programs, in NumPy, against their plain definitions; and eqsat against NumPy, on small data."""

from dataclasses import replace

import numpy as np
import pytest

import eqsat as eq
from eqsat.demo.programs import PROGRAMS, convolution_in_numpy, ink_outlines, training_step
from eqsat.demo.report import as_list, largest_error
from eqsat.dtype import from_numpy

SMALL = {
    "softmax": ((5, 7),),
    "layer_norm": ((5, 7), (7,), (7,)),
    "matmul": ((6, 7), (7, 5)),
    "elementwise": ((33,),),
    "sum": ((101,),),
    "conv2d": ((2, 3, 6, 5), (4, 3, 3, 3)),
    "attention": ((2, 5, 4), (2, 5, 4), (2, 5, 4)),
    "transformer": ((8, 12), (2, 12), (2, 12), (12, 36), (12, 12), (12, 20), (20, 12)),
    "image": ((12, 14, 3),),
    "classifier": ((9, 16), (17, 8), (9, 10)),
    "training": ((9, 16), (9, 10), (17, 8), (9, 10)),
}


def small_arrays(name):
    random = np.random.default_rng(0)
    dtype = PROGRAMS[name].inputs[0][1]
    if dtype == "int32":
        return [random.integers(0, 256, shape).astype(dtype) for shape in SMALL[name]]
    return [random.normal(size=shape).astype(dtype) for shape in SMALL[name]]


@pytest.mark.parametrize("name", PROGRAMS)
def test_eqsat_agrees_with_numpy(name):
    program, arrays = PROGRAMS[name], small_arrays(name)
    graph = eq.trace(program.bind(eq), *(eq.spec(array.shape, from_numpy(array.dtype)) for array in arrays))
    results = as_list(eq.compile(graph)(*arrays))
    expected = as_list(program.in_numpy()(*arrays))
    assert [result.dtype for result in results] == [truth.dtype for truth in expected]
    assert largest_error(results, expected) <= (0 if name == "image" else 1e-5)


def test_image_pipeline_leaves_a_flat_grey_picture_alone():
    assert np.all(ink_outlines(np, np.full((20, 30, 3), 200, np.int32)) == 200)


def test_image_pipeline_inks_an_edge():
    picture = np.full((20, 30, 3), 20, np.int32)
    picture[:, 15:] = 220
    inked = ink_outlines(np, picture)
    assert np.all(inked[:, 12] == 0)
    assert np.all(inked[:, :8] == 20)


def test_convolution_in_numpy_is_the_sum_over_windows():
    images, weights = small_arrays("conv2d")
    framed = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    expected = sum(
        np.einsum(
            "nchw,fc->nfhw", framed[:, :, row : row + 6, column : column + 5], weights[:, :, row, column]
        )
        for row in range(3)
        for column in range(3)
    )
    assert np.allclose(convolution_in_numpy(images, weights), expected, atol=1e-5)


def test_training_lowers_the_loss():
    pixels, targets, first, second = small_arrays("training")
    targets = np.eye(10, dtype=np.float32)[np.arange(9)]

    def loss(first, second):
        return -np.mean(
            np.log(np.sum(PROGRAMS["classifier"].bind(np)(pixels, first, second) * targets, axis=1))
        )

    before = loss(first, second)
    for _ in range(20):
        first, second = training_step(np, pixels, targets, first, second)
    assert loss(first, second) < before


def test_reference_replaces_the_function_in_numpy_only():
    program = replace(PROGRAMS["sum"], reference=lambda x: x * 0)
    assert program.in_numpy()(np.ones(3)).tolist() == [0, 0, 0]
    assert program.bind(np)(np.ones(3)) == 3
