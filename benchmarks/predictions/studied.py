"""Programs with which the cost model is studied and improved; it is judged by those of `unseen`."""

from __future__ import annotations

from typing import Any

import eqsat as eq

F, D, I, B = "float32", "float64", "int32", "uint8"  # noqa: E741


def _polynomial(x: Any) -> Any:
    return ((0.3 * x - 1.1) * x + 0.7) * x - 0.2


def _mixed(x: Any, y: Any) -> Any:
    return eq.tanh(x) * eq.cos(y) + 0.5


def _gap(x: Any, y: Any) -> Any:
    return eq.sqrt(x * x + y * y) / (1.0 + x)


def _residues(x: Any, y: Any) -> Any:
    return (x * 31 + y) % 97


def _threshold(image: Any) -> Any:
    return eq.where(image > 127, 255 - image, image // 2)


def _mean_of_shorts(x: Any, y: Any) -> Any:
    return (x + y) // 2


def _gram(x: Any) -> Any:
    return eq.matmul(eq.matrix_transpose(x), x)


def _rows_by_rows(x: Any, y: Any) -> Any:
    return eq.matmul(x, eq.matrix_transpose(y))


def _linear_relu(x: Any, w: Any, b: Any) -> Any:
    return eq.relu(eq.matmul(x, w) + b)


def _batch_norm(x: Any) -> Any:
    mean = eq.mean(x, axis=(0, 2, 3), keepdims=True)
    return (x - mean) / eq.sqrt(eq.var(x, axis=(0, 2, 3), keepdims=True) + 1e-5)


def _causal(q: Any, k: Any, v: Any) -> Any:
    places = eq.arange(q.shape[1])
    return eq.attention(q, k, v, mask=places[:, None] >= places)


def _five_points(u: Any) -> Any:
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) - u[1:-1, 1:-1]


def _seven_points(u: Any) -> Any:
    c = u[1:-1, 1:-1, 1:-1]
    return (
        u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
        + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] - 6.0 * c
    )  # fmt: skip


def _box(image: Any) -> Any:
    rows = image[:-2] + image[1:-1] + image[2:]
    return (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) * (1.0 / 9.0)


