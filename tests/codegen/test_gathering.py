"""Lanes of vectors at addresses that are read are gathered, by an instruction where there is one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import OPENCL_CPU
from eqsat.codegen.rendering.gathers import gathering
from eqsat.machine import PROCESSOR
from eqsat.pipeline.compilation import as_sink, rendered, scheduled
from eqsat.runtime import get_device

SCALE = 3


def scaled_at(table: eq.Array, where: eq.Array) -> eq.Array:
    return eq.take(table, eq.astype(where, eq.int64), axis=0) * SCALE


@pytest.mark.parametrize("places", [np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.float16, np.int16])
def test_gathered_lanes_are_those_of_numpy(dtype: Any, places: Any) -> None:
    """Also of negative places, which count from the end, and where the last vector is no whole one."""
    draw = np.random.default_rng(0)
    table = (draw.standard_normal(200) * 50).astype(dtype)
    least = -200 if places is not np.uint8 else 0
    where = draw.integers(least, 200, 1003).astype(places)
    scaled = eq.jit(scaled_at)
    np.testing.assert_array_equal(scaled(table, where), table[where.astype(np.int64)] * SCALE)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int16, np.int64])
def test_lanes_outside_are_zero(dtype: Any) -> None:
    """They are not read, and their neighbours are what they are."""
    table = np.arange(1, 101, dtype=dtype)
    where = np.arange(1600, dtype=np.int64) * 7919 % 400 - 200
    expected = np.where((where >= -100) & (where < 100), table[where % 100], 0).astype(dtype) * SCALE
    scaled = eq.jit(scaled_at)
    np.testing.assert_array_equal(scaled(table, where), expected)


def test_lanes_that_no_instruction_gathers_are_loaded_without_branches() -> None:
    """Those outside load the first element, and are zero afterwards."""
    program = eq.compile(eq.trace(scaled_at, eq.spec((200,), eq.uint8), eq.spec((1600,), eq.int32)))
    (kernel,) = program.kernels
    assert re.search(r"\(uchar(8|16)\)\(in\d+\[offset", kernel.source)
    assert not re.search(r"\? in\d+\[", kernel.source)
    table, where = np.arange(1, 201, dtype=np.uint8), np.arange(1600, dtype=np.int32) * 7919 % 600 - 300
    expected = np.where((where >= -200) & (where < 200), table[where % 200], 0).astype(np.uint8)
    np.testing.assert_array_equal(program(table, where), expected * np.uint8(SCALE))


def test_halves_that_are_loaded_one_by_one_are_converted_together() -> None:
    """Each half comes out with its own bits, also numbers that are too small for others."""
    table = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    table = table[~np.isnan(table)]
    where = np.random.default_rng(0).permutation(len(table))
    graph = eq.trace(
        lambda table, where: eq.take(table, where, axis=0),
        eq.spec(table.shape, eq.float16),
        eq.spec(where.shape, eq.int64),
    )
    program = eq.compile(graph)
    (kernel,) = program.kernels
    assert re.search(r"half_value_ushort(8|16)\(\(ushort\1\)\(in\d+\[", kernel.source)
    np.testing.assert_array_equal(program(table, where).view(np.uint16), table[where].view(np.uint16))


def test_interpolation_in_a_table_gathers_vectors() -> None:
    def interpolated(table: eq.Array, x: eq.Array) -> eq.Array:
        place = eq.astype(eq.floor(x), eq.int32)
        part = x - eq.astype(place, eq.float32)
        return eq.take(table, place, axis=0) * (1.0 - part) + eq.take(table, place + 1, axis=0) * part

    draw = np.random.default_rng(0)
    table, x = (
        draw.standard_normal(65).astype(np.float32),
        draw.uniform(0.0, 64.0, 100_000).astype(np.float32),
    )
    program = eq.compile(
        eq.trace(interpolated, eq.spec(table.shape, eq.float32), eq.spec(x.shape, eq.float32))
    )
    (kernel,) = program.kernels
    assert "gather_global_float16(in" in kernel.source
    assert ("gatherdiv" in kernel.source) == get_device().dialect.gathers
    np.testing.assert_allclose(program(table, x), np.interp(x, np.arange(65), table), atol=1e-5)


@pytest.mark.parametrize(("dtype", "vector"), [(np.float32, "float16"), (np.int32, "int16")])
def test_rows_in_local_memory_are_gathered_from(dtype: Any, vector: str) -> None:
    def picked(rows: eq.Array, where: eq.Array) -> eq.Array:
        return eq.take_along_axis(rows, where, axis=1)

    draw = np.random.default_rng(0)
    rows = (draw.standard_normal((2000, 600)) * 50).astype(dtype)
    where = draw.integers(-600, 600, (2000, 90))
    program = eq.compile(eq.trace(picked, eq.spec(rows.shape, rows.dtype), eq.spec(where.shape, where.dtype)))
    asked = any(f"gather_local_{vector}(shared0, " in kernel.source for kernel in program.kernels)
    assert asked == get_device().dialect.gathers
    np.testing.assert_array_equal(program(rows, where), np.take_along_axis(rows, where, axis=1))


def test_all_lanes_are_loaded_where_gathers_are_slow() -> None:
    graph = as_sink(eq.trace(scaled_at, eq.spec((200,), eq.float32), eq.spec((1003,), eq.int32)))
    made, _ = scheduled(graph, PROCESSOR, eq.Plan())
    for gathers in (True, False):
        kernels = rendered(made, replace(OPENCL_CPU, gathers=gathers), contract=True)
        assert any("gatherdiv" in kernel.source for kernel in kernels) == gathers
        assert any("places = inside ? at" in kernel.source for kernel in kernels) != gathers


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "float16", "int8", "bool"])
@pytest.mark.parametrize("positions", ["int32", "int64", "int8", "uint64"])
def test_lanes_outside_are_zero_wherever_they_point(dtype: str, positions: str) -> None:
    draw = np.random.default_rng(5)
    table = draw.integers(1, 100, 50).astype(dtype)
    bounds = np.iinfo(positions)
    where = draw.integers(0, 50, 1_003).astype(positions)
    corners = np.array([bounds.min, bounds.max, bounds.max // 2 + 1, bounds.max - 49, 50, 127], positions)
    where[::3] = draw.choice(corners, len(where[::3]))
    found = np.asarray(eq.jit(eq.take)(table, where))
    places = where.astype(object)
    places = np.where(places < 0, places + 50, places)
    inside = (places >= 0) & (places < 50)
    expected = np.where(inside, table[np.where(inside, places, 0).astype(int)], np.zeros((), dtype))
    np.testing.assert_array_equal(found, expected)


def test_places_that_are_read_inside_their_array_are_not_gated() -> None:
    """A row of an image is found once, by a plain load, whether its columns are inside or not."""

    def resized(image: eq.Array, rows: eq.Array, columns: eq.Array) -> eq.Array:
        return eq.take(eq.take(image, rows, axis=0), columns, axis=1)

    image = np.random.default_rng(0).integers(1, 256, (72, 128, 3)).astype(np.uint8)
    rows, columns = np.arange(-80, 80, 3), np.arange(-140, 140, 3)
    inside = ((rows >= -72) & (rows < 72))[:, None] & ((columns >= -128) & (columns < 128))
    expected = np.where(inside[..., None], image[rows % 72][:, columns % 128], 0)
    graph = eq.trace(resized, *(eq.spec(each.shape, each.dtype) for each in (image, rows, columns)))
    made, _ = scheduled(as_sink(graph), PROCESSOR, eq.Plan())
    (kernel,) = rendered(made, replace(OPENCL_CPU, gathers=True), contract=True)
    (number,) = re.findall(rf"\bin(\d+)\[{len(rows)}\]", kernel.source)
    # In a comment, as a parameter and where it is read
    assert len(re.findall(rf"\bin{number}\b", kernel.source)) == 3
    np.testing.assert_array_equal(eq.compile(graph)(image, rows, columns), expected)


@pytest.mark.parametrize(
    ("dtype", "names"),
    [(eq.float64, "01234567"), (eq.float32, "0123456789abcdef"), (eq.int32, "0123456789abcdef")],
)
def test_processors_without_the_instruction_choose_each_lane(dtype: eq.DType, names: str) -> None:
    """What is compiled where AVX-512 is missing; lanes have hexadecimal names."""
    text = gathering("", "gathered", str(dtype), dtype.vec(len(names)), "const float *")
    plain = text.partition("#else")[2]
    assert re.findall(r"inside\.s(\w) \? from\[at\.s(\w)\] : otherwise", plain) == [
        (each, each) for each in names
    ]
