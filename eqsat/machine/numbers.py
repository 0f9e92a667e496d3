"""Checks the numbers and prices that describe a machine."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any, cast

from eqsat.dtype import DType, parse_dtype
from eqsat.errors import DTypeError, MachineError, brief
from eqsat.machine.prices import ANY, OwnPrice
from eqsat.ops import Op

LEAST, MOST = 1e-18, 1e18  # rates and prices of machines are far within
MOST_WIDTHS = 8
POWERS = tuple(1 << exponent for exponent in range(11))  # bytes, or lanes, that a vector may have
ABOVE_ZERO = frozenset({
    "cores", "vector_bytes", "passes", "vector_registers", "frequency", "bandwidth", "cache_bytes", "cache_bytes_per_cycle", "way_bytes",
    "line_bytes", "local_size", "units", "resident_items", "resident_words", "sub_group", "vector_widths",
})  # fmt: skip
POWERS_OF_TWO = {
    "vector_bytes": POWERS[2:],
    "sub_group": POWERS,
    "vector_widths": POWERS,
}  # an element has up to 4 bytes
LENGTHS = {"tuple[int, int, int]": 3, "tuple[float, float]": 2, "tuple[float, float, float]": 3}


def require_machine(machine: Any) -> None:
    """Checks the fields of a `Machine`.

    Raises:
        MachineError: a field has another type, or a value that no machine has.
    """
    for each in fields(machine):
        value: Any = getattr(machine, each.name)
        if each.name == "prices":
            _require_prices(value)
        elif not _fits(value, each.name, str(each.type)):
            raise MachineError(
                f"{each.name} of a machine is {_wanted(each.name, str(each.type))}, not {brief(value)}"
            )


def _fits(value: Any, name: str, kind: str) -> bool:
    if not kind.startswith("tuple"):
        return _is_number(value, name, whole=kind == "int")
    if not isinstance(value, tuple):
        return False
    numbers = cast("tuple[Any, ...]", value)
    right = 1 <= len(numbers) <= MOST_WIDTHS if kind == "tuple[int, ...]" else len(numbers) == LENGTHS[kind]
    return right and all(_is_number(number, name, whole="int" in kind) for number in numbers)


def _is_number(value: Any, name: str, *, whole: bool) -> bool:
    if not isinstance(value, int if whole else (int, float)) or isinstance(value, bool):
        return False
    return (LEAST if name in ABOVE_ZERO else 0) <= value <= MOST and value in POWERS_OF_TWO.get(
        name, (value,)
    )


def _wanted(name: str, kind: str) -> str:
    """What a field has to be, in words."""
    if name in POWERS_OF_TWO:
        powers = POWERS_OF_TWO[name]
        one, many = "a power of two", "powers of two"
        span = f"from {powers[0]} to {powers[-1]}"
    elif "int" in kind:
        one, many, span = "an integer", "integers", f"from {int(name in ABOVE_ZERO)} to {MOST:g}"
    else:
        one, many, span = "a number", "numbers", f"from {LEAST if name in ABOVE_ZERO else 0:g} to {MOST:g}"
    if not kind.startswith("tuple"):
        return f"{one} {span}"
    return f"a tuple of {LENGTHS.get(kind, f'1 to {MOST_WIDTHS}')} {many} {span}"


def _require_prices(prices: Any) -> None:
    if not isinstance(prices, tuple):
        raise MachineError(f"prices of a machine are a tuple of OwnPrice, not {brief(prices)}")
    for row in cast("tuple[Any, ...]", prices):
        if not isinstance(row, OwnPrice) or not _is_price(row.op, row.dtype, row.cycles):
            raise MachineError(
                f"a price of a machine is an OwnPrice of an operation, an element type or {ANY!r}, and {LEAST:g} to {MOST:g} cycles, not {brief(row)}"
            )


def _is_price(op: Any, dtype: Any, cycles: Any) -> bool:
    is_known = isinstance(op, str) and isinstance(dtype, str) and _is_known(op, dtype)
    is_number = isinstance(cycles, int | float) and not isinstance(cycles, bool)
    return is_known and is_number and LEAST <= cycles <= MOST


@lru_cache(1 << 12)
def _is_known(op: str, dtype: str) -> bool:
    """Whether there are such an operation and such an element type."""
    return op in Op.__members__ and (dtype == ANY or _is_element(dtype))


def _is_element(name: str) -> bool:
    try:
        dtype = parse_dtype(name) if name.isalnum() and len(name) <= 16 else None
    except DTypeError:
        return False
    return isinstance(dtype, DType) and dtype.lanes == 1
