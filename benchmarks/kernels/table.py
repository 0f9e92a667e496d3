"""The workloads: eight for which there are kernels written by hand, and 56 more, of every kind that users of array libraries run."""

from __future__ import annotations

from benchmarks.kernels import functions, learning
from benchmarks.kernels.workload import Input, Shape, Workload


def _floats(*shapes: tuple[Shape, Shape], dtype: str = "float32") -> tuple[Input, ...]:
    """Arrays of floats; each has a shape for the benchmark and a small one for tests."""
    return tuple(Input(shape, small, dtype) for shape, small in shapes)


def _bytes(*shapes: tuple[Shape, Shape]) -> tuple[Input, ...]:
    return tuple(Input(shape, small, "uint8") for shape, small in shapes)


_HEADS = ((8, 512, 64), (2, 5, 4))

PRODUCTS = (
    Workload(
        "matmul_512", "product", functions.matmul, _floats(*2 * [((512, 512), (8, 8))]),
        hand_written=(1.28, 1.26, 1.19),
    ),
    Workload(
        "matmul_1024", "product", functions.matmul, _floats(*2 * [((1024, 1024), (9, 9))]),
        hand_written=(10.1, 9.89, 9.76),
    ),
    Workload(
        "matmul_ragged", "product", functions.matmul,
        _floats(((509, 1021), (5, 11)), ((1021, 763), (11, 7))),
    ),
    Workload(
        "matmul_thin", "product", functions.matmul, _floats(((65536, 32), (33, 4)), ((32, 32), (4, 4)))
    ),
    Workload("matrix_vector", "product", functions.matmul, _floats(((4096, 4096), (6, 9)), ((4096,), (9,)))),
    Workload(
        "matmul_batched", "product", functions.matmul,
        _floats(((64, 128, 64), (3, 5, 4)), ((64, 64, 128), (3, 4, 5))),
    ),
    Workload("gram", "product", functions.gram, _floats(((8192, 256), (20, 6)))),
    Workload(
        "layers_of_few_tokens", "product", functions.layers,
        _floats(((8, 1024), (3, 8)), ((1024, 4096), (8, 12)), ((4096, 1024), (12, 8))),
    ),
    Workload(
        "byte_matmul", "quantization", functions.byte_matmul,
        (Input((200, 512), (8, 16), "int8", 100, 100), Input((512, 304), (16, 8), "int8", 100, 100)),
        tolerance=0.0,
        spelled={
            "numpy": functions.byte_matmul_numpy, "jax": functions.byte_matmul_jax, "torch": functions.byte_matmul_torch,
        },
    ),
    Workload(
        "four_bit_matmul", "product", functions.four_bit_matmul,
        (
            *_floats(((64, 1024), (3, 8))),
            *_bytes(((512, 1024), (4, 6))),
            *_floats(((1024,), (6,))),
        ),
    ),
)  # fmt: skip

CONVOLUTIONS = (
    Workload(
        "conv_3x3", "convolution", functions.conv_3x3,
        _floats(((8, 64, 56, 56), (2, 3, 6, 5)), ((64, 64, 3, 3), (4, 3, 3, 3))),
        hand_written=(9.06, 8.78, 8.72),
    ),
    Workload(
        "conv_3x3_of_28", "convolution", functions.conv_3x3,
        _floats(((3, 96, 28, 28), (2, 3, 6, 5)), ((96, 96, 3, 3), (4, 3, 3, 3))),
    ),
    Workload(
        "conv_strided", "convolution", functions.conv_strided,
        _floats(((8, 64, 56, 56), (2, 3, 6, 6)), ((128, 64, 3, 3), (4, 3, 3, 3))),
    ),
    Workload(
        "conv_depthwise", "convolution", functions.conv_depthwise,
        _floats(((8, 128, 56, 56), (2, 3, 6, 5)), ((128, 1, 3, 3), (3, 1, 3, 3))),
    ),
    Workload(
        "conv_1x1", "convolution", functions.conv_1x1,
        _floats(((8, 256, 28, 28), (2, 5, 3, 4)), ((64, 256, 1, 1), (3, 5, 1, 1))),
    ),
    Workload(
        "conv_dilated", "convolution", functions.conv_dilated,
        _floats(((4, 32, 64, 64), (2, 3, 6, 7)), ((32, 32, 3, 3), (2, 3, 3, 3))),
    ),
    Workload(
        "conv_first_layer", "convolution", functions.conv_first_layer,
        _floats(((4, 3, 224, 224), (1, 3, 12, 10)), ((64, 3, 7, 7), (2, 3, 7, 7))),
    ),
    Workload(
        "conv_of_signals", "convolution", functions.conv_of_signals,
        _floats(((16, 64, 1024), (2, 3, 9)), ((64, 64, 5), (4, 3, 5))),
    ),
    Workload(
        "conv_of_volumes", "convolution", functions.conv_of_volumes,
        _floats(((2, 16, 16, 32, 32), (1, 2, 3, 4, 5)), ((16, 16, 3, 3, 3), (2, 2, 3, 3, 3))),
    ),
    Workload(
        "conv_transposed", "convolution", functions.conv_transposed,
        _floats(((4, 64, 32, 32), (2, 3, 5, 4)), ((64, 32, 4, 4), (3, 2, 4, 4))),
    ),
)  # fmt: skip

