"""A saved program comes back as it was without being compiled, on the same device only; anything else in its file is a typed error."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import void
from eqsat.errors import DeviceError, EqsatError, GraphFileError
from eqsat.ops import KernelInfo, Op
from eqsat.pipeline.planning.staging import STEPS
from eqsat.runtime import sealed, unsealed
from eqsat.uop import UOp
from tests.mutation import mutated

W = np.arange(64, dtype=np.float32).reshape(16, 4) / 64
X = np.sin(np.arange(128, dtype=np.float32)).reshape(8, 16)


def attend(x: Any) -> Any:
    e = eq.exp(x - eq.max(x, axis=-1, keepdims=True))
    return eq.matmul(e / eq.sum(e, axis=-1, keepdims=True), W), eq.sum(x, axis=0), x


def counted(x: Any) -> Any:
    return x.T + np.int8(3), eq.argmax(x, axis=0), x < 2


SIMULATOR = "Oclgrind: Oclgrind Simulator"
PROGRAMS = {
    "floats and data": (attend, X),
    "integers": (counted, np.arange(12, dtype=np.int8).reshape(3, 4)),
    "nothing to do": (lambda x: x, np.zeros((0, 3), np.float64)),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "program"
    eq.compile(eq.trace(attend, eq.spec(X.shape, eq.float32))).save(path)
    return path


def document(path: Path) -> dict[str, Any]:
    content = unsealed("program", path.read_bytes())
    assert content is not None
    return json.loads(content)


def write(path: Path, document: Any) -> Path:
    path.write_bytes(sealed("program", json.dumps(document).encode()))
    return path


@pytest.mark.parametrize("ran", [False, True], ids=["before a run", "after a run"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_loaded_program_computes_the_same_without_a_compiler(
    name: str, ran: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, x = PROGRAMS[name]
    program = eq.compile(eq.trace(function, eq.spec(x.shape, x.dtype.name)))
    if ran:
        program.run([x])
    program.save(tmp_path / "program")
    monkeypatch.setattr("eqsat.runtime.opencl.program.compile_source", None)
    monkeypatch.setattr("eqsat.runtime.opencl.program.Program._load", None)
    monkeypatch.setattr(pickle, "loads", None)
    loaded = eq.load(tmp_path / "program")
    for _ in range(2):
        for found, wanted in zip(loaded.run([x]), program.run([x]), strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert loaded.stage("source") == program.stage("source")
    assert loaded.schedule == program.schedule
    loaded.save(tmp_path / "again")
    assert eq.load(tmp_path / "again").stage("source") == program.stage("source")


def test_values_of_variables_are_given_as_before(tmp_path: Path) -> None:
    size = eq.variable("size", 0, 9)
    graph = eq.UOp.sink(eq.UOp.param(0, 3, eq.float32) * size.cast(eq.float32).broadcast((3,)))
    eq.compile(graph).save(tmp_path / "program")
    loaded = eq.load(tmp_path / "program")
    np.testing.assert_array_equal(loaded(np.arange(3, dtype=np.float32), size=4), [0, 4, 8])
    with pytest.raises(eq.ExecutionError, match="must be an integer in 0..9"):
        loaded(np.arange(3, dtype=np.float32), size=10)


def test_other_device_is_refused(saved: Path) -> None:
    others = [device for device in eq.devices() if device.identity != eq.get_device().identity]
    for device in others:
        with pytest.raises(DeviceError, match=r"was compiled for .*; compile the program there"):
            eq.load(saved, device)
    with pytest.raises(DeviceError, match="no device is named 'banana'"):
        eq.load(saved, "banana")


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"parts": {"identity": "PoCL | 1.0"}}, DeviceError, "was compiled for PoCL . 1.0, and"),
        ({"device": "banana"}, DeviceError, "no device is named 'banana'"),
        ({"eqsat": "0.0.1"}, GraphFileError, "was saved by eqsat '0.0.1'"),
        ({"data": []}, GraphFileError, "without some of its arguments"),
        ({"data": [["O", [1], "AAAA"]]}, GraphFileError, "no dtype of numbers"),
        ({"data": [["<f4", [1 << 60], "AAAA"]]}, GraphFileError, "holds no program"),
        ({"shapes": [[-1]]}, GraphFileError, "is no shape"),
        ({"shapes": 3}, GraphFileError, "a part of it is missing"),
        ({"graph": {}}, GraphFileError, "holds no program"),
        ({"parts": {"plan": {}}}, GraphFileError, "holds no program"),
        ({"parts": {"bounds": [["n", 1, 2]]}}, GraphFileError, "not for all values"),
    ],
)  # fmt: skip
def test_part_that_does_not_fit_is_refused(
    change: dict[str, Any], error: type[Exception], words: str, saved: Path, tmp_path: Path
) -> None:
    plain = document(saved)
    plain["parts"][0] |= change.get("parts", {})
    path = write(
        tmp_path / "program", plain | {key: value for key, value in change.items() if key != "parts"}
    )
    with pytest.raises(error, match=words) as caught:
        eq.load(path)
    assert len(str(caught.value)) < 2000


def test_binary_that_the_driver_rejects_is_a_typed_error(saved: Path, tmp_path: Path) -> None:
    changed = document(saved)
    plan = changed["parts"][0]["plan"]
    plan["binaries"] = ["YmFuYW5h" for _ in plan["binaries"]]
    with pytest.raises(DeviceError, match="rejects the binary"):
        eq.load(write(tmp_path / "program", changed))


def test_damaged_file_is_refused(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    drawn = random.Random(0)
    path = tmp_path / "program"
    for _ in range(50):
        place = drawn.randrange(len(content))
        broken = content[:place] + bytes([content[place] ^ 1 << drawn.randrange(8)]) + content[place + 1 :]
        path.write_bytes(drawn.choice([broken, content[:place]]))
        with pytest.raises(GraphFileError, match="or is damaged"):
            eq.load(path)


def test_sealed_nonsense_is_refused(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever seals what another one wrote; machine code aside, which a driver runs as it is."""
    monkeypatch.setattr("eqsat.pipeline.programs.loading.Program", lambda *parts: parts)
    plain = document(saved)
    plan = plain["parts"][0]["plan"]
    plan["binaries"] = ["" for _ in plan["binaries"]]
    text, drawn = json.dumps(plain).encode(), random.Random(0)
    path, refused = tmp_path / "program", 0
    for _ in range(60):
        path.write_bytes(sealed("program", mutated(text, drawn)))
        try:
            eq.load(path)
        except EqsatError:
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("path", [None, "", "nowhere", "/", "/dev/zero", "\0", 3])
def test_path_without_a_program_is_a_typed_error(path: Any) -> None:
    with pytest.raises(GraphFileError, match="the path that Program.save wrote"):
        eq.load(path)


