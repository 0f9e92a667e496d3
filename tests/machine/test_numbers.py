"""A machine has numbers with which times can be predicted; others are refused, by a message that names the field."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.errors import MachineError
from eqsat.machine import GRAPHICS, PROCESSOR, Machine, OwnPrice
from eqsat.machine.numbers import ABOVE_ZERO, LEAST, MOST, POWERS_OF_TWO
from eqsat.schedule.plan import schedule

MACHINES = {"processor": PROCESSOR, "graphics": GRAPHICS}
NUMBERS = [each.name for each in fields(Machine) if each.name != "prices"]
NONE = [
    -1,
    -1e-9,
    math.nan,
    math.inf,
    -math.inf,
    2e18,
    10**400,
    "3",
    None,
    True,
    1j,
    [1],
    np.array([1.0]),
    10**5000,
    b"1",
]


def changed(machine: Machine, name: str, value: Any) -> list[Machine]:
    """The machine with a field changed; of a field with several numbers, with each of them changed."""
    given = getattr(machine, name)
    if not isinstance(given, tuple):
        return [replace(machine, **{name: value})]
    places = range(len(given))
    return [replace(machine, **{name: (*given[:place], value, *given[place + 1 :])}) for place in places]


def named(name: str) -> str:
    return f"^{name} of a machine is (an?|a tuple of .*) (integer|number|power|).* from .* to .*, not "


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(
    "value", NONE, ids=lambda value: repr(value)[:12] if not isinstance(value, int) else f"int {value > 0}"
)
def test_what_is_no_number_of_a_machine_is_named(name: str, value: Any) -> None:
    for machine in MACHINES.values():
        with pytest.raises(MachineError, match=named(name)) as caught:
            changed(machine, name, value)
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize("name", sorted(ABOVE_ZERO))
@pytest.mark.parametrize("value", [0, 0.0, 1e-320, LEAST / 2])
def test_what_times_are_divided_by_is_above_zero(name: str, value: float) -> None:
    with pytest.raises(MachineError, match=named(name)):
        changed(PROCESSOR, name, value)


@pytest.mark.parametrize("name", POWERS_OF_TWO)
@pytest.mark.parametrize("value", [3, 33, 2048, 1 << 40])
def test_vectors_are_of_a_power_of_two(name: str, value: int) -> None:
    with pytest.raises(MachineError, match=f"{name} of a machine is .*powers? of two from"):
        changed(PROCESSOR, name, value)


@pytest.mark.parametrize("value", [(), (1, 2), (1, 2, 3, 4), 3, None, [1, 2, 3], "123"])
@pytest.mark.parametrize("name", ["cache_bytes", "way_bytes", "latency_cycles"])
def test_levels_of_memory_have_three_numbers(name: str, value: Any) -> None:
    with pytest.raises(MachineError, match=f"{name} of a machine is a tuple of 3 "):
        replace(PROCESSOR, **{name: value})


@pytest.mark.parametrize("widths", [(), 4, None, [4], (4,) * 9, (4, 8.0), ("4",)])
def test_widths_of_vectors_are_a_few_integers(widths: Any) -> None:
    with pytest.raises(MachineError, match="vector_widths of a machine is a tuple of 1 to 8 powers of two"):
        replace(PROCESSOR, vector_widths=widths)


@pytest.mark.parametrize("prices", [None, {}, [], "x", [OwnPrice("ADD", "float32", 1.0)]])
def test_prices_are_a_tuple(prices: Any) -> None:
    with pytest.raises(MachineError, match="prices of a machine are a tuple of OwnPrice, not"):
        Machine(prices=prices)


@pytest.mark.parametrize(
    "row",
    [("ADD", "float32", 1.0), None, 1.0, OwnPrice("NOP", "float32", 1.0), OwnPrice(3, "float32", 1.0), OwnPrice("ADD", "float33", 1.0),  # pyright: ignore[reportArgumentType]
     OwnPrice("ADD", "float32x4", 1.0), OwnPrice("ADD", None, 1.0), OwnPrice(["ADD"], "any", 1.0),  # pyright: ignore[reportArgumentType]
     *(OwnPrice("ADD", "any", cycles) for cycles in (0.0, 1e-320, *NONE))],
    ids=lambda row: repr(row)[:50] if not isinstance(row, OwnPrice) or not isinstance(row.cycles, int) else f"int {row.cycles > 0}",
)  # fmt: skip
def test_what_is_no_price_is_named(row: Any) -> None:
    with pytest.raises(MachineError, match="^a price of a machine is an OwnPrice of .*, not "):
        Machine(prices=(OwnPrice("MUL", "any", 1.0), row))


def test_memory_of_a_program_of_any_size_fits() -> None:
    assert PROCESSOR.within(1 << 200).from_memory(0) == 1


@pytest.fixture(scope="module")
def snapshot() -> Any:
    graph = eq.trace(lambda a: eq.exp(a) / eq.sum(a, axis=1, keepdims=True), eq.spec((64, 32), eq.float32))  # pyright: ignore
    return saturate([graph], eq.Plan().admitted).snapshot


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("name", NUMBERS)
def test_a_machine_that_is_accepted_has_times(name: str, machine: Machine, snapshot: Any) -> None:
    """Or its numbers are an error of eqsat's."""
    whole = isinstance(getattr(machine, name), int) or name in ("cache_bytes", "way_bytes", "vector_widths")
    extremes = POWERS_OF_TWO.get(name, (1, 10**18) if whole else (LEAST, 1.0, MOST))
    for value in (extremes[0], extremes[-1], *(() if name in ABOVE_ZERO else (0,))):
        for other in changed(machine, name, value):
            made = schedule(snapshot, other)
            assert 0 <= made.predicted_seconds < math.inf, other
            assert made.lower_bound <= made.predicted_seconds * (1 + 1e-9), other
