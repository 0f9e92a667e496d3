"""Programs with a dim in one or two of their axes: six that are common, and more that users write.

The others have windows, sums along a dim, positions, cells and mixed dtypes; `benchmarks.dynamic --more` measures them, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from eqsat.extents import at

GREATEST = 4096
N = eq.dim("n", 1, GREATEST)
LONG = eq.dim("n", 8, GREATEST)  # so that windows fit
IMAGE = eq.dim("n", 1, 512)  # rows and columns of images
LONG_IMAGE = eq.dim("n", 8, 512)
WIDTH = eq.dim("m", 1, 512)

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A program with dims.

    Attributes:
        function: a function of arrays.
        shapes: the shapes of its arguments.
        dtypes: the dtypes of arguments that are not float32, by position.
        values: maps the value of n to the values of further dims, by name.
        meaning: the same function on NumPy arrays; None if the reference interpreter computes the expected results.
    """

    function: Callable[..., Any]
    shapes: tuple[Shape, ...]
    dtypes: Mapping[int, Any] = field(default_factory=dict[int, Any])
    values: Callable[[int], Mapping[str, int]] = lambda n: {}
    meaning: Callable[..., Any] | None = None

    def takes(self, n: int) -> bool:
        """Whether n may have this value."""
        dims = {
            dim
            for shape in self.shapes
            for extent in shape
            if isinstance(extent, eq.Extent)
            for dim in extent.dims
        }
        return all(dim.least <= n <= dim.greatest for dim in dims if dim.name == "n")

    def arrays(self, n: int) -> list[NDArray[Any]]:
        """Random arrays for a value of n."""
        draw = np.random.default_rng(n)
        values = {"n": n, **self.values(n)}
        found: list[NDArray[Any]] = []
        for place, shape in enumerate(self.shapes):
            known = tuple(at(extent, values) for extent in shape)
            dtype = self.dtypes.get(place, eq.float32)
            array = draw.normal(size=known, scale=0.2) if dtype.is_float else draw.integers(0, 200, known)
            found.append(array.astype(dtype.name))
        return found

    def expected(self, arrays: list[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """The results that the program should return."""
        if self.meaning is not None:
            return (self.meaning(*arrays),)
        return eq.evaluate(self.traced([array.shape for array in arrays]), dict(enumerate(arrays)))

    def traced(self, shapes: Sequence[Shape]) -> eq.UOp:
        """The graph for arrays of these shapes."""
        specs = [eq.spec(shape, self.dtypes.get(place, eq.float32)) for place, shape in enumerate(shapes)]
        return eq.trace(self.function, *specs)


def softmax(x: Any) -> Any:
    """The softmax of rows."""
    return eq.softmax(x)


def product(a: Any, b: Any) -> Any:
    """The product of two matrices."""
    return a @ b


def network(x: Any, first: Any, second: Any, third: Any) -> Any:
    """A network of three layers."""
    return eq.maximum(eq.maximum(x @ first, 0.0) @ second, 0.0) @ third


def _softmax(x: NDArray[Any]) -> NDArray[Any]:
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _attention(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    return _softmax(q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(q.shape[-1]))) @ v


def _network(x: NDArray[Any], *weights: NDArray[Any]) -> NDArray[Any]:
    for weight in weights[:-1]:
        x = np.maximum(x @ weight, 0)
    return x @ weights[-1]


USUAL: dict[str, Case] = {
    "softmax": Case(softmax, ((N, 1024),), meaning=_softmax),
    "product, rows": Case(product, ((N, 512), (512, 512)), meaning=np.matmul),
    "product, columns": Case(product, ((512, 512), (512, N)), meaning=np.matmul),
    "product, reduced": Case(product, ((512, N), (N, 512)), meaning=np.matmul),
    "attention": Case(eq.attention, ((4, N, 64),) * 3, meaning=_attention),
    "network": Case(network, ((N, 784), (784, 256), (256, 128), (128, 10)), meaning=_network),
}


def causal(q: Any, k: Any, v: Any) -> Any:
    """Attention of each position to the positions up to its own."""
    n = q.shape[-2]
    return eq.attention(q, k, v, mask=eq.arange(n)[:, None] >= eq.arange(n)[None, :])


def cell(x: Any, hidden: Any, memory: Any, weights: Any, recurrent: Any) -> Any:
    """One step of an LSTM."""
    gates = x @ weights + hidden @ recurrent
    enter, forget, leave, new = (gates[:, 128 * part : 128 * (part + 1)] for part in range(4))
    memory = eq.sigmoid(forget) * memory + eq.sigmoid(enter) * eq.tanh(new)
    return eq.sigmoid(leave) * eq.tanh(memory), memory


def neighbours(x: Any) -> Any:
    """Weighted sums of five neighbours."""
    n = x.shape[0]
    return sum(x[k : n - 4 + k] * (0.1 * (k + 1)) for k in range(5))


def standardized(x: Any) -> Any:
    """Columns, shifted and scaled to mean 0 and variance 1."""
    return (x - eq.mean(x, axis=0)) / eq.sqrt(eq.var(x, axis=0) + 1e-5)


MORE: dict[str, Case] = {
    "conv1d framed": Case(partial(eq.conv1d, padding=2), ((4, 16, N), (16, 16, 5))),
    "conv1d strided": Case(partial(eq.conv1d, stride=2), ((4, 16, LONG), (16, 16, 5))),
    "conv1d dilated": Case(partial(eq.conv1d, padding=4, dilation=2), ((4, 16, N), (16, 16, 5))),
    "conv1d framed, strided": Case(partial(eq.conv1d, padding=2, stride=2), ((4, 16, N), (16, 16, 5))),
    "conv2d rows": Case(eq.conv2d, ((1, 8, LONG_IMAGE, 64), (8, 8, 3, 3))),
    "conv2d rows, framed": Case(partial(eq.conv2d, padding=1), ((1, 8, IMAGE, 64), (8, 8, 3, 3))),
    "conv2d columns, framed": Case(partial(eq.conv2d, padding=1), ((1, 8, 64, IMAGE), (8, 8, 3, 3))),
    "conv2d rows, strided": Case(partial(eq.conv2d, padding=1, stride=2), ((1, 8, IMAGE, 64), (8, 8, 3, 3))),
    "conv2d batch": Case(partial(eq.conv2d, padding=1), ((IMAGE, 3, 16, 16), (8, 3, 3, 3))),
    "conv2d both": Case(
        partial(eq.conv2d, padding=1),
        ((1, 8, IMAGE, WIDTH), (8, 8, 3, 3)),
        values=lambda n: {"m": min(n, 512)},
    ),
    "max pool": Case(lambda x: eq.max_pool1d(x, 2), ((8, 16, LONG),)),
    "average pool": Case(lambda x: eq.avg_pool2d(x, 2), ((8, LONG_IMAGE, 64),)),
    "concatenation": Case(lambda x, y: eq.concat([x, y * 2.0], axis=1), ((64, N), (64, N))),
    "flip": Case(lambda x: eq.flip(x, axis=1), ((64, N),)),
    "differences": Case(lambda x: x[:, 1:] - x[:, :-1], ((64, LONG),)),
    "interior": Case(lambda x: x[:, 2 : x.shape[1] - 2] * 2.0, ((64, LONG),)),
    "neighbours": Case(neighbours, ((LONG,),)),
    "cumulative sum": Case(lambda x: eq.cumulative_sum(x, axis=1), ((64, N),)),
    "cumulative sum, columns": Case(lambda x: eq.cumulative_sum(x, axis=0), ((N, 64),)),
    "argmax": Case(lambda x: eq.argmax(x, axis=1), ((64, N),)),
    "argmin, columns": Case(lambda x: eq.argmin(x, axis=0), ((N, 64),)),
    "softmax of n": Case(eq.softmax, ((256, N),)),
    "softmax, columns": Case(lambda x: eq.softmax(x, axis=0), ((N, 256),)),
    "layer norm of n": Case(eq.layer_norm, ((64, N),)),
    "layer norm of rows": Case(eq.layer_norm, ((N, 512),)),
    "standardized": Case(standardized, ((N, 64),)),
    "gram": Case(lambda x: x @ x.mT, ((N, 64),)),
    "product of two dims": Case(
        product,
        ((N, 256), (256, eq.dim("m", 1, GREATEST))),
        values=lambda n: {"m": n},
    ),
    "causal attention": Case(causal, ((4, N, 64),) * 3),
    "gather": Case(lambda x, i: eq.take(x, i, axis=0), ((256, 64), (N,)), {1: eq.int32}),
    "LSTM cell": Case(cell, ((N, 64), (N, 128), (N, 128), (64, 512), (128, 512))),
    "outer": Case(eq.outer, ((N,), (512,))),
    "sum of float64": Case(lambda x: eq.sum(x, axis=1), ((64, N),), {0: eq.float64}),
    "integers": Case(lambda x, y: x * 3 + y, ((64, N), (64, N)), {0: eq.int64, 1: eq.int64}),
    "transposed": Case(lambda x: x.mT * 2.0, ((N, 64),)),
    "total": Case(lambda x: eq.sum(x * x), ((N,),)),
}
