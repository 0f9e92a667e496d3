"""Loops over products of bytes have the tiles of matrix registers where the machine has some, and are priced by them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import eqsat as eq
from eqsat.codegen import OPENCL_CPU, render, with_tiles
from eqsat.egraph.saturate import saturate
from eqsat.machine import PROCESSOR, Machine, OwnPrice
from eqsat.schedule.plan import draft

# Text only; products of bytes of small arrays go before Oclgrind in `test_byte_products`.
RENDER = getattr(render, "__wrapped__", render)
WIDE = replace(PROCESSOR, vector_bytes=64, vector_registers=32, prices=(OwnPrice("DOT", "int32", 0.05),))
TILES = replace(WIDE, prices=(*WIDE.prices, OwnPrice("WMMA", "int32", 16.0)))


def multiplied(machine: Machine, rows: int, terms: int, columns: int) -> tuple[str, float]:
    """The sources of the kernels that multiply unsigned with signed bytes, and the seconds that they are predicted to take."""
    specs = eq.spec((rows, terms), eq.uint8), eq.spec((terms, columns), eq.int8)
    graph = eq.trace(lambda a, b: a.astype(eq.int32) @ b.astype(eq.int32), *specs)
    schedule = draft(saturate([graph], eq.Plan().admitted).snapshot, machine).schedule()
    sources = [RENDER(kernel.ast, with_tiles(OPENCL_CPU)).source for kernel in schedule.kernels]
    return "\n".join(sources), schedule.predicted_seconds


@pytest.mark.parametrize(("rows", "terms", "columns"), [(128, 512, 256), (136, 500, 272)])
def test_products_of_bytes_have_tiles_of_matrix_registers(rows: int, terms: int, columns: int) -> None:
    without, seconds = multiplied(WIDE, rows, terms, columns)
    source, less = multiplied(TILES, rows, terms, columns)
    assert "multiply_tiles_" in source
    assert "multiply_tiles_" not in without
    assert less < 0.7 * seconds


def test_few_rows_are_multiplied_as_vectors() -> None:
    source, seconds = multiplied(TILES, 8, 512, 256)
    assert "multiply_tiles_" not in source
    assert multiplied(WIDE, 8, 512, 256) == (source, seconds)