def _brightness(image: Any) -> Any:
    wide = eq.astype(image, eq.int32)
    return eq.astype((wide[:, :, 0] + 2 * wide[:, :, 1] + wide[:, :, 2]) // 4, eq.uint8)


def _rows_of(table: Any, places: Any) -> Any:
    return eq.take(table, places, axis=0)


def _recurrent(x: Any, h: Any, w: Any, u: Any, b: Any) -> Any:
    return eq.tanh(eq.matmul(x, w) + eq.matmul(h, u) + b)


def _manhattan(x: Any, y: Any) -> Any:
    return eq.sum(eq.abs(x[:, None, :] - y[None, :, :]), axis=2)


def _cosines(x: Any, y: Any) -> Any:
    lengths = eq.sqrt(eq.sum(x * x, axis=1))[:, None] * eq.sqrt(eq.sum(y * y, axis=1))
    return eq.matmul(x, eq.matrix_transpose(y)) / lengths


def _bell(x: Any) -> Any:
    return eq.erf(x) * eq.exp(-x * x)


def _swiglu(x: Any, gate: Any, up: Any) -> Any:
    return eq.silu(eq.matmul(x, gate)) * eq.matmul(x, up)


PROGRAMS: dict[str, tuple[Any, tuple[tuple[tuple[int, ...], str], ...]]] = {
    "polynomial_1k": (_polynomial, (((256,), F),)),
    "polynomial_64m": (_polynomial, (((1 << 23,), F),)),
    "mixed_1m": (_mixed, (((1024, 1024), F), ((1024, 1024), F))),
    "sigmoid_f64": (eq.sigmoid, (((1 << 17,), D),)),
    "gap_f64": (_gap, (((700, 900), D), ((700, 900), D))),
    "log1p": (eq.log1p, (((500_000,), F),)),
    "residues": (_residues, (((1000, 1000), I), ((1000, 1000), I))),
    "threshold": (_threshold, (((2000, 2000), B),)),
    "mean_of_shorts": (_mean_of_shorts, (((3_000_000,), "int16"), ((3_000_000,), "int16"))),
    "matmul_300": (eq.matmul, (((300, 200), F), ((200, 100), F))),
    "matmul_f64": (eq.matmul, (((160, 160), D), ((160, 160), D))),
    "matmul_700": (eq.matmul, (((700, 700), F), ((700, 700), F))),
    "matmul_batch": (eq.matmul, (((32, 48, 80), F), ((32, 80, 64), F))),
    "matmul_int": (eq.matmul, (((128, 128), I), ((128, 128), I))),
    "rows_by_rows": (_rows_by_rows, (((512, 300), F), ((400, 300), F))),
    "gram": (_gram, (((2000, 50), F),)),
    "vector_matrix": (eq.matmul, (((2000,), F), ((2000, 1500), F))),
    "matvec_f64": (eq.matmul, (((1000, 1000), D), ((1000,), D))),
    "linear_relu": (_linear_relu, (((256, 512), F), ((512, 256), F), ((256,), F))),
    "outer": (eq.outer, (((1500,), F), ((1500,), F))),
    "conv_small": (lambda x, w: eq.conv2d(x, w, padding=1), (((4, 16, 32, 32), F), ((24, 16, 3, 3), F))),
    "conv_strided": (lambda x, w: eq.conv2d(x, w, stride=2), (((2, 8, 96, 96), F), ((16, 8, 5, 5), F))),
    "conv_depthwise": (
        lambda x, w: eq.conv2d(x, w, padding=2, groups=32), (((2, 32, 48, 48), F), ((32, 1, 5, 5), F)),
    ),
    "conv_signal": (eq.conv1d, (((8, 32, 500), F), ((16, 32, 7), F))),
    "softmax_long": (eq.softmax, (((200, 5000), F),)),
    "layer_norm_short": (eq.layer_norm, (((10000, 100), F), ((100,), F), ((100,), F))),
    "batch_norm": (_batch_norm, (((16, 32, 40, 40), F),)),
    "variance_f64": (lambda x: eq.var(x, axis=0), (((3000, 300), D),)),
    "log_softmax": (eq.log_softmax, (((3000, 60), F),)),
    "scan_f64": (eq.cumulative_sum, (((1 << 18,), D),)),
    "scan_columns": (lambda x: eq.cumulative_sum(x, axis=0), (((500, 3000), F),)),
    "argmax_rows": (lambda x: eq.argmax(x, axis=1), (((300, 10000), F),)),
    "argmin_all": (eq.argmin, (((1_000_000,), F),)),
    "max_columns": (lambda x: eq.max(x, axis=0), (((4000, 500), F),)),
    "norm_of_rows": (lambda x: eq.sqrt(eq.sum(x * x, axis=1)), (((20000, 64), F),)),
    "sum_int64": (lambda x: eq.sum(x * x), (((800_000,), "int64"),)),
    "attention": (eq.attention, (((2, 256, 32), F),) * 3),
    "causal": (_causal, (((4, 200, 48), F),) * 3),
    "five_points_f64": (_five_points, (((1000, 1500), D),)),
    "seven_points": (_seven_points, (((100, 100, 100), F),)),
    "box": (_box, (((900, 1200), F),)),
    "avg_pool": (lambda x: eq.avg_pool2d(x, 2), (((4, 16, 128, 128), F),)),
    "max_pool": (lambda x: eq.max_pool2d(x, 3, stride=1), (((2, 16, 90, 90), F),)),
    "brightness": (_brightness, (((600, 800, 3), B),)),
    "rows_of": (_rows_of, (((20_000, 128), F), ((5000,), "int64", 20_000))),
    "recurrent": (_recurrent, (((32, 128), F), ((32, 256), F), ((128, 256), F), ((256, 256), F), ((256,), F))),
    "manhattan": (_manhattan, (((500, 20), F), ((300, 20), F))),
    "cosines": (_cosines, (((600, 100), F), ((500, 100), F))),
    "bell_f64": (_bell, (((1 << 16,), D),)),
    "symmetric": (lambda x: x + eq.matrix_transpose(x), (((1500, 1500), F),)),
    "moved_axes": (lambda x: eq.permute_dims(x, (0, 2, 1)) * 2.0, (((40, 300, 500), F),)),
    "swiglu": (_swiglu, (((64, 256), F), ((256, 512), F), ((256, 512), F))),
    "small_softmax": (eq.softmax, (((4, 16), F),)),
    "small_matmul": (eq.matmul, (((8, 8), F), ((8, 8), F))),
}  # fmt: skip
"""Functions with the shapes and dtypes of their arrays."""
