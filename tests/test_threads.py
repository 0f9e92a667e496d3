"""Threads: what several of them simplify, build and run at once is what one of them would, and no e-graph is removed by the wrong one."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import TypeVar

import numpy as np

import eqsat as eq
from eqsat.egraph.search.engine import Engine
from eqsat.rules import INDEX, Const, Rewrite, Topic, Value, pure, rewrite
from eqsat.uop import UOp
from tests.drawn import drawn

T = TypeVar("T")
THREADS = 3


def at_once(function: Callable[[int], T]) -> list[T]:
    """What a function of its number gives in each of several threads that start together."""
    barrier = Barrier(THREADS)

    def begin(number: int) -> T:
        barrier.wait()
        return function(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def test_threads_simplify_as_one_would() -> None:
    expected = [[eq.simplify(drawn(seed)) for seed in range(first, first + 8)] for first in range(THREADS)]
    found = at_once(lambda first: [eq.simplify(drawn(seed)) for seed in range(first, first + 8)])
    assert all(
        ours is theirs
        for left, right in zip(expected, found, strict=True)
        for ours, theirs in zip(left, right, strict=True)
    )


def test_threads_build_one_object() -> None:
    def build(_: int) -> list[UOp]:
        variable = UOp.variable("i", 0, 9)
        return [variable * factor + 1 for factor in range(2_000)]

    first, *others = at_once(build)
    assert all(ours is theirs for other in others for ours, theirs in zip(first, other, strict=True))


def test_threads_run_one_function() -> None:
    doubled = eq.jit(lambda x: x * 2 + 1)
    arrays = [np.full(100, number, np.float32) for number in range(THREADS)]
    for array, result in zip(
        arrays, at_once(lambda number: np.asarray(doubled(arrays[number]))), strict=True
    ):
        np.testing.assert_array_equal(result, array * 2 + 1)


def test_e_graphs_go_with_their_thread() -> None:
    """egglog's e-graphs must not be removed by another thread, so nothing may be left of one for the cycle collector, which runs in any."""
    thread = Thread(target=lambda: eq.simplify(UOp.variable("i", 0, 9) * 4 // 4))
    eq.simplify(UOp.variable("i", 0, 9) * 4 // 4)
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        before = engines()
        thread.start()
        thread.join()
        gc.collect()
        left = [type(found).__module__ for found in gc.garbage]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert engines() == before
    assert not [module for module in left if module.startswith("eqsat.egraph")]


def engines() -> int:
    """How many there are."""
    return sum(isinstance(found, Engine) for found in gc.get_objects())


def test_function_of_a_rule_may_simplify() -> None:
    """With the same rules: there is another e-graph for it."""
    topic = Topic("nested")
    asked: list[int] = []

    @pure
    def is_one(divisor: int) -> bool:
        asked.append(divisor)
        return (
            divisor == 1
            or eq.simplify(UOp.variable("k", 5, 9) // 1, rules=topic.ruleset).op is not eq.Op.DEFINE_VAR
        )

    @topic.rule(INDEX)
    def quotient_by_one(x: Value, c: Const) -> Rewrite:
        """A quotient by one."""
        return rewrite(x // c, x, where=is_one(c))

    quotient = UOp.variable("i", 0, 9) // 4
    assert eq.simplify(quotient, rules=topic.ruleset) is quotient
    assert set(asked) == {1, 4}