NORMS = (
    Workload(
        "softmax", "norm", functions.softmax, _floats(((4096, 1024), (5, 9))), hand_written=(0.66, 0.60, 0.61)
    ),
    Workload(
        "layer_norm", "norm", functions.layer_norm,
        _floats(((4096, 1024), (5, 9)), *2 * [((1024,), (9,))]), hand_written=(0.54, 0.63, 0.65),
    ),
    Workload(
        "softmax_of_halves", "norm", functions.softmax, _floats(((2000, 700), (5, 9)), dtype="float16"),
        tolerance=1e-2,
    ),
    Workload("softmax_of_columns", "norm", functions.softmax_of_columns, _floats(((1024, 4096), (9, 5)))),
    Workload("rms_norm", "norm", functions.rms_norm, _floats(((4096, 1024), (5, 9)), ((1024,), (9,)))),
    Workload(
        "group_norm", "norm", functions.group_norm,
        _floats(((8, 64, 56, 56), (2, 64, 2, 3)), *2 * [((64,), (64,))]),
        spelled={"torch": functions.group_norm_torch},
    ),
    Workload("standardize", "norm", functions.standardize, _floats(((100_000, 64), (20, 3)))),
)  # fmt: skip

ATTENTION = (
    Workload(
        "attention", "attention", functions.attention, _floats(*3 * [_HEADS]), hand_written=(2.86, 2.67, 2.63)
    ),
    Workload(
        "causal_attention", "attention", functions.causal_attention, _floats(*3 * [_HEADS]),
        spelled={"torch": functions.causal_attention_torch},
    ),
    Workload(
        "grouped_attention", "attention", functions.grouped_attention,
        _floats(((16, 512, 64), (8, 5, 4)), *2 * [((4, 512, 64), (4, 5, 4))]),
        spelled={"torch": functions.grouped_attention_torch},
    ),
    Workload(
        "attention_of_one_token", "attention", functions.attention,
        _floats(((16, 1, 64), (2, 1, 4)), *2 * [((16, 2048, 64), (2, 7, 4))]),
    ),
)  # fmt: skip

FOLDS = (
    Workload(
        "sum", "reduction", functions.sum_of_all, _floats(((1 << 24,), (99,))), hand_written=(1.40, 1.42, 1.29)
    ),
    Workload(
        "sum_of_middle_axes", "reduction", functions.sum_of_middle_axes,
        _floats(((64, 64, 64, 8), (3, 4, 5, 8))),
    ),
    Workload("argmax_of_rows", "arg-reduction", functions.argmax_of_rows, _floats(((4096, 1024), (7, 9)))),
    Workload("argmin_of_columns", "arg-reduction", functions.argmin_of_columns, _floats(((1024, 4096), (9, 7)))),
    Workload("cumulative_rows", "scan", functions.cumulative_rows, _floats(((1024, 4096), (3, 40)))),
    Workload("cumulative_columns", "scan", functions.cumulative_columns, _floats(((2048, 2048), (40, 3)))),
)  # fmt: skip

STEPS = (
    Workload(
        "adam_step", "optimizer", learning.adam_step,
        (
            *_floats(*3 * [((5_000_000,), (99,))]),
            Input((5_000_000,), (99,), is_positive=True),
        ),
    ),
    Workload(
        "logistic_gradient", "gradient", learning.logistic_gradient,
        _floats(((20_000, 60), (30, 4)), ((60,), (4,)), ((20_000,), (30,))),
    ),
    Workload(
        "cross_entropy", "loss", learning.cross_entropy,
        (*_floats(((2000, 5000), (7, 9))), Input((2000,), (7,), "int64", 5000, 9)),
        spelled={"torch": learning.cross_entropy_torch},
    ),
)  # fmt: skip

IMAGES = (
    Workload(
        "tridiagonal", "recurrence", functions.tridiagonal,
        _floats(*4 * [((12, 64, 256), (4, 3, 5))], dtype="float64"),
    ),
    Workload("heat_step", "stencil", functions.heat_step, _floats(((2048, 2048), (7, 9)))),
    Workload("blur", "blur", functions.blur, _floats(((2048, 2048), (9, 8)))),
    Workload("median_of_nine", "stencil", functions.median_of_nine, _floats(((1000, 1200), (7, 9)))),
    Workload("max_pool", "pooling", functions.max_pool, _floats(((8, 64, 112, 112), (2, 3, 6, 4)))),
    Workload("grey", "interleaved image", functions.grey, _bytes(((1080, 1920, 3), (5, 7, 3))), tolerance=0.0),
    Workload(
        "blend", "interleaved image", functions.blend,
        _bytes(((1080, 1920, 4), (5, 7, 4)), ((1080, 1920, 3), (5, 7, 3))), tolerance=0.0,
    ),
)  # fmt: skip

