"""Devices are found in a fixed order, chosen by name, and a wrong choice says what there is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eqsat as eq
from eqsat.errors import DeviceError
from eqsat.runtime import devices, get_device
from eqsat.runtime.devices import VARIABLE


def test_default_is_no_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert get_device().kind != "simulator"
    assert get_device() is devices()[0]


def test_simulators_come_last() -> None:
    kinds = [device.kind for device in devices()]
    assert kinds == sorted(kinds, key=("gpu", "cpu", "simulator").index)


def test_names_are_distinct() -> None:
    names = [device.name for device in devices()]
    assert len(set(names)) == len(names)


def test_whole_name_part_case_version_and_number_choose() -> None:
    for number, device in enumerate(devices()):
        assert get_device(device.name) is device
        assert get_device(number) is device
        assert get_device(str(number)) is device
    assert get_device("OCLGRIND").kind == "simulator"
    assert get_device("pocl").is_pocl


def test_variable_chooses_and_argument_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "oclgrind")
    assert get_device().kind == "simulator"
    assert get_device("pocl").kind == "cpu"


def test_unknown_device_lists_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "toaster")
    with pytest.raises(
        DeviceError, match=r"no device is named 'toaster'; there are 0: '.*pip install"
    ) as caught:
        get_device()
    assert all(device.name in str(caught.value) for device in devices())


@pytest.mark.parametrize("name", [":1/2", "²", "-1", "pocl:1/" + "9" * 5000])
def test_nonsense_in_the_variable_is_an_unknown_name(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(VARIABLE, name)
    with pytest.raises(DeviceError, match="no device is named"):
        get_device()


@pytest.mark.parametrize("name", ["pocl:1/0", "pocl:0/2", "pocl:3/2"])
def test_parts_have_numbers_from_one_to_their_count(name: str) -> None:
    with pytest.raises(DeviceError, match=f"'{name}' is no part of a device; give a count from 1 on"):
        get_device(name)


def test_an_empty_name_is_no_device() -> None:
    with pytest.raises(DeviceError, match="a device has a name; None asks for the default"):
        get_device("")


def test_a_simulator_computes_vectors() -> None:
    """Oclgrind executes some of what an optimizer makes of vectors wrongly."""
    x, plan = np.arange(16) - 8, eq.Plan(device="oclgrind")
    truth, floors = eq.jit(
        lambda x: (eq.astype(x, eq.bool_), eq.floor(eq.astype(x, eq.float32) / 2)), plan=plan
    )(x)
    np.testing.assert_array_equal(truth.view(np.uint8), x != 0)
    np.testing.assert_array_equal(floors, np.floor(x / 2))


def test_a_number_of_many_digits_is_an_unknown_number() -> None:
    with pytest.raises(DeviceError, match=r"no device number 9{300}…; there are 0: '"):
        get_device("9" * 5000)


def test_unknown_number_lists_those_there_are() -> None:
    with pytest.raises(DeviceError, match=r"no device number 99; there are 0: '"):
        get_device(99)


def test_description_follows_the_device() -> None:
    machine = get_device("pocl").described
    assert 1 <= machine.cores <= 4096
    assert machine.vector_bytes in (16, 32, 64)
    assert 1e8 < machine.frequency < 1e10
    level1, level2, level3 = machine.cache_bytes
    assert 1 << 12 < level1 < level2 < level3


def _python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_no_platform_says_how_to_get_one(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    done = _python("from eqsat.runtime import get_device; get_device()", OCL_ICD_VENDORS=missing)
    assert "eqsat.errors.DeviceError: no OpenCL platform with a device was found; install one" in done.stderr
    assert 'pip install "pyopencl[pocl]"' in done.stderr


def test_only_a_simulator_is_not_chosen() -> None:
    code = """
import sys
from eqsat.runtime import devices, get_device
found = tuple(one for one in devices() if one.kind == "simulator")
sys.modules["eqsat.runtime.devices"].devices = lambda: found
get_device()
"""
    assert "only simulators were found (0: 'Oclgrind" in _python(code).stderr


def test_importing_makes_no_device() -> None:
    code = "import sys, eqsat.runtime; sys.exit('pyopencl' in sys.modules or 'diskcache' in sys.modules)"
    assert _python(code).returncode == 0