def test_file_that_cannot_be_written_is_a_typed_error(tmp_path: Path) -> None:
    program = eq.compile(eq.trace(lambda x: x + 1.0, eq.spec((3,), eq.float32)))
    paths: list[Any] = [tmp_path, None, 3, b"x", "\0"]
    for path in paths:
        with pytest.raises(GraphFileError, match="cannot be written"):
            program.save(path)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("value", [-3, 2])
@pytest.mark.parametrize("read", [True, False], ids=["read", "always the same"])
def test_program_that_calls_one_with_a_variable_comes_back(
    step: str, value: int, read: bool, tmp_path: Path
) -> None:
    """The variable may be negative, and the kernel may read nothing of it, since its bounds say enough."""
    size = eq.variable("size", -4, 4)
    place = UOp.range(6, 0, eq.AxisType.GLOBAL)
    target, source = (UOp.param(slot, 6, eq.float32) for slot in (0, 1))
    scale = size.cast(eq.float32) if read else (size < 5).cast(eq.float32)
    address, element = (UOp(Op.INDEX, eq.float32, (buffer, place)) for buffer in (target, source))
    store = UOp(Op.STORE, void, (address, UOp(Op.LOAD, eq.float32, (element,)) * scale, place))
    kernel = eq.staged(UOp.sink(store, arg=KernelInfo("scaled")), step)
    bound = UOp(Op.BIND, eq.index, (size, UOp.const(eq.index, value)))
    launch = UOp(Op.CALL, void, (kernel, target, source, bound))
    path = tmp_path / "program"
    eq.compile(UOp.sink(UOp(Op.AFTER, eq.float32, (target, launch)))).save(path)
    x = np.arange(6, dtype=np.float32)
    assert np.array_equal(eq.load(path)(np.zeros(6, np.float32), x), x * (value if read else 1))
