"""What a program touches between two runs of a kernel: whether its data come from memory, and whether it stores past the caches."""

from collections.abc import Callable
from typing import Any

import pytest

import eqsat as eq
from eqsat.machine import Machine
from eqsat.schedule.draft import Drafts
from eqsat.schedule.plan import draft_of_layers

ELEMENTS = 1 << 20


def drafted(
    function: Callable[..., Any], count: int, elements: int = ELEMENTS, machine: Machine | None = None
) -> Drafts:
    """The kernels of a function of so many arrays, as it is written."""
    graph = eq.trace(function, *[eq.spec((elements,), eq.float32)] * count)
    return draft_of_layers(graph, machine or Machine(), lambda sink: sink)


def adam(weight, gradient, mean, square):
    """A step of Adam: new weights and moments."""
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient * gradient
    return weight - 0.001 * mean / (eq.sqrt(square) + 1e-8), mean, square


def three_sums(x, y, z, u, v, w):
    """Independent kernels."""
    return x + y, z + u, v + w


def test_arrays_of_a_large_program_come_from_memory_though_those_of_each_kernel_fit_the_cache() -> None:
    elements = (12 << 20) // 3 // 4
    (alone,) = drafted(lambda x, y: x + y, 2, elements).kernels
    every = drafted(three_sums, 6, elements).kernels
    assert len(every) == 3
    assert all(each.choice.best_seconds > 1.5 * alone.choice.best_seconds for each in every)


def test_arrays_of_a_small_program_stay_in_the_cache() -> None:
    elements = (3 << 20) // 3 // 4
    (alone,) = drafted(lambda x, y: x + y, 2, elements).kernels
    assert {each.choice.best_seconds for each in drafted(three_sums, 6, elements).kernels} == {
        alone.choice.best_seconds
    }


def test_a_step_that_reads_everything_once_is_one_kernel() -> None:
    (kernel,) = drafted(adam, 4).kernels
    assert len(kernel.sink.src) == 3


@pytest.mark.parametrize(("most", "streams"), [(12.0, True), (3.0, False)])
def test_stores_of_several_results_follow_each_other_sooner(most: float, streams: bool) -> None:
    """What a step of Adam computes is shared by three stores."""
    (kernel,) = drafted(adam, 4, 4 * ELEMENTS, Machine(streamed_instructions=most)).kernels
    assert kernel.streams is streams


def test_one_result_of_as_many_instructions_is_stored_through_the_caches() -> None:
    (kernel,) = drafted(lambda *arrays: sum(adam(*arrays)), 4, 8 * ELEMENTS).kernels
    assert not kernel.streams
