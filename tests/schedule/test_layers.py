"""Deep networks are cut between equal layers, whatever else they read, store and return; and mean what they meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import eqsat as eq
from eqsat.pipeline.functions.closed import Closed
from eqsat.reference import evaluate
from eqsat.schedule.kernel import Role
from eqsat.schedule.layers import Layer, layers_of
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.uop import UOp

ROWS, WIDTH, HEADS = 20, 32, 2
MATRIX, VECTOR = (WIDTH, WIDTH), (WIDTH,)

Arrays = list[NDArray[np.float32]]


def dense(xp: Any, x: Any, weight: Any, shift: Any) -> tuple[Any, Any]:
    inner = xp.matmul(x, weight)
    return xp.maximum(inner + shift, 0.0), inner


def mixer(xp: Any, x: Any, one: Any, two: Any) -> tuple[Any, Any]:
    mean = xp.mean(x, axis=1, keepdims=True)
    inner = xp.tanh(xp.matmul(x - mean, one))
    return x + xp.matmul(inner, two), inner


def attention(xp: Any, x: Any, one: Any, two: Any, three: Any) -> tuple[Any, Any]:
    seen = xp.tril(xp.ones((ROWS, ROWS))) > 0
    queries, keys, values = (
        xp.permute_dims(xp.reshape(xp.matmul(x, each), (ROWS, HEADS, -1)), (1, 0, 2))
        for each in (one, two, three)
    )
    found = xp.attention(queries, keys, values, mask=seen)
    return x + xp.reshape(xp.permute_dims(found, (1, 0, 2)), (ROWS, WIDTH)), keys


def normalized(xp: Any, x: Any, one: Any, scale: Any) -> tuple[Any, Any]:
    summed = x + xp.matmul(x, one)
    length = xp.sqrt(xp.mean(summed * summed, axis=1, keepdims=True) + 1e-3)
    return summed / length * scale, length


BLOCKS: dict[Callable[..., tuple[Any, Any]], list[tuple[int, ...]]] = {
    dense: [MATRIX, VECTOR],
    mixer: [MATRIX, MATRIX],
    attention: [MATRIX, MATRIX, MATRIX],
    normalized: [MATRIX, VECTOR],
}


def drawn(random: np.random.Generator) -> tuple[UOp, Arrays]:
    """A deep network: blocks of one or two kinds in turn, whose weights some share, with more results than the last, and its arguments."""
    period = [list(BLOCKS)[number] for number in random.integers(0, len(BLOCKS), random.integers(1, 3))]
    depth, shares = int(random.integers(9, 14)), len(period) == 1 and random.random() < 0.3
    kinds = [period[number % len(period)] for number in range(depth)]
    shapes = [(ROWS, WIDTH), *(shape for kind in kinds for shape in BLOCKS[kind])]
    returned = random.integers(0, 12, depth)

    def network(*arrays: Any) -> tuple[Any, ...]:
        x, *given = arrays
        results: list[Any] = []
        if random.random() < 0.3:
            x = eq.sin(x) * 0.5
        for kind, what in zip(kinds, returned, strict=True):
            count = len(BLOCKS[kind])
            x, inner = kind(eq, x, *given[:count])
            given = given if shares else given[count:]
            results += [[x], [x.T], [inner], [eq.reshape(x, (-1,))]][what] if what < 4 else []
        last = [x, eq.sum(x, axis=1), eq.tanh(x), x.T][random.integers(4)]
        return (*results, last)

    graph = eq.trace(network, *(eq.spec(shape, eq.float32) for shape in shapes))
    arrays = [(random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32) for shape in shapes]
    return graph, arrays


def in_layers(layers: Sequence[Layer], sink: UOp, arrays: Arrays) -> list[Any]:
    """The results of a program, computed layer by layer."""
    known: dict[UOp, Any] = {}
    for layer in layers:
        given = {
            slot: known[node] if node in known else arrays[node.arg[0]] for slot, node in layer.reads.items()
        }
        flat = {slot: np.asarray(value).reshape(-1) for slot, value in given.items()}
        known |= zip(layer.results, evaluate(list(layer.sink.src), flat), strict=True)
    return [known[node] for node in sink.src]


def modern(graph: UOp) -> UOp:
    return modernize(Closed.of(graph if graph.op is eq.Op.SINK else UOp.sink(graph)).sink)


@pytest.mark.parametrize("seed", range(40))
def test_layers_compute_what_the_network_computes(seed: int) -> None:
    graph, arrays = drawn(np.random.default_rng(seed))
    sink = modern(graph)
    layers = layers_of(sink)
    found = in_layers(layers, sink, arrays)
    for one, other in zip(
        found, evaluate(list(sink.src), {n: a.reshape(-1) for n, a in enumerate(arrays)}), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_most_drawn_networks_are_cut() -> None:
    networks = [modern(drawn(np.random.default_rng(seed))[0]) for seed in range(40)]
    assert sum(len(layers_of(sink)) > 1 for sink in networks) > 20


@pytest.mark.parametrize("seed", range(3))
def test_compiled_networks_agree_with_the_reference(seed: int) -> None:
    graph, arrays = drawn(np.random.default_rng(seed))
    program = eq.compile(graph)
    found = program(*arrays)
    sink = modern(graph)
    expected = evaluate(list(sink.src), {n: a.reshape(-1) for n, a in enumerate(arrays)})
    for one, other in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-4)


def stack(block: Callable[..., Any], depth: int, *shapes: tuple[int, ...], first: tuple[int, ...]) -> UOp:
    """Blocks after one another, each with its own weights."""

    def network(x: Any, *given: Any) -> Any:
        for number in range(depth):
            x = block(x, *given[len(shapes) * number : len(shapes) * (number + 1)])
        return x

    return modern(eq.trace(network, *(eq.spec(shape, eq.float32) for shape in (first, *shapes * depth))))


def counted(sink: UOp) -> list[int]:
    """How often each layer occurs, the most frequent first."""
    return [times for _, times in Counter(layer.sink for layer in layers_of(sink)).most_common()]


def test_equal_layers_have_one_sink() -> None:
    assert counted(stack(lambda x, w: eq.maximum(x @ w, 0.0), 30, (64, 64), first=(8, 64)))[0] >= 28
    assert counted(
        stack(lambda x, w, v: x + eq.tanh(x @ w) @ v, 20, (64, 256), (256, 64), first=(8, 64))
    ) == [20]


@pytest.mark.parametrize(
    "block",
    [
        lambda x, w: x @ w,  # products of matrices may be taken in another order
        lambda x, w: (x - eq.mean(x, axis=1, keepdims=True)) * w[0],  # cheaper to compute anew
        lambda x, w: eq.sin(x + w[0]),
        lambda x, w: eq.cumulative_sum(x, axis=1) * w[0],
        lambda x, w: eq.maximum(eq.sum(eq.reshape(x, (8, 64, 1)) * w[:1, :1], axis=2), 0.0),
    ],
)
def test_what_good_kernels_may_not_store_is_no_cut(block: Callable[..., Any]) -> None:
    assert counted(stack(block, 40, (64, 64), first=(8, 64))) == [1]


def test_scores_of_attention_are_no_cut() -> None:
    """They need not be stored, though all values that come after are made of them."""
    sink = stack(lambda x, *w: attention(eq, x, *w)[0], 12, MATRIX, MATRIX, MATRIX, first=(ROWS, WIDTH))
    layers = layers_of(sink)
    assert counted(sink) == [12]
    assert {node.shape for layer in layers for node in layer.results} == {(ROWS, WIDTH)}


def test_a_program_with_few_reductions_is_cut_between_steps_alone() -> None:
    assert counted(stack(lambda x, w: eq.maximum(x @ w, 0.0), 16, (64, 64), first=(8, 64))) == [16]
    assert counted(stack(lambda x, w: eq.maximum(x @ w, 0.0), 2, (64, 64), first=(8, 64))) == [1]
    sink = stack(lambda x, *w: attention(eq, x, *w)[0], 2, MATRIX, MATRIX, MATRIX, first=(ROWS, WIDTH))
    assert counted(sink) == [1]


def test_layers_share_memory() -> None:
    """Temporaries of one layer lie where those of others do."""
    weights = (128, 128)
    graph = eq.trace(
        lambda x, *given: _relu_layers(x, given),
        eq.spec((64, 128), "float32"),
        *[eq.spec(weights, "float32")] * 24,
    )
    schedule = eq.compile(graph).schedule
    arenas = {spec.arena for spec in schedule.buffers if spec.role is Role.TEMPORARY}
    assert len(schedule.kernels) >= 24
    assert len(arenas) <= 3
    assert len({kernel.ast for kernel in schedule.kernels}) <= 4


def _relu_layers(x: Any, weights: Sequence[Any]) -> Any:
    for weight in weights:
        x = eq.maximum(x @ weight, 0.0)
    return x
