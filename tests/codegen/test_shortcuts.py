"""An `if` that is marked as a shortcut only saves time: the code of kernels, or what `spec` says of graphs, is the same without it.

The mutation check relies on it: see `benchmarks.mutations.sites`. The changes that it lists as making no difference are among those it makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from inspect import unwrap
from pathlib import Path

import pytest

from benchmarks.mutations.replacing import plain, replacements
from benchmarks.mutations.rooms import ROOMS
from benchmarks.mutations.same import SAME
from benchmarks.mutations.sites import changes, shortcuts, without_shortcut
from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, C, render
from eqsat.errors import CodegenError, SpecError
from eqsat.ops import Stage
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.codegen.test_golden import FEATURES
from tests.drawn_instructions.drawing import drawn as drawn_program
from tests.drawn_kernels.drawing import drawn as drawn_kernel
from tests.forms.form import Runs
from tests.forms.test_forms import FORMS
from tests.spec import memory_boundaries, test_boundaries, test_divergence, test_whole_graphs

ROOT = Path(__file__).parents[2]
FILES = sorted({ROOT / file for room in ROOMS for file in room.files(ROOT)})
PLACES = [(file, line) for file in FILES for line in sorted(shortcuts(file.read_text()))]
TEXT_OF = unwrap(render)  # without the referee, who sees such kernels when they are run
LANGUAGES = (OPENCL_CPU, OPENCL_GPU, C)
DRAWN = 20
EVERY = 3  # of the forms, which are many alike


def graphs() -> Iterator[UOp]:
    yield from FEATURES.values()
    yield from (drawn_kernel("shortcuts", number).sink for number in range(DRAWN))
    yield from (drawn_program("shortcuts", number).linear for number in range(DRAWN // 3))
    forms = [each for each in FORMS if isinstance(each, Runs) and each.stage in (Stage.KERNEL, Stage.LINEAR)]
    yield from (each.graph for each in forms[::EVERY])


def complaints() -> list[str]:
    """What `spec` says of legal and illegal graphs of all stages."""
    legal = [*test_boundaries.LEGAL, *memory_boundaries.LEGAL, *test_whole_graphs.LEGAL]
    illegal = [*test_boundaries.ILLEGAL, *memory_boundaries.ILLEGAL, *test_whole_graphs.ILLEGAL]
    programs = [*test_divergence.PARTED.values(), *test_divergence.TOGETHER.values()]
    found: list[str] = []
    for stage, graph in [
        *legal,
        *(each[:2] for each in illegal),
        *((Stage.LINEAR, each) for each in programs),
    ]:
        try:
            verify(graph, stage)
            found.append("legal")
        except SpecError as error:
            found.append(str(error))
    return found


def codes() -> list[str]:
    """The code of all, each in one language."""
    found: list[str] = []
    for number, graph in enumerate(graphs()):
        try:
            found.append(TEXT_OF(graph, LANGUAGES[number % len(LANGUAGES)]).source)
        except CodegenError as error:
            found.append(str(error))
    return found


SAID = {"spec": complaints, "codegen": codes}


@cache
def before(package: str) -> list[str]:
    return SAID[package]()


def test_shortcuts_are_marked() -> None:
    assert PLACES


@pytest.mark.parametrize(
    ("file", "line"), PLACES, ids=lambda each: each.stem if isinstance(each, Path) else str(each)
)
def test_all_is_the_same_without(file: Path, line: int, monkeypatch: pytest.MonkeyPatch) -> None:
    package = file.relative_to(ROOT).parts[1]
    expected = before(package)
    source = file.read_text()
    found = replacements(str(file), plain(source), without_shortcut(source, line), ())
    assert found
    for function, code in found:
        monkeypatch.setattr(function, "__code__", code)
    assert SAID[package]() == expected


@pytest.mark.parametrize(("file", "line", "text"), SAME)
def test_change_that_makes_no_difference_can_still_be_made(file: str, line: str, text: str) -> None:
    source = (ROOT / file).read_text()
    lines = source.splitlines()
    texts = any(room.texts and file in room.files(ROOT) for room in ROOMS)
    found = {(lines[each.line - 1].strip(), each.text) for each in changes(file, source, texts=texts)}
    assert (line, text) in found
