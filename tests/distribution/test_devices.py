"""Programs of several OpenCL devices have the results of the reference, which knows one."""

from __future__ import annotations

import threading
from random import Random

import numpy as np
import pytest

import eqsat as eq
from eqsat.array.data import HostData
from eqsat.ops import Op
from eqsat.pipeline.programs.several import SeveralPrograms
from eqsat.runtime import get_device, split
from eqsat.uop import UOp
from tests.distribution.devices import DRIVERS, HALVES, require
from tests.distribution.sharded import placed
from tests.distribution.steps import floats, train
from tests.dynamic import evaluated
from tests.test_programs import check, pytest_generate_tests  # noqa: F401  which draws groups of programs


@pytest.mark.parametrize(
    ("pair", "batch", "dtype", "error"),
    [(HALVES, 64, "float32", 1e-4), (DRIVERS, 51, "float64", 1e-12), (HALVES, 3, "float32", 1e-4)],
    ids=["halves-64", "drivers-51", "halves-3"],
)
def test_training_step_is_data_parallel(pair, batch: int, dtype: str, error: float) -> None:
    require(pair)
    train(pair, batch, dtype, error)


@pytest.mark.parametrize(
    ("pair", "axes"),
    [(HALVES, axes) for axes in ((0, None), (1, 0), (None, 1), (0, 1), (1, 1), (0, 0), (1, None))]
    + [(DRIVERS, axes) for axes in ((0, None), (1, 0), (1, 1))],
    ids=str,
)
def test_matrices_are_multiplied_in_shards(pair, axes) -> None:
    require(pair)
    x, y = floats(64, 48), floats(48, 20)
    graph = eq.trace(
        lambda x, y: eq.shard(x, pair, axes[0]) @ eq.shard(y, pair, axes[1]),
        eq.spec(x.shape, eq.float32), eq.spec(y.shape, eq.float32),
    )  # fmt: skip
    program = eq.compile(graph)
    assert isinstance(program, SeveralPrograms)
    assert program.devices == tuple(get_device(name) for name in pair)
    np.testing.assert_allclose(program(x, y), x @ y, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("extent", "dtype"),
    [(5, dtype) for dtype in ("float16", "float32", "float64", "int8", "uint16", "int64", "bool")]
    + [(extent, "float32") for extent in (0, 1, 2, 8)],
)
def test_every_dtype_and_extent_is_sharded(extent: int, dtype: str) -> None:
    require(HALVES)
    x = (np.arange(extent * 3).reshape(extent, 3) % 5).astype(dtype)

    def function(x, shard=lambda x: x):
        parts = shard(x)
        return eq.maximum(parts, parts[::-1]), eq.sum(parts, axis=0), eq.sum(parts, axis=1), parts.T

    two = eq.jit(lambda x: function(x, lambda x: eq.shard(x, HALVES, 0)))
    for mine, other in zip(two(x), evaluated(function, [x]), strict=True):
        np.testing.assert_array_equal(mine, other)


def by_halves(program):
    """What a program makes of inputs that lie on the two halves of a device."""
    random = Random(repr(program))

    def function(*arrays):
        return program.run(eq.array, [placed(array, HALVES, random) for array in arrays])

    graph = eq.trace(function, *(eq.spec(array.shape, array.dtype) for array in program.inputs))
    return eq.compile(graph).run(program.inputs)


def test_drawn_programs_run_on_two_devices(group, pytestconfig) -> None:
    require(HALVES)
    check(by_halves, (group[0], min(group[1], 5)), pytestconfig.getoption("seed"))


def test_halves_are_devices_of_their_own() -> None:
    require(HALVES)
    whole, halves = get_device("pocl"), split("pocl", 2)
    assert [half.name for half in halves] == [f"{whole.name}:1/2", f"{whole.name}:2/2"]
    assert [get_device(half.name) for half in halves] == list(halves)
    assert [half.described.cores * 2 for half in halves] == [whole.described.cores] * 2


def test_basic_driver_is_a_device() -> None:
    require(DRIVERS)
    assert get_device("basic").described.cores == 1
    assert get_device("basic") is not get_device("pthread")


def test_data_on_a_device_is_computed_there() -> None:
    require(HALVES)
    program = eq.compile(UOp.sink((eq.to_device(floats(4), HALVES[1]) * 2).uop))
    assert [part.device.name for part in program.parts] == [get_device(HALVES[1]).name]


def test_shards_may_be_buffers_on_devices() -> None:
    """The older form: each shard is a BUFFER on its device."""
    require(HALVES)
    data = floats(6), floats(4)
    shards = []
    for name, array in zip(HALVES, data, strict=True):
        place = UOp(Op.DEVICE, UOp.sink().dtype, (), name)
        identity = UOp(Op.UNIQUE, UOp.sink().dtype, (), HostData(array))
        shards.append(UOp(Op.BUFFER, eq.float32, (place, identity), array.size))
    whole = UOp(Op.MULTI, eq.float32, tuple(shards), (0, (True, True)))
    graph = UOp.sink(whole * 2.0, whole.reduce_axis(Op.ADD, (0,)))
    program = eq.compile(graph)
    assert {part.device for part in program.parts} == {get_device(name) for name in HALVES}
    doubled, total = program()
    np.testing.assert_array_equal(doubled, np.concatenate(data) * 2)
    np.testing.assert_allclose(total, np.concatenate(data).sum(), rtol=1e-5)
    for each in (eq.compile(eq.optimize(graph))(), eq.evaluate(graph, dict(zip(shards, data, strict=True)))):
        np.testing.assert_array_equal(each[0], doubled)


