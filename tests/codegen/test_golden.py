"""The OpenCL of each feature, and the C of some, as files to read; `pytest tests/codegen --regenerate-golden` writes them anew."""

from pathlib import Path

import pytest

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, OPENCL_NVIDIA, C, render, with_sub_groups
from eqsat.dtype import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint8
from eqsat.ops import Op
from eqsat.uop import UOp
from tests.codegen.corners import CORNERS, GROUPS, MATRICES, PRODUCTS
from tests.codegen.kernels import (
    column_scan,
    elementwise,
    gather,
    masked_copy,
    matmul,
    row_extreme,
    row_scan,
    row_sum,
    softmax,
)
from tests.codegen.test_interleaving import woven
from tests.codegen.test_selection import strided
from tests.codegen.test_transposition import transposed

GOLDEN = Path(__file__).parents[1] / "golden"

FEATURES: dict[str, UOp] = {
    "elementwise_scalar": elementwise(
        [lambda a, b: a * b + a, lambda a, b: a.maximum(b)], (float32, float32), 1000, 1
    ),
    "elementwise_vector": elementwise(
        [lambda a, b: a * b + a, lambda a, b: (a < b).where(a, 0.0)], (float32, float32), 1024, 8
    ),
    "double": elementwise([lambda a: a.alu(Op.SQRT) + 0.1], (float64,), 64, 4),
    "half": elementwise([lambda a: a * a + 1.0], (float16,), 64, 8),
    "bfloat": elementwise([lambda a: a * a + 1.0], (bfloat16,), 64, 8),
    "bool_masks": elementwise(
        [lambda a, b: a & b.logical_not(), lambda a, b: a.where(b.cast(float32), 2.0)], (bool_, bool_), 64, 8
    ),
    "integers_wrap": elementwise(
        [lambda a, b: a * b + a, lambda a, b: a // b, lambda a, b: a % 8], (int32, int32), 64, 1
    ),
    "narrow_integers": elementwise([lambda a, b: a * b, lambda a, b: a.minimum(b)], (int8, int8), 64, 1),
    "long_integers": elementwise(
        [lambda a: a.alu(Op.POW, a & 3), lambda a: a.alu(Op.MAX, a.like(-(2**63)))], (int64,), 64, 8
    ),
    "exponential": elementwise([lambda a: a.alu(Op.EXP2)], (float32,), 64, 8),
    "constants": elementwise(
        [lambda a, value=value: a + value for value in (0.1, float("inf"), float("nan"), -1e-40)],
        (float32,),
        64,
        8,
    ),
    "masked_vector": masked_copy(64, 8, 8, gate_by_lane=False),
    "masked_lanes": masked_copy(64, 5, 4, gate_by_lane=True),
    "gather": gather(64, 10, 4),
    "matmul_tile": matmul(64, 64, 64, 2, 2, 8, loop=2),
    "row_sum": row_sum(16, 256, Op.ADD, float32, 8, 4),
    "row_any": row_sum(16, 256, Op.MAX, bool_, 8, 1),
    "row_extreme": row_extreme(16, 256, Op.MAX, float32, 8, 2),
    "row_scan": row_scan(16, 256, Op.ADD, float32, 8, 2),
    "column_scan": column_scan(32, 64, Op.MAX, int32, 8, 2),
    "softmax": softmax(16, 256, 8),
    "strided": strided(uint8, 16, 4, 3, [0, 1, 2], 192),
    "transposed": transposed(float32, 8, 8, 16),
    "interleaved": woven(float32, 8, 3, 3),
    **CORNERS,
    **GROUPS,
    **MATRICES,
    **PRODUCTS,
}


# They reduce nothing over lanes of a sub-group, and are written alike for devices with sub-groups.
OF_NO_LANES = {"extreme_of_group", "lanes_of_columns", "tile_of_group", "totals_of_lanes", "totals_of_twelve"}
# By the ending of files: a dialect, and the features rendered in it.
DIALECTS = {
    "cl": (OPENCL_CPU, tuple(name for name in FEATURES if name not in {**GROUPS, **MATRICES, **PRODUCTS})),
    "c": (
        C,
        (
            "half",
            "integers_wrap",
            "masked_lanes",
            "row_scan",
            "softmax",
            "extreme_of_columns",
            "gated_by_lane",
            "lanes_beside",
            "many_items",
            "matmul_unrolled",
            "padded_strided",
            "sum_in_two_chains",
            "turned_in_part",
            "scan_across_lanes",
        ),
    ),
    "gpu.cl": (OPENCL_GPU, (*GROUPS, *PRODUCTS, "interleaved", "transposed", "window_padded")),
    "groups.cl": (
        with_sub_groups(OPENCL_GPU, 8, attribute="__attribute__((intel_reqd_sub_group_size(8)))"),
        tuple(name for name in GROUPS if name not in OF_NO_LANES),
    ),
    "nvidia.cl": (OPENCL_NVIDIA, tuple(MATRICES)),
}
FILES = {f"{feature}.{ending}" for ending, (_, features) in DIALECTS.items() for feature in features}


@pytest.mark.parametrize("name", sorted(FILES))
def test_source(name: str, request: pytest.FixtureRequest) -> None:
    feature, _, ending = name.partition(".")
    source, file = render(FEATURES[feature], DIALECTS[ending][0]).source, GOLDEN / name
    if request.config.getoption("--regenerate-golden", default=False):
        file.write_text(source)
    assert source == file.read_text(), (
        f"{file.name} differs; if the change is meant, run with --regenerate-golden"
    )


def test_every_file_belongs_to_a_feature() -> None:
    assert {file.name for file in GOLDEN.glob("*.c*")} == FILES
