"""Programs by which the cost model is judged; nothing in the model was chosen because of their times."""

from __future__ import annotations

from typing import Any

import eqsat as eq

F, D, I, B = "float32", "float64", "int32", "uint8"  # noqa: E741


def _saxpy(x: Any, y: Any) -> Any:
    return 1.7 * x + y


def _angles(x: Any, y: Any) -> Any:
    return eq.atan2(y, x) + eq.sin(x)


def _price(spot: Any, strike: Any) -> Any:
    d = (eq.log(spot / strike) + 0.06) / 0.2
    return spot * 0.5 * (1.0 + eq.erf(d * 0.7071)) - strike * 0.95 * 0.5 * (1.0 + eq.erf((d - 0.2) * 0.7071))


def _hash(x: Any) -> Any:
    y = (x ^ (x >> 7)) * 73244475
    return y ^ (y >> 9)


def _contrast(image: Any) -> Any:
    wide = eq.astype(image, eq.int32)
    return eq.astype(eq.clip((wide - 128) * 3 // 2 + 128, 0, 255), eq.uint8)


def _fallen(x: Any, y: Any) -> Any:
    return eq.where(x < y, x * y, x - y)


def _bilinear(x: Any, a: Any, y: Any) -> Any:
    return eq.sum(eq.matmul(x, a) * y, axis=1)


def _mlp(x: Any, a: Any, b: Any) -> Any:
    return eq.matmul(eq.gelu(eq.matmul(x, a)), b)


def _instance_norm(x: Any) -> Any:
    mean = eq.mean(x, axis=(2, 3), keepdims=True)
    return (x - mean) / eq.sqrt(eq.mean((x - mean) * (x - mean), axis=(2, 3), keepdims=True) + 1e-5)


def _min_max(x: Any) -> Any:
    low, high = eq.min(x, axis=0), eq.max(x, axis=0)
    return (x - low) / (high - low + 1e-6)


def _local(q: Any, k: Any, v: Any) -> Any:
    places = eq.arange(q.shape[1])
    near = eq.abs(places[:, None] - places) <= 16
    return eq.attention(q, k, v, mask=near)


def _gradients(u: Any) -> Any:
    across = u[1:-1, 2:] - u[1:-1, :-2]
    down = u[2:, 1:-1] - u[:-2, 1:-1]
    return eq.sqrt(across * across + down * down)


def _wave(u: Any, before: Any) -> Any:
    c = u[1:-1, 1:-1]
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * c
    return 2.0 * c - before[1:-1, 1:-1] + 0.2 * around


def _sharpen(image: Any) -> Any:
    c = image[1:-1, 1:-1]
    return 5.0 * c - image[:-2, 1:-1] - image[2:, 1:-1] - image[1:-1, :-2] - image[1:-1, 2:]


def _sepia(image: Any) -> Any:
    wide = eq.astype(image, eq.float32)
    red, green, blue = wide[:, :, 0], wide[:, :, 1], wide[:, :, 2]
    return eq.stack(
        [0.39 * red + 0.77 * green + 0.19 * blue, 0.35 * red + 0.69 * green + 0.17 * blue], axis=2
    )


def _picked(x: Any, places: Any) -> Any:
    return eq.take_along_axis(x, places, axis=1)


def _gated(x: Any, h: Any, w: Any, u: Any) -> Any:
    gate = eq.sigmoid(eq.matmul(x, w) + eq.matmul(h, u))
    return gate * h + (1.0 - gate) * eq.tanh(h)


def _forces(p: Any) -> Any:
    apart = p[:, None, :] - p[None, :, :]
    squares = eq.sum(apart * apart, axis=2) + 0.01
    return eq.sum(apart / (squares * eq.sqrt(squares))[:, :, None], axis=1)


def _kernel_matrix(x: Any, y: Any) -> Any:
    squares = eq.sum(x * x, axis=1)[:, None] + eq.sum(y * y, axis=1)
    return eq.exp(-0.5 * (squares - 2.0 * eq.matmul(x, eq.matrix_transpose(y))))


def _assigned(x: Any, centres: Any) -> Any:
    apart = x[:, None, :] - centres[None, :, :]
    return eq.argmin(eq.sum(apart * apart, axis=2), axis=1)


def _entropy(x: Any) -> Any:
    return -eq.sum(x * eq.log(x + 1e-9), axis=1)


PROGRAMS: dict[str, tuple[Any, tuple[tuple[tuple[int, ...], str], ...]]] = {
    "saxpy_4k": (_saxpy, (((1000,), F), ((1000,), F))),
    "saxpy_48m": (_saxpy, (((1 << 22,), F), ((1 << 22,), F))),
    "angles": (_angles, (((600, 700), F), ((600, 700), F))),
    "price_f64": (_price, (((200_000,), D), ((200_000,), D))),
    "exp_f64": (eq.exp, (((1500, 500), D),)),
    "power": (eq.pow, (((300_000,), F), ((300_000,), F))),
    "hash": (_hash, (((2_000_000,), I),)),
    "contrast": (_contrast, (((1200, 1600), B),)),
    "fallen_int64": (_fallen, (((700_000,), "int64"), ((700_000,), "int64"))),
    "matmul_200": (eq.matmul, (((200, 200), F), ((200, 200), F))),
    "matmul_f64_400": (eq.matmul, (((400, 300), D), ((300, 350), D))),
    "matmul_tall": (eq.matmul, (((8000, 24), F), ((24, 40), F))),
    "matmul_wide": (eq.matmul, (((24, 1500), F), ((1500, 900), F))),
    "matmul_heads": (eq.matmul, (((12, 100, 64), F), ((12, 64, 100), F))),
    "bilinear": (_bilinear, (((400, 128), F), ((128, 160), F), ((400, 160), F))),
    "mlp": (_mlp, (((128, 256), F), ((256, 512), F), ((512, 256), F))),
    "matvec": (eq.matmul, (((3000, 800), F), ((800,), F))),
    "vector_matrix_f64": (eq.matmul, (((600,), D), ((600, 900), D))),
    "conv_7x7": (lambda x, w: eq.conv2d(x, w, stride=2, padding=3), (((2, 3, 100, 100), F), ((32, 3, 7, 7), F))),
    "conv_wide": (lambda x, w: eq.conv2d(x, w, padding=1), (((1, 64, 24, 24), F), ((64, 64, 3, 3), F))),
    "conv_1x1": (eq.conv2d, (((4, 96, 20, 20), F), ((48, 96, 1, 1), F))),
    "conv_grouped": (
        lambda x, w: eq.conv2d(x, w, padding=1, groups=4), (((2, 32, 40, 40), F), ((32, 8, 3, 3), F)),
    ),
    "conv_dilated_1d": (lambda x, w: eq.conv1d(x, w, dilation=3), (((4, 24, 800), F), ((24, 24, 5), F))),
    "softmax_columns": (lambda x: eq.softmax(x, axis=0), (((700, 900), F),)),
    "softmax_f64": (eq.softmax, (((800, 300), D),)),
    "rms_norm": (eq.rms_norm, (((1500, 768), F), ((768,), F))),
    "instance_norm": (_instance_norm, (((8, 24, 50, 50), F),)),
    "min_max": (_min_max, (((20000, 40), F),)),
    "logsumexp_columns": (lambda x: eq.logsumexp(x, axis=0), (((1200, 700), F),)),
    "std_rows": (lambda x: eq.std(x, axis=1), (((2500, 400), F),)),
    "entropy": (_entropy, (((4000, 200), F),)),
    "scan_rows_int": (lambda x: eq.cumulative_sum(x, axis=1), (((2000, 700), I),)),
    "products_running": (lambda x: eq.cumulative_prod(x, axis=0), (((800, 1000), F),)),
    "argmax_columns": (lambda x: eq.argmax(x, axis=0), (((900, 1300), F),)),
    "argmin_rows_f64": (lambda x: eq.argmin(x, axis=1), (((5000, 150), D),)),
    "any_rows": (lambda x: eq.any(x > 0.999, axis=1), (((3000, 900), F),)),
    "mean_of_all": (eq.mean, (((3_000_000,), F),)),
    "attention_long": (eq.attention, (((4, 384, 64), F),) * 3),
    "attention_local": (_local, (((2, 300, 32), F),) * 3),
    "gradients": (_gradients, (((1100, 1300), F),)),
    "wave_f64": (_wave, (((800, 900), D), ((800, 900), D))),
    "sharpen": (_sharpen, (((3000, 2500), F),)),
    "sepia": (_sepia, (((500, 700, 3), B),)),
    "max_pool_2": (lambda x: eq.max_pool2d(x, 2), (((8, 32, 80, 80), F),)),
    "picked": (_picked, (((2000, 600), F), ((2000, 90), "int64", 600))),
    "gated": (_gated, (((48, 200), F), ((48, 300), F), ((200, 300), F), ((300, 300), F))),
    "forces": (_forces, (((500, 3), F),)),
    "kernel_matrix": (_kernel_matrix, (((700, 30), F), ((600, 30), F))),
    "assigned": (_assigned, (((5000, 12), F), ((40, 12), F))),
    "channels_last": (lambda x: eq.permute_dims(x, (0, 2, 3, 1)), (((4, 48, 60, 60), F),)),
    "flipped": (lambda x: eq.flip(x, axis=1) + x, (((1000, 2000), F),)),
    "joined": (lambda x, y: eq.concat([x, y * 2.0], axis=1), (((1500, 400), F), ((1500, 300), F))),
    "small_norm": (lambda x: eq.layer_norm(x, eq.ones(24), eq.zeros(24)), (((6, 24), F),)),
    "small_chain": (lambda x: eq.exp(x) / (1.0 + x * x), (((64,), F),)),
}  # fmt: skip
"""Functions with the shapes and dtypes of their arrays."""
