"""The referee finds planted faults, names the kernel, and lets clean kernels pass."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eqsat import dtype as dtypes
from eqsat.codegen import RenderedKernel
from eqsat.runtime.record import document
from tests import oclgrind
from tests.runtime.programs import argument, rendered

SIZE = 64


def kernel(
    body: str, size: int = SIZE, local: int = 1, name: str = "planted", elements: int = SIZE
) -> RenderedKernel:
    return rendered(
        name, body, [argument(0, elements, written=True), argument(1, elements)], size, local=(local,)
    )


FAULTS = {
    "Write-write data race": "o[i / 2] = a[i];",
    "Read-write data race": "o[i] = a[i]; if (i > 0) o[i] = o[i - 1];",
    "Invalid read": "o[i] = a[i + 1];",
    "Invalid write": "o[i + 1] = a[i];",
    "Uninitialized value": "float s[4], r = 0; "
    "for (int j = 1; j < 4; j++) s[j] = a[i]; for (int j = 0; j < 4; j++) r += s[j]; o[i] = r;",
    "depends on uninitialized": "if (o[i] > 1) o[i] = 2;",
    "divergence": "if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE); o[i] = a[i];",
}


@pytest.mark.parametrize("report", FAULTS)
def test_planted_fault_is_reported(report: str) -> None:
    reports = oclgrind.check_kernel(kernel(FAULTS[report], local=4 if report == "divergence" else 1))
    assert any(report in text for text in reports), reports


def test_one_value_written_twice_is_a_race() -> None:
    assert oclgrind.check_kernel(kernel("o[0] = 1;"))


def test_vector_that_reaches_over_the_end_is_reported() -> None:
    body = "typedef float8 U __attribute__((aligned(4))); *(__global U*)(o + i * 8) = *(__global const U*)(a + i * 8 + 1);"
    assert "Invalid read of size 32" in oclgrind.check_kernel(kernel(body, 8))[0]


PAIR = "const char2 c = vload2(0, (__global const char *)a + i) != (char)0; const char2 d = c & c; o[{}] = (d.s0 != 0) & (d.s1 != 0);"


@pytest.mark.parametrize(("place", "reports"), [("i", False), ("i + 1", True), ("0", True)])
def test_vectors_that_the_referee_dies_on(place: str, reports: bool) -> None:
    """They are checked for all but uninitialized reads."""
    assert bool(oclgrind.check_kernel(kernel(PAIR.format(place)))) is reports


HALF = "const float16 v = vload16(i, a); const float8 w = v.lo + v.hi; const float4 x = w.lo + w.hi; o[i] = x.s0 + x.s3;"
PART = "float16 s = (float16)(0.0f); for (int j = 0; j < 2; j++) s = s + vload16(i % 4, a); const float4 part0 = s.s89ab; o[i] = part0.s3;"
LANES = "typedef float float16_unaligned __attribute__((ext_vector_type(16), aligned(4)));\n"
OF_MEMORY = "const float{} x = (*(__global const float16_unaligned *)(a + i % 4)).{}; o[i] = x.s0 + x.s{:x};"


@pytest.mark.parametrize(
    "lanes", ["hi", "lo", "sba98", "s89ab", "s01234567", "sfedcba98", "s0123456789abcdef"]
)
@pytest.mark.parametrize(("size", "reports"), [(64, False), (8, True)])
def test_lanes_of_memory(lanes: str, size: int, reports: bool) -> None:
    """They are known for initialized ones, and still read no more than there is."""
    count = 8 if lanes in ("hi", "lo") else len(lanes) - 1
    body = OF_MEMORY.format(count, lanes, count - 1)
    made = rendered("lanes", body, [argument(0, 4, written=True), argument(1, size)], 4)
    made = replace(made, source=LANES + made.source)
    assert bool(oclgrind.check_kernel(made)) is reports


@pytest.mark.parametrize(
    "body",
    [
        "o[i] = exp(a[i]);",
        "o[i] = i < 63 ? a[i + 1] : 0;",
        "ushort bits; vstore_half((double)a[i], 0, (half *)&bits); o[i] = vload_half(0, (const half *)&bits);",
        HALF.replace("(i, a)", "(i % 4, a)"),
        PART,
    ],
)
def test_clean_kernel_passes(body: str) -> None:
    assert oclgrind.check_kernel(kernel(body)) == []


def test_given_data_is_what_the_kernel_reads() -> None:
    gather = rendered(
        "gather",
        "o[i] = a[b[i]];",
        [argument(0, 4, written=True), argument(1, 4), argument(2, 4, dtype=dtypes.int32)],
        4,
    )
    values = np.arange(4, dtype=np.float32)
    assert oclgrind.check_kernel(gather, [None, values, np.int32([3, 2, 1, 0])]) == []
    assert oclgrind.check_kernel(gather, [None, values, np.int32([3, 2, 1, 4])])


def test_faulty_kernel_does_not_silence_the_next(tmp_path: Path) -> None:
    bodies = ["o[i / 2] = a[i];", "o[i] = a[i];", "o[i] = a[i + 1];"] * 2
    files: list[Path] = []
    for number, body in enumerate(bodies):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(json.dumps(document(kernel(body, name=f"planted{number}"))))
    found = oclgrind.check(files)
    assert [bool(found[file]) for file in files] == [True, False, True] * 2
    assert "planted3" in found[files[3]][0]


def test_kernel_that_does_not_compile_is_reported() -> None:
    assert "status" in oclgrind.check_kernel(kernel("nonsense"))[0]


LARGE = 1 << 19  # work-items, above the budget


@pytest.mark.parametrize(
    ("body", "faulty"),
    [
        ("o[i] = a[i];", False),
        ("o[i] = a[i + 1];", True),
        ("o[i] = a[i - 1];", True),
        ("o[i / 2] = a[i];", True),
    ],
)
def test_large_kernel_is_checked_at_its_corners(body: str, faulty: bool) -> None:
    recorded = document(kernel(body, LARGE, elements=LARGE)) | {"steps": 4}
    assert bool(check_document(recorded)) is faulty


def test_corners_that_meet_are_a_race() -> None:
    body = f"o[i == {LARGE - 1} ? 0 : i] = a[i];"
    assert "race" in check_document(document(kernel(body, LARGE, elements=LARGE)) | {"steps": 4})[0]


@pytest.mark.parametrize(
    ("body", "report"), [("o[i] = a[i + 64];", "Invalid read"), ("if (o[i] > 1) o[i] = 2;", "uninitialized")]
)
def test_one_work_item_is_checked_for_all_but_races(body: str, report: str) -> None:
    assert report in oclgrind.check_kernel(kernel(body, 1))[0]
    assert oclgrind.check_kernel(kernel("o[i] = a[i]; o[i] = a[i];", 1)) == []


def test_group_of_very_many_instructions_is_checked_at_the_last_corner() -> None:
    recorded = document(kernel("o[i] = a[i];", LARGE, elements=LARGE)) | {"steps": oclgrind.BUDGET + 1}
    assert check_document(recorded) == []
    assert check_document(recorded | {"source": str(recorded["source"]).replace("a[i]", "a[i + 1]")})


def test_grouped_large_kernel_knows_where_it_is() -> None:
    body = "size_t g = get_group_id(0) * 4 + get_local_id(0); o[g] = a[g];"
    recorded = document(kernel(body, LARGE, 4, elements=LARGE)) | {"steps": 4}
    assert check_document(recorded) == []
    assert check_document(recorded | {"source": str(recorded["source"]).replace("a[g]", "a[g + 1]")})


def check_document(recorded: dict[str, object]) -> list[str]:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "kernel.json")
        file.write_text(json.dumps(recorded))
        return oclgrind.check([file], 1)[file]
