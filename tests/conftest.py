"""Options of the whole test run."""

import gc

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.referee"]

# Whole numbers that say how much is drawn: option, default, meaning.
AMOUNTS = (
    ("--programs", 50, "array programs to draw"),
    ("--expressions", 80, "scalar expressions to draw"),
    ("--networks", 24, "networks to draw and schedule"),
    ("--schedules", 24, "pairs of a drawn graph and a drawn schedule of it to run"),
    ("--linear", 25, "linear programs to draw"),
    ("--kernels", 40, "kernels to draw"),
    ("--mutations", 60, "mutations of each document or cache to draw"),
    ("--forms", 40, "lists of sources that each operation is put on, at each stage (0: all there are)"),
    ("--accuracy", 1 << 14, "inputs of each elementary function to judge (half precision always all)"),
    ("--kills", 6, "processes with a shared cache to kill"),
    ("--seed", 0, "which programs, expressions and mutations to draw: the same number draws the same"),
)

# A busy machine is no failure.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

YOUNG = 20_000  # objects that the garbage collector lets live before it looks at them: at 700, as usual, it took a twentieth of a run
OLDER = 20  # looks at younger objects for each at older ones: with 10, as usual, they took 1.2 % of a run, and with 20 .7


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Tests stay to the end. The garbage collector looks at them once, not again and again, which takes a twentieth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, OLDER, OLDER)


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much is drawn, and which."""
    group = parser.getgroup("eqsat")
    for option, default, meaning in AMOUNTS:
        group.addoption(option, type=int, default=default, help=f"{meaning} (default: {default})")
    group.addoption(
        "--sizes",
        choices=("few", "all"),
        default="few",
        help="of the arrays whose every layout is tried (default: few)",
    )
    group.addoption(
        "--rules-verified",
        action="store_true",
        help="`eqsat rules --verify` is run, too: leave out what it samples",
    )
    group.addoption(
        "--regenerate-golden",
        action="store_true",
        help="write tests/golden anew instead of comparing with it",
    )
