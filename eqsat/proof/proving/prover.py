"""Reports whether Z3 is installed. Z3 is an extra; without it all rules are sampled."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def prover_version() -> str:
    """The version of Z3, empty where it is not installed (`pip install "eqsat[verify]"`)."""
    try:
        return version("z3-solver")
    except PackageNotFoundError:
        return ""
