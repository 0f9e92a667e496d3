"""What holds for a whole test run: caches are off, and every kernel that it renders goes before Oclgrind at the end.

Kernels are recorded by all workers of a run into one directory. A report about any of them fails the run. Kernels found clean
before are not checked again: `--referee=all` checks them too, with four times the budget for each, and `--referee=off` none.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import pytest

from eqsat import codegen
from eqsat.runtime.cache import digest
from eqsat.runtime.record import VARIABLE as RECORD
from eqsat.runtime.record import record
from eqsat.uop import UOp

CLEAN = "referee/clean"  # in pytest's cache: kernels that were found clean, by this version of the referee
DIRECTORY = pytest.StashKey[Path]()
VERDICT = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--referee",
        choices=("new", "all", "off"),
        default="new",
        help="kernels to check under Oclgrind at the end: those not found clean before, all, or none (default: new)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The first process makes the directory; its workers inherit it."""
    os.environ.setdefault("EQSAT_CACHE", "off")
    if config.getoption("--referee") == "off":
        return
    if RECORD not in os.environ:
        config.stash[DIRECTORY] = Path(tempfile.mkdtemp(prefix="eqsat-kernels-"))
        os.environ[RECORD] = str(config.stash[DIRECTORY])
    codegen.render = _recorded(codegen.render)


def _recorded(render: Callable[..., codegen.RenderedKernel]) -> Callable[..., codegen.RenderedKernel]:
    """What the runtime compiles it records itself, in subprocesses too; this records the OpenCL C that is rendered and goes no further."""

    @wraps(render)
    def recording(kernel: UOp, dialect: codegen.Dialect = codegen.OPENCL_CPU) -> codegen.RenderedKernel:
        rendered = render(kernel, dialect)
        is_of_a_card = re.search("asm volatile|sub_group_reduce", rendered.source)
        # batched programs may run for ever on drawn inputs, and get their functions later: see tests.autobatch.simulated
        may_not_end = re.search(r"goto |for \(;;\)|while \(|const int chunk_", rendered.source)
        if not dialect.sequential and not is_of_a_card and not may_not_end:
            record([rendered])
        return rendered

    return recording


def pytest_unconfigure(config: pytest.Config) -> None:
    directory = config.stash.get(DIRECTORY, None)
    if directory is not None:
        os.environ.pop(RECORD, None)
        shutil.rmtree(directory, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Ask the referee, unless the run was interrupted."""
    directory = session.config.stash.get(DIRECTORY, None)
    if directory is None or session.exitstatus == pytest.ExitCode.INTERRUPTED:
        return
    faulty = _ask(session.config, directory)
    if faulty and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _ask(config: pytest.Config, directory: Path) -> bool:
    """Whether any kernel is faulty; what to print is left in the stash."""
    from tests import oclgrind

    # There is none with `-p no:cacheprovider`: nothing is known then, and nothing kept
    cache = getattr(config, "cache", None)
    version = digest(Path(oclgrind.__file__).read_bytes())
    kept = cache.get(CLEAN, {}) if cache is not None else {}
    known = (
        set(kept["kernels"])
        if kept.get("referee") == version and config.getoption("--referee") == "new"
        else set()
    )
    files = [file for file in sorted(directory.glob("*.json")) if file.stem not in known]
    if not files:
        return False
    start = time.perf_counter()
    thorough = config.getoption("--referee") == "all"
    verdict = oclgrind.check(files, budget=oclgrind.THOROUGH if thorough else oclgrind.BUDGET)
    clean = [file.stem for file, reports in verdict.items() if not reports]
    faulty = ["\n".join([oclgrind.described(file), *reports]) for file, reports in verdict.items() if reports]
    if cache is not None:
        cache.set(CLEAN, {"referee": version, "kernels": sorted(known | set(clean))})
    seconds = time.perf_counter() - start
    summary = f"{len(clean)} kernels clean, {len(faulty)} faulty, {len(known)} known, in {seconds:.1f} s"
    config.stash[VERDICT] = [*faulty, summary]
    return bool(faulty)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash.get(VERDICT, [])
    if lines:
        terminalreporter.section("kernels under Oclgrind")
        for line in lines:
            terminalreporter.line(line)