def test_buffers_on_different_devices_are_not_combined() -> None:
    require(HALVES)
    places = [UOp(Op.DEVICE, UOp.sink().dtype, (), name) for name in HALVES]
    x, y = (UOp(Op.PARAM, eq.float32, (place,), (slot, 4)) for slot, place in enumerate(places))
    with pytest.raises(eq.DeviceError, match="ADD.* has operands on .*:1/2 and .*:2/2; COPY one"):
        eq.compile(UOp.sink(x + y))


def test_variables_have_values_on_all_devices() -> None:
    require(HALVES)
    count = UOp.variable("count", 0, 9)
    x = eq.shard(eq.placeholder(0, (6, 4), eq.float32), HALVES, 0)
    graph = UOp.sink((x.uop * count.cast(eq.float32).broadcast((6, 4))).reduce_axis(Op.ADD, (0,)))
    program = eq.compile(graph)
    data = floats(6, 4)
    for value in (0, 7):
        np.testing.assert_allclose(program(data, count=value), (data * value).sum(0), rtol=1e-5, atol=1e-5)
    with pytest.raises(eq.ExecutionError, match="'count' is 10 and must be an integer in 0..9"):
        program(data, count=10)


def test_results_are_arrays_of_their_own() -> None:
    """A value that is returned twice, or passed through, is copied."""
    require(HALVES)

    @eq.jit
    def function(x):
        there = eq.to_device(x, HALVES[1])
        return there * 2, there * 2, there

    x = floats(100)
    first, second, third = function(x)
    first[:] = 0
    np.testing.assert_array_equal(second, x * 2)
    third[:] = 0
    assert x.any()


def test_threads_take_turns() -> None:
    require(HALVES)
    function = eq.jit(lambda x: eq.sum(eq.shard(x, HALVES, 0) * 2, axis=0))
    inputs = [floats(40, 5) * number for number in range(4)]
    function(inputs[0])
    results: dict[int, list[np.ndarray]] = {}

    def work(number: int) -> None:
        results[number] = [function(inputs[number]) for _ in range(30)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    for number, found in results.items():
        for each in found:
            np.testing.assert_allclose(each, inputs[number].sum(0) * 2, rtol=1e-5, atol=1e-5)


def test_profile_times_the_kernels_of_all_parts() -> None:
    require(HALVES)
    program = eq.compile(eq.trace(lambda x: eq.sum(eq.shard(x, HALVES, 0) * 2), eq.spec((40, 5), eq.float32)))
    assert len(program.profile(floats(40, 5))) == len(program.kernels) == len(program.schedule.kernels)


def test_selected_copy_takes_the_arguments_of_its_stack() -> None:
    x, y = UOp.param(0, 4, eq.float32), UOp.param(1, 4, eq.float32)
    data = floats(4), floats(4)
    for number in range(2):
        selected = UOp(Op.MSELECT, eq.float32, (UOp(Op.MSTACK, eq.float32, (x, y)),), number)
        for graph in (selected, UOp.sink(selected), eq.optimize(selected)):
            np.testing.assert_array_equal(eq.compile(graph)(*data), data[number])


# what is refused


def test_unknown_device_is_named() -> None:
    graph = eq.trace(lambda x: eq.shard(x, ["pocl", "CUDA:7"], 0) * 2, eq.spec((4,), eq.float32))
    with pytest.raises(eq.DeviceError, match="DEVICE.*no device is named 'CUDA:7'; there are"):
        eq.compile(graph)


def test_devices_that_cannot_be_divided_say_so() -> None:
    with pytest.raises(eq.DeviceError, match="compute units, which are not divided into 7777 equal parts"):
        split("pocl", 7777)
    with pytest.raises(eq.DeviceError, match="not divided into 0"):
        split("pocl", 0)


@pytest.mark.parametrize("devices", [[], ["pocl", "pocl"], [0, "0"]])
def test_shards_need_devices_that_differ(devices) -> None:
    with pytest.raises(eq.BuildError, match="name one device or more, each once"):
        eq.shard(eq.ones(4), devices, 0)


def test_sharded_axis_must_exist() -> None:
    with pytest.raises(eq.ShapeError, match="cannot shard along axis 2 of 2 axes"):
        eq.shard(eq.ones((2, 3)), HALVES, 2)


def test_copies_of_different_numbers_are_refused() -> None:
    value = eq.shard(eq.ones(4), HALVES) + eq.shard(eq.ones(4), [*HALVES, "pocl"])
    with pytest.raises(eq.SpecError, match="combines arrays of 2 and 3 copies"):
        eq.compile(UOp.sink(value.uop))


def test_a_lost_device_fails_the_run_and_not_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is that of the device, the other device's thread ends, and the program runs again when the device is back."""
    require(HALVES)
    graph = eq.trace(lambda x: eq.sum(eq.shard(x, HALVES, 0) * 2, axis=0), eq.spec((40, 5), eq.float32))
    program = eq.compile(graph)
    x = floats(40, 5)
    expected = program(x)
    lost = next(part for part in program.parts if part.device.name.endswith("2/2"))

    def fail(arrays, values):
        raise eq.DeviceError("the device was lost")

    for step in program._crew._steps:
        if step.place == lost.device.name:
            monkeypatch.setitem(step.__dict__, "run", fail)
    for _ in range(3):
        with pytest.raises(eq.DeviceError, match="the device was lost"):
            program(x)
    monkeypatch.undo()
    np.testing.assert_array_equal(program(x), expected)


@pytest.mark.parametrize("device", [None, 1.5, True, "", object()])
def test_what_is_neither_a_name_nor_a_number_is_no_device(device) -> None:
    with pytest.raises(eq.BuildError, match="is no device; give a name"):
        eq.shard(eq.ones(4), [device, "pocl"], axis=0)
    with pytest.raises(eq.BuildError, match="is no device; give a name"):
        eq.to_device(eq.ones(4), device)
