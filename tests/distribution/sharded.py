"""Drawn array programs whose inputs and intermediate values are put on devices, and runs of what they are cut into."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat.array as xp
from eqsat.array.data import parametrize
from eqsat.distribution import HOST, Given, Parts
from eqsat.ops import Op, Stage
from eqsat.reference import evaluate
from eqsat.runtime.crew import value_of
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.strategies import Program

Data = dict[int, NDArray[Any]]


def sharded(program: Program, devices: Sequence[str], random: Random) -> tuple[UOp, Data]:
    """The graph of a program on several devices, and its data by slot."""
    values: list[Any] = []
    for array in program.inputs:
        values.append(placed(xp.asarray(array), devices, random))
    for step in program.steps:
        operands = (values[operand] for operand in step.operands)
        made = step.operation.function(xp, *operands, **step.arguments)
        values.append(placed(made, devices, random) if random.random() < 0.2 else made)
    graph = UOp.sink(*(values[place].uop for place in program.outputs))
    verify(graph, Stage.ARRAY)
    closed, data = parametrize(graph)
    return closed, dict(enumerate(data))


def placed(array: Any, devices: Sequence[str], random: Random) -> Any:
    """The array where it is, on the first device, on each, or in parts along some axis."""
    few = [devices[0], *random.sample(devices[1:], random.randint(1, len(devices) - 1))]
    random.shuffle(few)
    match random.choice(("stay", "one", "each", "parts", "parts", "parts")):
        case "one":
            return xp.to_device(array, devices[0])
        case "each":
            return xp.shard(array, devices)
        case "parts" if array.ndim:
            return xp.shard(array, few, random.randrange(array.ndim))
        case _:
            return array


def stacked(random: Random, devices: Sequence[str]) -> UOp:
    """An expression over different copies of an array, shards and whole arrays, combined by an ALLREDUCE."""
    inputs = [xp.placeholder(slot, (4, 3), "float64") for slot in range(3)]
    copies = [
        xp.to_device(each, random.choice(devices)).uop if random.random() < 0.7 else each.uop
        for each in inputs
    ]
    if random.random() < 0.5:
        stack = UOp(Op.MSTACK, inputs[0].dtype, tuple(copies))
    else:
        real = tuple(random.random() < 0.6 for _ in copies)
        stack = UOp(
            Op.MULTI, inputs[0].dtype, tuple(copies), (None, real if any(real) else (True, False, True))
        )
    value = stack * placed(inputs[1], devices, random).uop + 1.0
    if random.random() < 0.5:
        value = value + xp.shard(inputs[2], list(devices)[:3]).uop * stack
    target = (
        (UOp(Op.DEVICE, UOp.sink().dtype, (), random.choice([*devices, HOST])),)
        if random.random() < 0.5
        else ()
    )
    total = UOp(Op.ALLREDUCE, value.dtype, (value, *target), random.choice((Op.ADD, Op.MAX, Op.MUL)))
    return UOp.sink(total * 2.0, value, xp.shard(inputs[0], devices, 0).uop + total if not target else total)


def run_parts(parts: Parts, data: Data) -> list[NDArray[Any]]:
    """The results of parts that the reference interpreter computes one after another."""
    given = [data.get(slot, np.zeros(0)) for slot in range(1 + max(data, default=-1))]
    made: list[Sequence[NDArray[Any]]] = []
    for part in parts.parts:
        arrays = [
            value_of(source, given, lambda each: made[each.part][each.number], {}) for source in part.sources
        ]
        assert all(isinstance(source, Given) or source.part < len(made) for source in part.sources)
        made.append(evaluate(part.sink, dict(enumerate(arrays))))
    return [
        np.concatenate([made[piece.part][piece.number] for piece in result.pieces], result.axis)
        if len(result.pieces) > 1
        else made[result.pieces[0].part][result.pieces[0].number]
        for result in parts.results
    ]
