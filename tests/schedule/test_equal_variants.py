"""Variants of one kernel cost the same, and those that differ only in arithmetic cost at least what all of them have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from itertools import pairwise

import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.machine import Machine
from eqsat.schedule.placement import KernelPrices
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.placement.cone import STAGED
from eqsat.schedule.placement.cone_builder import ConeBuilder
from eqsat.schedule.placement.equal_variants import VariantComparison
from eqsat.schedule.placement.variants import Enumeration, Variant
from eqsat.schedule.placement.writing import write
from eqsat.uop import UOp

MACHINE = Machine()
TINY = 1e-12  # seconds, which each kernel exceeds


def softmax(x: eq.Array) -> eq.Array:
    e = eq.exp(x - eq.max(x, axis=-1, keepdims=True))
    return e / eq.sum(e, axis=-1, keepdims=True)


def normalized(x: eq.Array) -> eq.Array:
    apart = x - eq.mean(x, axis=1, keepdims=True)
    return apart / eq.sqrt(eq.mean(apart * apart, axis=1, keepdims=True) + 1e-5)


def neighbours(x: eq.Array) -> eq.Array:
    return eq.roll(x, 1, axis=0) + eq.roll(x, -1, axis=1)


def escape(a: eq.Array, b: eq.Array) -> eq.Array:
    x, y, steps = a, b, eq.zeros_like(a)
    for _ in range(3):
        of_x, of_y = x * x, y * y
        steps = steps + eq.where(of_x + of_y <= 4.0, 1.0, 0.0)
        x, y = of_x - of_y + a, 2.0 * x * y + b
    return steps


PROGRAMS: dict[str, tuple[Callable[..., eq.Array], list[tuple[int, ...]]]] = {
    "attention": (
        lambda q, k, v: softmax(q @ eq.swapaxes(k, -1, -2) * 0.3) @ v,
        [(2, 64, 16)] * 3,
    ),
    "variance": (lambda x: eq.mean((x - eq.mean(x, axis=1, keepdims=True)) ** 2, axis=1), [(48, 96)]),
    "layer norm": (
        lambda x, scale, shift: normalized(x) * scale + shift,
        [(48, 96), (96,), (96,)],
    ),
    "neighbours": (neighbours, [(24, 40)]),
    "escape": (escape, [(24, 40)] * 2),
    "two products": (lambda x, y, z, w: x * y + z * w, [(24, 40)] * 4),
    "scaled product": (lambda x, y: eq.exp(2.0 * (x @ y) - 1.0), [(32, 48), (48, 40)]),
}


Family = tuple[VariantComparison, list[tuple[Variant, tuple[UOp, ...]]]]
"""The variants of one kernel, with what they store."""


@pytest.fixture(scope="module", params=PROGRAMS)
def families(request: pytest.FixtureRequest) -> list[Family]:
    """Those of each kernel of a program."""
    return families_of(request.param)


def families_of(name: str) -> list[Family]:
    function, shapes = PROGRAMS[name]
    traced = eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))
    graph = ArrayGraph(saturate([traced], eq.Plan().admitted).snapshot, MACHINE)
    candidates = StorageCandidates(graph, all_of=8)
    builder = ConeBuilder(graph, candidates)
    found = list[Family]()
    for c in sorted(candidates.must_store):
        cone = builder.build([c])
        variants = Enumeration(0, cone, 160).variants
        rows = [(each, write(graph, cone, each.inside).roots) for each in variants]
        found.append((VariantComparison(graph, cone), rows))
    return found


def grouped(families: list[Family], what: str) -> Iterator[list[tuple[UOp, ...]]]:
    """Variants that have a kernel or a frame in common: what each stores."""
    for comparison, rows in families:
        groups: dict[Hashable, list[tuple[UOp, ...]]] = defaultdict(list)
        for variant, roots in rows:
            groups[getattr(comparison.keys(variant.inside), what)].append(roots)
        yield from groups.values()


def test_variants_of_one_kernel_cost_the_same(families: list[Family]) -> None:
    prices = KernelPrices(MACHINE)
    for group in grouped(families, "kernel"):
        for one, other in pairwise(group):
            assert prices.price(one) == prices.price(other)


def test_a_bound_without_arithmetic_holds_for_all_of_equal_frame(families: list[Family]) -> None:
    exact = KernelPrices(MACHINE)
    for group in grouped(families, "frame"):
        bounds = [KernelPrices(MACHINE).price(roots, TINY).without_arithmetic for roots in group]
        assert min(bounds) > 0.0
        assert max(bounds) <= min(exact.price(roots).seconds for roots in group)


def test_one_stretch_of_memory_is_copied_in_one_shape() -> None:
    """Rows of a reshaped input are stretches of the input itself."""
    ((comparison, _),) = families_of("scaled product")
    graph = comparison.graph
    copied = {kind.c for kind in comparison.cone.kinds if kind.node == STAGED}
    views = [c for c in copied if graph.rows[graph.cheapest[c]][0] in graph.inputs]
    assert len(views) == 2
    assert copied.isdisjoint(graph.inputs)


def test_what_is_asked_of_an_index_is_asked_wherever_rows_are_repeated() -> None:
    """A comparison before an EXPAND and one after it are one comparison in the kernel."""
    ((comparison, rows),) = families_of("neighbours")
    assert len({comparison.keys(each.inside).kernel for each, _ in rows}) < len(rows)


def test_of_two_products_a_sum_takes_in_either() -> None:
    ((comparison, rows),) = families_of("two products")
    computing = [each for each, _ in rows if len(each.reads) == 4]
    assert len({comparison.keys(each.inside).kernel for each in computing}) == 1 < len(computing)


def test_factors_make_frames() -> None:
    ((comparison, rows),) = families_of("scaled product")
    variants = [comparison.keys(each.inside) for each, _ in rows]
    assert len({each.frame for each in variants}) < len({each.kernel for each in variants})
