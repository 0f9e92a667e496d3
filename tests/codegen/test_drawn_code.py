"""The code of drawn kernels and programs, as files to read; `pytest tests/codegen --regenerate-golden` writes them anew.

What drawn kernels come to, `test_drawn_kernels` shows; what is here also shows a change that only costs time, or is the same in another form.
"""

from __future__ import annotations

from inspect import unwrap
from pathlib import Path

import pytest

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, C, RenderedKernel, render
from tests.drawn_instructions.drawing import drawn as drawn_program
from tests.drawn_kernels.checking import is_of_one_item
from tests.drawn_kernels.drawing import drawn as drawn_kernel

GOLDEN = Path(__file__).parents[1] / "golden" / "drawn"
FILES = 12
KERNELS = 10  # of a file
PROGRAMS = 3  # of a file of programs
LONGEST = 2200  # characters of a kernel that is read
LANGUAGES = (OPENCL_CPU, OPENCL_GPU, C)
TEXT_OF = unwrap(render)  # without the referee, who sees such kernels when they are run


def code(rendered: RenderedKernel) -> str:
    """The kernel without the helpers before it."""
    return rendered.source[rendered.source.rindex(f"// {rendered.name}:") :]


def kernel_code(number: int) -> str:
    """A kernel in one of the languages that have it."""
    sink = drawn_kernel("code", number).sink
    language = LANGUAGES[number % len(LANGUAGES)]
    return code(TEXT_OF(sink, language if language is not C or is_of_one_item(sink) else OPENCL_CPU))


@pytest.mark.parametrize("file", range(FILES))
def test_code_of_drawn_kernels(file: int, request: pytest.FixtureRequest) -> None:
    texts = map(kernel_code, range(file * KERNELS, (file + 1) * KERNELS))
    compare(f"kernels_{file}.c", [text for text in texts if len(text) <= LONGEST], request)


@pytest.mark.parametrize("file", range(FILES // 3))
def test_code_of_drawn_programs(file: int, request: pytest.FixtureRequest) -> None:
    programs = (drawn_program("code", number) for number in range(file * PROGRAMS, (file + 1) * PROGRAMS))
    compare(f"programs_{file}.c", [code(TEXT_OF(each.linear)) for each in programs], request)


def compare(name: str, texts: list[str], request: pytest.FixtureRequest) -> None:
    """Asserts that these are in a file, or writes them."""
    file, text = GOLDEN / name, "\n".join(texts)
    if request.config.getoption("--regenerate-golden"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    before = file.read_text()
    differing = [each for each in texts if each not in before]
    assert text == before, "\n".join(["if these are meant, run with --regenerate-golden:", *differing[:2]])