GATHERS = (
    Workload(
        "embedding", "gather", functions.embedding,
        (*_floats(((50_000, 256), (9, 4))), Input((8192,), (5,), "int64", 50_000, 9)),
    ),
    Workload(
        "along_rows", "gather", functions.along_rows,
        (*_floats(((1024, 4096), (3, 8))), Input((1024, 512), (3, 5), "int64", 4096, 8)),
    ),
    Workload(
        "channels_last", "gather", functions.channels_last, _floats(((8, 64, 112, 112), (2, 3, 4, 5))),
        spelled={"numpy": functions.channels_last_numpy, "torch": functions.channels_last_torch},
    ),
)  # fmt: skip

SCATTERS = (
    Workload(
        "embedding_gradient", "scatter", learning.embedding_gradient,
        (*_floats(((8192, 256), (5, 4))), Input((8192,), (5,), "int64", learning.ROWS, 9)),
        spelled={
            "numpy": learning.embedding_gradient_numpy, "jax": learning.embedding_gradient_jax,
            "torch": learning.embedding_gradient_torch,
        },
    ),
    Workload(
        "label_counts", "scatter", learning.label_counts,
        (Input((1_000_000,), (50,), "int64", learning.LABELS, learning.LABELS),), tolerance=0.0,
        spelled={
            "numpy": learning.label_counts_numpy, "jax": learning.label_counts_jax, "torch": learning.label_counts_torch,
        },
    ),
)  # fmt: skip

CELLS = (
    Workload(
        "lstm_cell", "recurrent cell", functions.lstm_cell,
        _floats(
            ((64, 256), (3, 5)), *2 * [((64, 512), (3, 4))], ((2048, 256), (16, 5)), ((2048, 512), (16, 4)),
            *2 * [((2048,), (16,))],
        ),
        spelled={"torch": functions.lstm_cell_torch},
    ),
    Workload(
        "gru_cell", "recurrent cell", functions.gru_cell,
        _floats(
            ((64, 256), (3, 5)), ((64, 512), (3, 4)), ((1536, 256), (12, 5)), ((1536, 512), (12, 4)),
            *2 * [((1536,), (12,))],
        ),
        spelled={"torch": functions.gru_cell_torch},
    ),
)  # fmt: skip

DISTANCES = (
    Workload(
        "distances", "distance", functions.distances, _floats(((2048, 64), (6, 5)), ((1024, 64), (7, 5))),
        spelled={"torch": functions.distances_torch},
    ),
    Workload(
        "nearest_centres", "distance", functions.nearest_centres,
        _floats(((16384, 16), (30, 4)), ((64, 16), (5, 4))), tolerance=0.0,
    ),
)  # fmt: skip

ELEMENTS = (
    Workload(
        "scaled_gelu", "elementwise", functions.scaled_gelu,
        _floats(((4096, 4096), (5, 9)), *2 * [((4096,), (9,))]), hand_written=(4.82, 4.16, 3.87),
    ),
    Workload(
        "quantize", "quantization", functions.quantize, _floats(((2048, 2048), (5, 9))),
        tolerance=0.01,  # a number in the middle between two integers may become either
    ),
    Workload(
        "escape_counts", "float64 function", functions.escape_counts,
        _floats(((400,), (9,)), ((400,), (7,)), dtype="float64"),
        tolerance=0.1,  # points on the circle may count or not
    ),
    Workload(
        "erf_float64", "float64 function", functions.error_function,
        _floats(((1 << 20,), (99,)), dtype="float64"), tolerance=1e-12,
    ),
    Workload(
        "logaddexp_float64", "float64 function", functions.log_add_exp,
        _floats(*2 * [((1 << 20,), (99,))], dtype="float64"), tolerance=1e-12,
    ),
)  # fmt: skip

SMALL = (
    Workload("small_add", "small call", functions.add, _floats(*2 * [((16,), (16,))])),
    Workload("small_softmax", "small call", functions.softmax, _floats(((8, 10), (8, 10)))),
    Workload("small_matmul", "small call", functions.matmul, _floats(*2 * [((16, 16), (16, 16))])),
)  # fmt: skip

WORKLOADS = {
    workload.name: workload
    for table in (
        PRODUCTS, CONVOLUTIONS, NORMS, ATTENTION, FOLDS, ELEMENTS, STEPS, IMAGES, GATHERS, SCATTERS, CELLS, DISTANCES, SMALL,
    )
    for workload in table
}  # fmt: skip
