"""`benchmarks.kernels`: its workloads, what becomes of libraries that fail, and the numbers in the end."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from functools import partial
from math import sqrt

import numpy as np
import pytest

from benchmarks.kernels import by_hand
from benchmarks.kernels.__main__ import main
from benchmarks.kernels.contest import Contest, Standing
from benchmarks.kernels.contestant import WARMING
from benchmarks.kernels.drawn import KINDS as DRAWN_KINDS
from benchmarks.kernels.drawn import drawn
from benchmarks.kernels.peers import BY_HAND, PEERS, Call, Peer, prepare_numpy
from benchmarks.kernels.summary import failures, row, summary
from benchmarks.kernels.table import WORKLOADS
from benchmarks.kernels.workload import Input
from eqsat.demo.report import as_list, largest_error

KINDS = {
    "product", "convolution", "norm", "attention", "reduction", "optimizer", "gradient", "loss",
    "arg-reduction", "scan", "elementwise", "stencil", "blur", "pooling",
    "interleaved image", "gather", "scatter", "recurrent cell", "distance", "float64 function", "small call",
    "quantization", "recurrence",
}  # fmt: skip
# The others take long to compile
TESTED = [name for name in ("eqsat", "numpy", "jax", "torch") if PEERS[name].is_installed()]


def test_the_table_has_64_workloads_of_all_kinds():
    assert len(WORKLOADS) == 64
    assert {workload.kind for workload in WORKLOADS.values()} == KINDS
    assert sum(workload.hand_written is not None for workload in WORKLOADS.values()) == 8


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=list(WORKLOADS))
@pytest.mark.parametrize("peer", TESTED)
def test_libraries_agree_with_the_reference_on_small_inputs(peer, workload):
    arrays = workload.arrays(small=True)
    call = PEERS[peer].prepare(workload, arrays)
    results, expected = call.fetch(call.run()), workload.reference(arrays)
    assert largest_error(results, expected) <= workload.tolerance
    in_numpy = prepare_numpy(workload, arrays)
    assert [each.dtype for each in results] == [each.dtype for each in in_numpy.fetch(in_numpy.run())]


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=list(WORKLOADS))
def test_small_inputs_are_small_and_of_the_same_kind(workload):
    for each, array in zip(workload.inputs, workload.arrays(small=True), strict=True):
        assert array.size <= 1000
        assert array.ndim == len(each.shape)
        assert array.dtype.name == each.dtype


NUMBERS = [DRAWN_KINDS.index(kind) for kind in dict.fromkeys(DRAWN_KINDS)]
SMALL = drawn("tests", NUMBERS, most=48)


@pytest.mark.parametrize("name", SMALL)
def test_drawn_workloads_agree_with_the_reference(name):
    workload = SMALL[name]
    arrays = workload.arrays()
    call = PEERS["eqsat"].prepare(workload, arrays)
    assert largest_error(call.fetch(call.run()), workload.reference(arrays)) <= workload.tolerance


def test_a_seed_draws_the_same_workloads_again_and_another_draws_others():
    again = drawn("tests", NUMBERS, most=48)
    assert list(again) == list(SMALL)
    for name, workload in again.items():
        for mine, theirs in zip(workload.arrays(), SMALL[name].arrays(), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert not set(drawn("others", NUMBERS, most=48)) & set(SMALL)


def test_the_command_measures_drawn_workloads(capsys):
    command = "--drawn tests --first 7 --count 2 --peers eqsat numpy --budget 0 --json"
    main(command.split())
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [each["workload"] for each in rows] == list(drawn("tests", range(7, 9)))
    assert all(each["ratio"] > 0 for each in rows)


DIVIDED = {  # by the tiles of the kernels written by hand
    "matmul_512": ((32, 24), (24, 64)),
    "matmul_1024": ((16, 5), (5, 32)),
    "conv_3x3": ((2, 3, 14, 28), (64, 3, 3, 3)),
    "attention": 3 * ((2, 64, 24),),
    "softmax": ((512, 128),),
    "layer_norm": ((512, 128), (128,), (128,)),
    "sum": ((1 << 14,),),
    "scaled_gelu": ((512, 48), (48,), (48,)),
}


@pytest.mark.parametrize("name", DIVIDED)
@pytest.mark.parametrize("factor", [1, 30])
def test_kernels_by_hand_agree_with_the_reference_at_sizes_that_their_tiles_divide(name, factor):
    workload = replace(WORKLOADS[name], inputs=tuple(Input(shape, shape) for shape in DIVIDED[name]))
    arrays = [factor * array for array in workload.arrays()]
    call = PEERS[BY_HAND].prepare(workload, arrays)
    first, expected = call.fetch(call.run()), workload.reference(arrays)
    again = call.fetch(call.run())
    assert largest_error(first, expected) <= workload.tolerance
    assert [(each.shape, each.dtype) for each in first] == [(each.shape, np.float32) for each in expected]
    assert np.array_equal(first, again)
    assert not np.shares_memory(first[0], again[0])


def test_kernels_by_hand_are_those_of_the_eight():
    eight = {name for name, workload in WORKLOADS.items() if workload.hand_written}
    assert set(by_hand.WRITTEN) == PEERS[BY_HAND].only == set(DIVIDED) == eight


def after(calls, act, workload, arrays):
    """NumPy, until it has been called a number of times."""
    call = prepare_numpy(workload, arrays)
    left = iter(range(calls))

    def run():
        return call.run() if next(left, None) is not None else act()

    return Call(run, as_list)


def failing():
    raise ArithmeticError("no more")


BAD = {
    "lacking": (0, failing, "ArithmeticError: no more"),
    "wrong": (0, partial(np.zeros, 16), "wrong: its error 1.0e+00 is above 1.0e-04"),
    "failing later": (WARMING, failing, "ArithmeticError: no more"),
    "hanging": (WARMING, partial(time.sleep, 100), "timed out: ended after 12 s"),
    "ending": (WARMING + 1, partial(os._exit, 3), "the process ended with exit code 3"),
}


def test_libraries_that_fail_are_told_and_do_not_disturb_others():
    peers = [Peer(name, "numpy", partial(after, calls, act)) for name, (calls, act, _) in BAD.items()]
    absent = Peer("absent", "no_such_package", prepare_numpy)
    with Contest([*peers, absent, PEERS[BY_HAND], PEERS["numpy"]], limit=12.0) as contest:
        standings = contest.measure(WORKLOADS["small_add"], rounds=3, seconds=0.0)
    told = {name: standing.failure for name, standing in standings.items()}
    assert told == {
        **{name: message for name, (_, _, message) in BAD.items()},
        "absent": "no_such_package is not installed",
        BY_HAND: "",
        "numpy": "",
    }
    assert all(standings[name].median is None for name in (*BAD, "absent", BY_HAND))
    steady = standings["numpy"]
    assert 0 < steady.least <= steady.median
    assert steady.processor > 0
    assert steady.calls >= 3


def times(median, least):
    return Standing(median=median, least=least, processor=2 * median, calls=9, error=0.0)


def test_ratios_are_to_the_best_other_library():
    standings = {
        "eqsat": times(2e-3, 1e-3),
        "numpy": times(8e-3, 7e-3),
        "torch": times(4e-3, 3.5e-3),
        "jax": replace(times(1e-3, 1e-3), median=None, least=None, failure="wrong"),
    }
    found = row(WORKLOADS["softmax"], standings)
    assert (found["best"], found["ratio"], found["least_ratio"]) == ("torch", 2.0, 3.5)
    assert (found["eqsat"], found["torch"], found["jax"]) == (2.0, 4.0, None)
    assert found["best_busy"] == 2 * found["busy"] == pytest.approx(8.0 / (os.cpu_count() or 1))
    assert (found["PoCL 3.0"], found["Intel"]) == (0.66, 0.61)
    assert failures({"softmax": standings}) == {"jax: wrong": ["softmax"]}


def test_kernels_by_hand_are_a_mark_and_not_the_best_other_library():
    standings = {"eqsat": times(3e-3, 2e-3), "numpy": times(6e-3, 5e-3), BY_HAND: times(2e-3, 1e-3)}
    found = row(WORKLOADS["softmax"], standings)
    assert (found["best"], found["ratio"], found["least_ratio"]) == ("numpy", 2.0, 2.5)
    assert (found["over_by_hand"], found["least_over_by_hand"], found[BY_HAND]) == (1.5, 2.0, 2.0)
    assert summary([found])["above_1.15_by_hand"] == ["softmax"]


def test_the_summary_counts_what_is_slow_and_what_has_no_ratio():
    ours, failed = times(1e-3, 1e-3), Standing(failure="lost")
    rows = [
        row(WORKLOADS[name], {"eqsat": mine, "numpy": theirs})
        for name, mine, theirs in (
            ("sum", ours, times(3e-3, 2e-3)),
            ("blur", ours, times(0.7e-3, 0.7e-3)),
            ("grey", ours, times(0.4e-3, 0.4e-3)),
            ("blend", failed, ours),
            ("gram", ours, failed),
        )
    ]
    assert summary(rows) == {
        "geometric_mean": pytest.approx((3 * 0.7 * 0.4) ** (1 / 3), abs=1e-3),
        "least_geometric_mean": pytest.approx((2 * 0.7 * 0.4) ** (1 / 3), abs=1e-3),
        "below_0.5": ["grey"],
        "below_0.8": ["blur", "grey"],
        "above_1.15_by_hand": [],
        "without": ["blend", "gram"],
    }
    assert summary(rows[3:])["geometric_mean"] is None
    assert summary(rows[:1] * 2)["geometric_mean"] == pytest.approx(sqrt(9), abs=1e-3)


def test_the_command_prints_a_document_and_draws_a_plot(tmp_path, capsys):
    plot = tmp_path / "kernels.png"
    asked = [
        "--workloads",
        "small_add",
        "small_matmul",
        "--peers",
        "numpy",
        "--rounds",
        "3",
        "--budget",
        "0",
        "--json",
    ]
    main([*asked, "--plot", str(plot)])
    document = json.loads(capsys.readouterr().out)
    ratios = [each["ratio"] for each in document["rows"]]
    assert document["summary"]["geometric_mean"] == pytest.approx(sqrt(ratios[0] * ratios[1]), rel=0.02)
    for name in ("small_add", "small_matmul"):
        assert set(document["standings"][name]) == {"eqsat", "numpy"}
        assert document["loads"][name] >= 0
    assert plot.read_bytes().startswith(b"\x89PNG")
