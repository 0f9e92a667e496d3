"""The loop nest as text has the loops that the kernel has, and statements in an order in which they can run."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest

from eqsat.codegen import expand, linearize
from eqsat.codegen.linearization.nest_text import STATEMENTS, WORDS, nest_text
from eqsat.dtype import float32
from eqsat.machine import Machine
from eqsat.ops import AxisType, Op
from eqsat.schedule.plan import draft
from eqsat.uop import UOp
from tests.forms.form import at, i, kernel, load, node, store
from tests.schedule.graphs import GRAPHS
from tests.schedule.networks import network
from tests.schedule.random_schedules import drawn_tiling

LINE = re.compile(
    r"( *)(?:(parallel|for|unrolled|vectorized) (\w+) in (\d+):|((?:out|local|sum|(?:arg)?max|(?:arg)?min|product|recurrence|kept)\d+)\S* .*)"
)
REDUCED = (AxisType.REDUCE, AxisType.GROUP_REDUCE)
KINDS = {AxisType.GLOBAL: "parallel", AxisType.UNROLL: "unrolled", AxisType.UPCAST: "vectorized"}


def kernels_of(name: str | int) -> list[UOp]:
    """Some schedules of each kernel of a graph, drawn."""
    chance = Random(str(name))
    graph = network(name) if isinstance(name, int) else GRAPHS[name]()
    drafts = draft(graph, Machine()).kernels
    return [each.kernel(drawn_tiling(each, chance)).ast for each in drafts for _ in range(4)]


@pytest.mark.parametrize("name", [*GRAPHS, *range(12)])
def test_text_has_the_loops_and_statements_of_the_kernel(name: str | int) -> None:
    for ast in kernels_of(name):
        text = nest_text(ast)
        lines = [LINE.fullmatch(line) for line in text.splitlines()]
        assert all(lines), text
        order = ast.toposort()
        said = {(found[2], int(found[4])) for found in lines if found and found[2]}
        ranges = [node for node in order if node.op is Op.RANGE]
        assert said == {(KINDS.get(node.arg[1], "for"), node.src[0].arg) for node in ranges}, text
        statements = [found for found in lines if found and found[5] and not found[5].startswith("kept")]
        assert len(statements) == sum(node.op in STATEMENTS for node in order), text
        serial = sum(found[2] == "for" for found in lines if found)
        assert serial == sum(node.op is Op.RANGE for node in linearize(expand(ast)).src), text


@pytest.mark.parametrize("name", [*GRAPHS, *range(12)])
def test_reductions_are_finished_before_they_are_read(name: str | int) -> None:
    for ast in kernels_of(name):
        made: set[str] = set()
        for line in nest_text(ast).splitlines():
            if line.endswith(":"):
                continue
            target, _, value = line.strip().partition(" ")
            read = set(re.findall(r"\b(?:local|sum|(?:arg)?max|(?:arg)?min|product)\d+\b", value)) - {target}
            assert read <= made, line
            made.add(target.partition("[")[0])


def test_statements_are_nested_as_deep_as_their_loops() -> None:
    (kernel,) = draft(GRAPHS["softmax"](), Machine()).kernels
    assert (
        nest_text(kernel.kernel().ast)
        == """\
parallel i0 in 5:
  for k0 in 5:
    vectorized v0 in 8:
      max0 = max(max0, in0[i0, k0, v0])
  for i1 in 5:
    vectorized v1 in 8:
      local0[i1, v1] = exp2((in0[i0, i1, v1] - max0) * 1.4427)
  for k1 in 5:
    vectorized v2 in 8:
      sum0 += where(test[k1, v2], local0[k1, v2], 0)
  for i2 in 5:
    vectorized v3 in 8:
      out0[i0, i2, v3] = local0[i2, v3] / sum0"""
    )


def test_long_formulas_tell_what_they_read() -> None:
    x = UOp.param(0, 8, GRAPHS["softmax"]().src[0].dtype.scalar).reshape((8,))
    for _ in range(30):
        x = x * x + np.pi
    (kernel,) = draft(UOp.sink(x), Machine()).kernels
    assert re.search(r"out0\[.*\] = f\(in0\[.*\]\)$", nest_text(kernel.kernel().ast))


@pytest.mark.parametrize(("characters", "is_told"), [(100, True), (101, False)])
def test_a_formula_is_told_up_to_a_hundred_characters(characters: int, is_told: bool) -> None:
    name = "n" * (characters - len("cast()"))
    stored = store(at(UOp.param(0, 8, float32), i(0)), UOp.variable(name, 0, 9).cast(float32))
    assert (f"cast({name})" in nest_text(kernel(stored))) == is_told


@pytest.mark.parametrize("axis", sorted(WORDS, key=str), ids=str)
def test_a_range_of_each_axis_type_is_told(axis: AxisType) -> None:
    bound = UOp.range(4, 0, axis)
    loaded = load(at(UOp.param(1, 4, float32), bound))
    if axis in REDUCED:
        stored = store(
            at(UOp.param(0, 1, float32), i(0)), node(Op.REDUCE, float32, loaded, bound, arg=Op.ADD)
        )
    else:
        stored = store(at(UOp.param(0, 4, float32), bound), loaded, bound)
    assert f" {WORDS[axis][1]}0 in 4:" in nest_text(kernel(stored))


def test_all_axis_types_of_kernels_have_words() -> None:
    assert set(AxisType) - set(WORDS) == {AxisType.LOOP, AxisType.PLACEHOLDER}
