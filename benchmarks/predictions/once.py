"""Programs that were written when all prices were fixed, to be scored once. If prices are changed because of them, others must be written."""

from __future__ import annotations

from typing import Any

import eqsat as eq

F, D, I, B = "float32", "float64", "int32", "uint8"  # noqa: E741


def _smooth_step(x: Any) -> Any:
    t = eq.clip((x - 0.2) * 1.25, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def _polar(x: Any, y: Any) -> Any:
    return eq.hypot(x, y) * eq.exp(-y)


def _logistic_loss(scores: Any, labels: Any) -> Any:
    return eq.mean(eq.log1p(eq.exp(-scores * labels)))


def _cents(x: Any) -> Any:
    return x // 100 + x % 100


def _mixed_types(x: Any, y: Any) -> Any:
    return eq.astype(x, eq.float32) * 0.5 + y


def _projected(x: Any, w: Any) -> Any:
    return eq.relu(eq.matmul(x, w)) ** 2


def _residual(x: Any, a: Any) -> Any:
    return x + eq.tanh(eq.matmul(x, a))


def _triple(a: Any, b: Any, c: Any) -> Any:
    return eq.matmul(eq.matmul(a, b), c)


def _centred(x: Any) -> Any:
    centred = x - eq.mean(x, axis=0)
    return eq.matmul(eq.matrix_transpose(centred), centred)


def _unit_rows(x: Any) -> Any:
    return x / eq.sqrt(eq.sum(x * x, axis=1, keepdims=True))


def _zscore(x: Any) -> Any:
    return (x - eq.mean(x, axis=0)) / (eq.std(x, axis=0) + 1e-3)


def _pooled(x: Any) -> Any:
    return eq.mean(eq.relu(x), axis=(2, 3))


def _laplacian(u: Any) -> Any:
    c = u[1:-1, 1:-1]
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * c


def _averaged(x: Any) -> Any:
    return 0.2 * (x[:-4] + x[1:-3] + x[2:-2] + x[3:-1] + x[4:])


def _edges(image: Any) -> Any:
    wide = eq.astype(image, eq.int32)
    return eq.abs(wide[:, 1:] - wide[:, :-1])


def _composite(front: Any, back: Any, alpha: Any) -> Any:
    return front * alpha[:, :, None] + back * (1.0 - alpha[:, :, None])


def _minimal_update(x: Any, h: Any, w: Any) -> Any:
    z = eq.sigmoid(eq.matmul(h, w) + x)
    return h + z * (eq.tanh(x) - h)


def _chebyshev(x: Any, y: Any) -> Any:
    return eq.max(eq.abs(x[:, None, :] - y[None, :, :]), axis=2)


def _soft_assignment(x: Any, centres: Any) -> Any:
    return eq.softmax(-eq.sum((x[:, None, :] - centres[None, :, :]) ** 2, axis=2), axis=1)


def _weighted(x: Any, w: Any) -> Any:
    return eq.sum(x * w, axis=0) / eq.sum(w)


PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "smooth_step": (_smooth_step, (((700_001,), F),)),
    "polar": (_polar, (((900, 333), F), ((900, 333), F))),
    "cbrt_like_f64": (lambda x: eq.exp(eq.log(x) / 3.0), (((150_000,), D),)),
    "cosine": (eq.cos, (((400_000,), F),)),
    "logistic_loss": (_logistic_loss, (((1_200_000,), F), ((1_200_000,), F))),
    "cents": (_cents, (((900_000,), I),)),
    "mixed_types": (_mixed_types, (((1_500_000,), "int16"), ((1_500_000,), F))),
    "inverted": (lambda image: 255 - image, (((1080, 1920), B),)),
    "copies_f64": (lambda x, y: x - 0.25 * y, (((1_000_000,), D), ((1_000_000,), D))),
    "tiny_dot": (lambda x, y: eq.sum(x * y), (((100,), F), ((100,), F))),
    "tiny_norm": (_unit_rows, (((8, 32), F),)),
    "matmul_130": (eq.matmul, (((130, 170), F), ((170, 90), F))),
    "matmul_600": (eq.matmul, (((600, 500), F), ((500, 400), F))),
    "matmul_flat": (eq.matmul, (((16, 1024), F), ((1024, 1024), F))),
    "matmul_small_batch": (eq.matmul, (((200, 20, 30), F), ((200, 30, 20), F))),
    "matmul_f64_ragged": (eq.matmul, (((250, 130), D), ((130, 210), D))),
    "projected": (_projected, (((500, 64), F), ((64, 300), F))),
    "residual": (_residual, (((300, 200), F), ((200, 200), F))),
    "triple": (_triple, (((100, 200), F), ((200, 300), F), ((300, 50), F))),
    "centred": (_centred, (((3000, 40), F),)),
    "matvec_wide": (eq.matmul, (((200, 9000), F), ((9000,), F))),
    "conv_5x5": (lambda x, w: eq.conv2d(x, w, padding=2), (((2, 12, 40, 40), F), ((20, 12, 5, 5), F))),
    "conv_depthwise_3": (
        lambda x, w: eq.conv2d(x, w, padding=1, groups=48), (((4, 48, 30, 30), F), ((48, 1, 3, 3), F)),
    ),
    "conv_stem": (lambda x, w: eq.conv2d(x, w, stride=2, padding=1), (((1, 3, 160, 160), F), ((24, 3, 3, 3), F))),
    "conv_short": (eq.conv1d, (((16, 8, 300), F), ((12, 8, 3), F))),
    "softmax_rows": (eq.softmax, (((1500, 333), F),)),
    "log_softmax_wide": (eq.log_softmax, (((90, 7000), F),)),
    "layer_norm_long": (eq.layer_norm, (((600, 1500), F), ((1500,), F), ((1500,), F))),
    "unit_rows": (_unit_rows, (((9000, 48), F),)),
    "zscore": (_zscore, (((6000, 120), F),)),
    "pooled": (_pooled, (((16, 64, 28, 28), F),)),
    "scan_rows": (lambda x: eq.cumulative_sum(x, axis=1), (((900, 900), F),)),
    "argmax_short": (lambda x: eq.argmax(x, axis=1), (((20000, 33), F),)),
    "min_of_columns_f64": (lambda x: eq.min(x, axis=0), (((2500, 250), D),)),
    "all_columns": (lambda x: eq.all(x > 0.4, axis=0), (((1500, 1100), F),)),
    "product_of_rows": (lambda x: eq.prod(x, axis=1), (((5000, 90), F),)),
    "attention_small": (eq.attention, (((6, 128, 24), F),) * 3),
    "attention_cross": (eq.attention, (((4, 90, 64), F), ((4, 250, 64), F), ((4, 250, 64), F))),
    "laplacian": (_laplacian, (((1400, 900), F),)),
    "averaged": (_averaged, (((1_000_000,), F),)),
    "edges": (_edges, (((1000, 1500), B),)),
    "composite": (_composite, (((400, 500, 3), F), ((400, 500, 3), F), ((400, 500), F))),
    "avg_pool_3": (lambda x: eq.avg_pool2d(x, 3), (((4, 24, 90, 90), F),)),
    "looked_up": (lambda table, places: eq.take(table, places, axis=0), (((3000, 40), F), ((8000,), "int64", 3000))),
    "minimal_update": (_minimal_update, (((24, 160), F), ((24, 160), F), ((160, 160), F))),
    "chebyshev": (_chebyshev, (((400, 16), F), ((350, 16), F))),
    "soft_assignment": (_soft_assignment, (((3000, 8), F), ((30, 8), F))),
    "weighted": (_weighted, (((2000, 300), F), ((2000, 1), F))),
    "heads_apart": (lambda x: eq.permute_dims(x, (0, 2, 1, 3)), (((8, 150, 8, 32), F),)),
    "stacked": (lambda x, y: eq.stack([x, y], axis=0), (((700, 800), F), ((700, 800), F))),
    "padded_sum": (lambda x: eq.pad(x, ((1, 1), (1, 1))) * 2.0, (((900, 1100), F),)),
}  # fmt: skip
"""Functions with the shapes and dtypes of their arrays."""
