"""A machine as a document."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest

from eqsat.dtype import float32
from eqsat.errors import MachineError
from eqsat.machine import GRAPHICS, PROCESSOR, Machine, OwnPrice, from_json, to_json
from eqsat.ops import Op

MEASURED = replace(
    PROCESSOR, cores=7, prices=(OwnPrice("ADD", "float32", 0.75), OwnPrice("LOAD", "any", 1.0))
)


@pytest.mark.parametrize(
    "machine", [PROCESSOR, GRAPHICS, MEASURED], ids=["processor", "graphics", "measured"]
)
def test_a_machine_is_a_value_and_survives_its_document(machine: Machine) -> None:
    machine.cycles(Op.ADD, float32)
    for again in (from_json(to_json(machine)), pickle.loads(pickle.dumps(machine))):
        assert again == machine
        assert hash(again) == hash(machine)
        assert repr(again) == repr(machine)
        assert again.cycles(Op.ADD, float32) == machine.cycles(Op.ADD, float32)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cores", 0), ("cores", 2.5), ("cores", True), ("cores", "2"), ("cores", 10**400), ("cores", None),
        ("frequency", float("nan")), ("frequency", float("inf")), ("frequency", -1.0), ("frequency", [1.0]),
        ("cache_bytes", [1, 2]), ("cache_bytes", 3), ("cache_bytes", [1, 2, "3"]), ("vector_widths", []), ("vector_widths", [3]),
        ("vector_widths", [4] * 100), ("vector_bytes", 33), ("prices", {}), ("prices", [["ADD", "float32"]]), ("prices", ["ADD"]),
        ("prices", [["NOP", "float32", 1.0]]), ("prices", [["ADD", "float33", 1.0]]), ("prices", [["ADD", "float32x4", 1.0]]),
        ("prices", [["ADD", "float32", float("nan")]]), ("prices", [["ADD", "float32", 0]]), ("prices", [[["ADD"], "float32", 1]]),
        ("prices", [["ADD", "float32x" + "9" * 5000, 1.0]]), ("prices", [["ADD", 3, 1.0]]), ("prices", [["ADD", "float32", 1.0]] * 10_001),
        ("format", "eqsat machine 0"), ("format", None), ("speed", 1.0),
    ],
)  # fmt: skip
def test_a_number_that_is_none_of_a_machine_is_refused(field: str, value: object) -> None:
    document = {**json.loads(to_json(PROCESSOR)), field: value}
    with pytest.raises(MachineError, match="no description of a machine: .*; calibrate again"):
        from_json(json.dumps(document))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", "3", "[" * 100_000, '{"cores": ' + "9" * 5000 + "}"]
)
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(MachineError, match="no description of a machine"):
        from_json(text)
