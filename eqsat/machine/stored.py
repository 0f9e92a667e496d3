"""A machine as a JSON document, which `eqsat devices --calibrate` writes to the cache and later processes read."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any, cast

from eqsat.errors import MachineError
from eqsat.machine.description import Machine
from eqsat.machine.prices import OwnPrice

FORMAT = "eqsat machine 1"
OF_A_PROGRAM = "passing_bytes"  # the field that describes a program, not the machine
MOST_PRICES = 10_000  # there are a few thousand pairs of an operation and an element type


def to_json(machine: Machine) -> str:
    """The JSON document of a machine, without the field that describes a program."""
    known = {name: value for name, value in asdict(machine).items() if name != OF_A_PROGRAM}
    return json.dumps({"format": FORMAT, **known}, indent=1)


def from_json(text: str) -> Machine:
    """The machine that `to_json` wrote.

    >>> from_json(to_json(Machine(cores=3))) == Machine(cores=3)
    True

    Raises:
        MachineError: the text is no such document, or a number in it is impossible for a machine.
    """
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MachineError(f"no description of a machine: {type(error).__name__}; calibrate again") from error
    _require(isinstance(document, dict), "it is no object")
    given: dict[str, Any] = dict(document)
    _require(given.pop("format", None) == FORMAT, f"its format is not {FORMAT!r}")
    _require({*given, OF_A_PROGRAM} == {field.name for field in fields(Machine)}, "it has other fields")
    prices = [_price(row) for row in _list(given.pop("prices"), MOST_PRICES, "its prices")]
    known: dict[str, Any] = {
        name: tuple(cast("list[Any]", value)) if isinstance(value, list) else value
        for name, value in given.items()
    }
    try:
        return Machine(**known, prices=tuple(prices))
    except MachineError as error:
        raise MachineError(f"no description of a machine: {error}; calibrate again") from error


def _price(row: Any) -> OwnPrice:
    parts = _list(row, 3, "a price")
    _require(len(parts) == 3, "a price has not three parts")
    return OwnPrice(*parts)


def _list(value: Any, most: int, name: str) -> list[Any]:
    _require(isinstance(value, list), f"{name} is no list")
    found = cast("list[Any]", value)
    _require(len(found) <= most, f"{name} is longer than {most}")
    return found


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise MachineError(f"no description of a machine: {otherwise}; calibrate again")
