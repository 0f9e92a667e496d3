import numpy as np
import pytest

import eqsat as eq
from eqsat.demo.programs import PROGRAMS
from eqsat.demo.report import as_list, largest_error, run_program

NAN = float("nan")


@pytest.mark.parametrize(
    ("result", "truth", "error"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 2.0], [1.0, 4.0], 0.5),  # relative to the largest value
        ([0.0], [0.25], 0.25),  # absolute where all are small
        ([NAN, 1.0], [NAN, 1.0], 0.0),
        ([NAN], [1.0], float("inf")),
        ([1.0], [NAN], float("inf")),
        ([], [], 0.0),
        ([1.0], [1.0, 1.0], float("inf")),
    ],
)
def test_largest_error(result, truth, error):
    assert largest_error([np.array(result)], [np.array(truth)]) == error


def test_results_become_a_list_of_arrays():
    assert as_list(np.float32(3))[0].shape == ()
    assert len(as_list((np.zeros(2), np.zeros(3)))) == 2


def test_report_says_what_happened_at_each_stage():
    x = np.random.default_rng(0).normal(size=(16, 40)).astype(np.float32)
    steps = []
    report, (result,) = run_program(PROGRAMS["softmax"], "random numbers", [x], eq.Plan(), steps.append)
    assert np.allclose(result.sum(axis=-1), 1, atol=1e-5)
    assert report.agrees
    assert report.largest_error < 1e-5
    assert len(report.kernels) >= 1
    assert report.egraph_nodes >= report.egraph_classes > 0
    assert min(report.measured_seconds, report.numpy_seconds, report.predicted_seconds) > 0
    assert steps == ["trace and saturate", "compile", "run and compare"]
