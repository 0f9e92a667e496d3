"""Options of the whole test run."""

import pytest

pytest_plugins = ["tests.referee"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many programs, expressions and mutations are drawn, and which."""
    group = parser.getgroup("eqsat")
    group.addoption(
        "--programs", type=int, default=200, help="how many array programs to draw (default: 200)"
    )
    group.addoption(
        "--expressions", type=int, default=200, help="how many scalar expressions to draw (default: 200)"
    )
    group.addoption(
        "--networks", type=int, default=60, help="how many networks to draw and schedule (default: 60)"
    )
    group.addoption(
        "--mutations",
        type=int,
        default=100,
        help="how many mutations of each document or cache to draw (default: 100)",
    )
    group.addoption(
        "--forms",
        type=int,
        default=40,
        help="how many lists of sources each operation is put on, at each stage (default: 40; 0: all there are)",
    )
    group.addoption(
        "--accuracy",
        type=int,
        default=1 << 14,
        help="how many inputs of each elementary function to judge (default: 16384; half precision always all)",
    )
    group.addoption(
        "--seed",
        type=int,
        default=0,
        help="which programs, expressions and mutations to draw; the same number draws the same (default: 0)",
    )
    group.addoption(
        "--sizes",
        choices=("few", "all"),
        default="few",
        help="of the arrays whose every layout is tried (default: few)",
    )
    group.addoption(
        "--kills",
        type=int,
        default=20,
        help="how many processes with a shared cache to kill (default: 20)",
    )
    group.addoption(
        "--regenerate-golden",
        action="store_true",
        help="write tests/golden anew instead of comparing with it",
    )
