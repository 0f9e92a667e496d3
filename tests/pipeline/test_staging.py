"""A compiled program is a UOp at each step, whose reference meaning is what the program computes, and which is compiled again."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32, void
from eqsat.errors import BuildError, CodegenError, DeviceError, ExecutionError, SpecError
from eqsat.ops import AxisType, KernelInfo, Op, Stage
from eqsat.pipeline.planning.staging import STEPS, staged
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.distribution import devices
from tests.forms.form import at, kernel, load, store

W = np.arange(64, dtype=np.float32).reshape(16, 4) / 64
X = np.sin(np.arange(128, dtype=np.float32)).reshape(8, 16)


def attend(x: Any) -> Any:
    e = eq.exp(x - eq.max(x, axis=-1, keepdims=True))
    return eq.matmul(e / eq.sum(e, axis=-1, keepdims=True), W), eq.sum(x, axis=0)


@pytest.fixture(scope="module")
def program() -> eq.Program:
    return eq.compile(eq.trace(attend, eq.spec(X.shape, eq.float32)))


R = UOp.range(8, 0, AxisType.GLOBAL)
OUT, IN = (UOp.param(slot, 8, float32) for slot in (0, 1))
DOUBLE = kernel(store(at(OUT, R), load(at(IN, R)) * 2.0, R))
GIVEN = np.arange(8, dtype=np.float32)


def called(kernel: UOp) -> UOp:
    return UOp.sink(UOp(Op.AFTER, float32, (OUT, UOp(Op.CALL, void, (kernel, OUT, IN)))))


def run(kernel: UOp) -> np.ndarray:
    return eq.compile(called(kernel))(np.zeros(8, np.float32), GIVEN)


@pytest.mark.parametrize("step", STEPS)
def test_program_at_a_step_means_what_it_computes(step: str, program: eq.Program) -> None:
    graph = program.stage(step)
    verify(graph, Stage.PROGRAM)
    kept = {node.op for node in graph.toposort()}
    assert [op in kept for op in (Op.LINEAR, Op.SOURCE, Op.PROGRAM_BINARY)] == [
        STEPS.index(step) > k for k in range(3)
    ]
    expected = program(X)
    for each, wanted in zip(eq.evaluate(graph, {0: X, 1: W}), expected, strict=True):
        np.testing.assert_allclose(each, wanted, rtol=1e-5)
    again = eq.compile(graph)
    for each, wanted in zip(again(X, W), expected, strict=True):
        np.testing.assert_array_equal(each, wanted)
    assert eq.from_json(json.loads(json.dumps(eq.to_json([graph]))), allow_custom=True) == [graph]
    assert len(graph.pretty()) < 100_000, "binaries and sources are shortened"


def test_uop_is_the_last_step(program: eq.Program) -> None:
    assert program.uop == program.stage("binary")
    with pytest.raises(BuildError, match="'sink', 'linear', 'source', 'binary', not 'banana'"):
        program.stage("banana")


@pytest.mark.parametrize("step", STEPS)
def test_kernel_is_taken_along_from_any_step_to_any_later_one(step: str) -> None:
    early = staged(DOUBLE, step)
    assert [source.op for source in early.src] == [Op.SINK, Op.DEVICE, Op.LINEAR, Op.SOURCE, Op.PROGRAM_BINARY][: len(early.src)]  # fmt: skip
    late = staged(early, "binary")
    assert late.src[: len(early.src)] == early.src
    assert staged(late, "sink") == staged(DOUBLE, "sink")
    np.testing.assert_array_equal(run(early), 2 * GIVEN)


def test_source_that_a_program_brings_is_what_runs() -> None:
    program = staged(DOUBLE, "source")
    text: str = program.src[3].arg
    tripled = program.with_src((*program.src[:3], program.src[3].replace(arg=text.replace("2.0f", "3.0f"))))
    np.testing.assert_array_equal(run(tripled), 3 * GIVEN)
    np.testing.assert_array_equal(run(staged(tripled, "binary")), 3 * GIVEN)
    assert staged(tripled, "source") == tripled


def test_instructions_that_a_program_brings_are_what_runs() -> None:
    halved = kernel(store(at(OUT, R), load(at(IN, R)) * 0.5, R))
    mixed = UOp(Op.PROGRAM, void, (*staged(DOUBLE, "sink").src, staged(halved, "linear").src[2]))
    np.testing.assert_array_equal(run(mixed), GIVEN / 2)


OTHER = staged(DOUBLE.replace(arg=KernelInfo("other")), "linear")
S = UOp.range(9, 0, AxisType.GLOBAL)
LONGER = kernel(store(at(UOp.param(0, 9, float32), S), load(at(UOp.param(1, 9, float32), S)) * 2.0, S))


def with_source(op: Op, arg: object) -> UOp:
    whole = staged(DOUBLE, "binary")
    return whole.with_src(tuple(each.replace(arg=arg) if each.op is op else each for each in whole.src))


@pytest.mark.parametrize(
    ("made", "error", "words"),
    [
        (lambda: run(with_source(Op.SOURCE, "__kernel void other() {}")), CodegenError, "does not define 'form_kernel'"),
        (lambda: run(with_source(Op.PROGRAM_BINARY, b"banana")), DeviceError, "rejects the binary of form_kernel"),
        (lambda: run(with_source(Op.DEVICE, "banana")), DeviceError, "no device is named 'banana'"),
        (lambda: run(with_source(Op.DEVICE, "Oclgrind: Oclgrind Simulator")), DeviceError, "stage its SINK for that device|no device"),
        (lambda: staged(DOUBLE, "banana"), BuildError, "one of the steps"),
        (lambda: staged(UOp.sink(UOp(Op.CUSTOM, void, (), ";"), arg=KernelInfo("idle"))), BuildError, "no buffers"),
        (lambda: staged(OUT), SpecError, "SINK, DEVICE, LINEAR, SOURCE, PROGRAM_BINARY in this order"),
        (lambda: staged(UOp.sink(OUT)), SpecError, "its SINK is a kernel's"),
        (lambda: staged(UOp(Op.PROGRAM, void, (*staged(DOUBLE, "sink").src, OTHER.src[2]))), SpecError, "give both one KernelInfo"),
        (lambda: staged(UOp(Op.PROGRAM, void, (*staged(LONGER, "sink").src, staged(DOUBLE, "linear").src[2]))), SpecError, "linearize that SINK"),
    ],
)  # fmt: skip
def test_program_that_does_not_fit_is_refused(made: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        made()


def test_program_of_several_devices_says_that_its_parts_are_uops() -> None:
    devices.require(devices.HALVES)
    places = [UOp(Op.DEVICE, void, (), name) for name in devices.HALVES]
    values = [UOp(Op.COPY, float32, (place, IN)) * 2.0 for place in places]
    program = eq.compile(UOp.sink(*values))
    with pytest.raises(ExecutionError, match="its parts run on one each"):
        program.stage("sink")
    with pytest.raises(ExecutionError, match="its parts run on one each"):
        program.save("nowhere")
