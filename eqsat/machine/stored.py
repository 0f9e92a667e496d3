"""A machine as a JSON document, which `eqsat devices --calibrate` writes to the cache and later processes read."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any, cast

from eqsat.dtype import DType, parse_dtype
from eqsat.errors import DTypeError, MachineError
from eqsat.machine.description import ANY, PROCESSOR, Machine, OwnPrice
from eqsat.ops import Op

FORMAT = "eqsat machine 1"
MOST = 1e18  # greatest number accepted; rates of machines are far below it
MOST_WIDTHS = 8
OF_A_PROGRAM = "passing_bytes"  # the field that describes a program, not the machine
POWERS = frozenset(1 << exponent for exponent in range(11))  # bytes, or lanes, that a vector may have
MOST_PRICES = 10_000  # there are a few thousand pairs of an operation and an element type


def to_json(machine: Machine) -> str:
    """The JSON document of a machine, without the field that describes a program."""
    known = {name: value for name, value in asdict(machine).items() if name != OF_A_PROGRAM}
    return json.dumps({"format": FORMAT, **known}, indent=1)


def from_json(text: str) -> Machine:
    """The machine that `to_json` wrote.

    >>> from_json(to_json(PROCESSOR)) == PROCESSOR
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
    prices = _list(given.pop("prices"), MOST_PRICES, "its prices")
    known = {name: _like(getattr(PROCESSOR, name), name, value) for name, value in given.items()}
    widths = {known["vector_bytes"], *known["vector_widths"]}
    _require(all(width in POWERS for width in widths), "its vectors are not of a power of two")
    return Machine(**known, prices=tuple([_price(row) for row in prices]))


def _like(example: Any, name: str, value: Any) -> Any:
    """The value of a field, checked to be a positive number, or a tuple of them, as in `example`; 0 is accepted where `example` has it."""
    if isinstance(example, tuple):
        numbers = cast("tuple[Any, ...]", example)
        given = _list(value, MOST_WIDTHS, name)
        right = len(given) > 0 if name == "vector_widths" else len(given) == len(numbers)
        _require(right, f"{name} has not {len(numbers)} numbers")
        return tuple([_like(numbers[0], name, each) for each in given])
    whole = value.__class__ is int
    _require(whole or (value.__class__ is float and isinstance(example, float)), f"{name} is no number")
    _require(0 < value <= MOST or value == example == 0, f"{name} is no number of a machine")
    return value


def _price(row: Any) -> OwnPrice:
    parts = _list(row, 3, "a price")
    _require(len(parts) == 3, "a price has not three parts")
    op, dtype, cycles = parts
    _require(isinstance(op, str) and op in Op.__members__, "a price is of no operation")
    _require(dtype == ANY or _is_element(dtype), "a price is of no element type")
    return OwnPrice(op, dtype, float(_like(1.0, "a price", cycles)))


def _list(value: Any, most: int, name: str) -> list[Any]:
    _require(isinstance(value, list), f"{name} is no list")
    found = cast("list[Any]", value)
    _require(len(found) <= most, f"{name} is longer than {most}")
    return found


def _is_element(name: Any) -> bool:
    try:
        dtype = parse_dtype(name) if isinstance(name, str) and name.isalnum() and len(name) <= 16 else None
    except DTypeError:
        return False
    return isinstance(dtype, DType) and dtype.lanes == 1


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise MachineError(f"no description of a machine: {otherwise}; calibrate again")
