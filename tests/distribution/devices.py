"""The devices that tests of several devices run on: two halves of the default device, or two drivers of one processor."""

from __future__ import annotations

import functools

import pytest

from eqsat.errors import DeviceError
from eqsat.runtime import get_device

HALVES = ("pocl:1/2", "pocl:2/2")
DRIVERS = ("pthread", "basic")


@functools.cache
def missing(names: tuple[str, ...]) -> str:
    """Why there are no such devices; empty if there are."""
    try:
        for name in names:
            get_device(name)
    except DeviceError as error:
        return str(error)
    return ""


def require(names: tuple[str, ...]) -> None:
    """Skips a test on machines without the devices: a processor with an odd number of cores has no halves."""
    if missing(names):
        pytest.skip(missing(names))
