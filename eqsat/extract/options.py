"""Checks the numbers that configure cost models and extractors."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from eqsat.errors import ExtractionError, brief
from eqsat.machine import Machine

LARGEST = (1 << 31) - 1  # the largest integer that solvers take


def require_options(record: Any, *divisors: str) -> None:
    """Checks the fields of a dataclass that are declared as `int`, `float` or `Machine`.

    Args:
        record: a cost model or an extractor.
        divisors: the fields that must be above 0; other numbers may be 0.

    Raises:
        ExtractionError: a field has another type, is negative, or is too large.
    """
    for each in fields(record):
        value: Any = getattr(record, each.name)
        name = f"{each.name} of {type(record).__name__}"
        least = "above 0" if each.name in divisors else "from 0 on"
        match each.type:
            case "int":
                fits = _is_number(value, int) and value <= LARGEST
                words = f"an integer {least}, at most {LARGEST}"
            case "float":
                fits, words = _is_number(value, int | float), f"a number {least}"
            case "Machine":
                fits, words = isinstance(value, Machine), "an eqsat.machine.Machine"
            case _:
                continue
        if not fits or (each.name in divisors and value == 0):
            raise ExtractionError(f"{name} is {words}, not {brief(value)}")


def require_number(name: str, value: Any) -> None:
    """Checks one number.

    Raises:
        ExtractionError: the value is negative, or not a number.
    """
    if not _is_number(value, int | float):
        raise ExtractionError(f"{name} is a number from 0 on, not {brief(value)}")


def _is_number(value: Any, kind: Any) -> bool:
    """Whether the value is a non-negative number that a double holds, or infinite."""
    try:
        return isinstance(value, kind) and not isinstance(value, bool) and float(value) >= 0
    except OverflowError:
        return False
