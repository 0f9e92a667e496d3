"""The functions of workloads that are steps of learning: gradients, losses, updates, counts. `xp` is as in `benchmarks.kernels.functions`."""

from __future__ import annotations

from benchmarks.kernels.functions import Array, Namespace

ROWS = 50_000  # rows of the table of an embedding
LABELS = 1000  # different labels


def embedding_gradient(xp: Namespace, gradient: Array, positions: Array) -> Array:
    """A table of zeros to which each row is added at its position: (n, columns), (n) -> (rows, columns)."""
    own = xp.arange(ROWS) == positions[:, None]
    return xp.sum(xp.where(own[:, :, None], gradient[:, None, :], 0), axis=0)


def embedding_gradient_numpy(xp: Namespace, gradient: Array, positions: Array) -> Array:
    """The same by `add.at`; a comparison of all positions would need terabytes in NumPy."""
    total = xp.zeros((ROWS, gradient.shape[1]), gradient.dtype)
    xp.add.at(total, positions, gradient)
    return total


def embedding_gradient_jax(xp: Namespace, gradient: Array, positions: Array) -> Array:
    """The same as a scatter in JAX."""
    return xp.zeros((ROWS, gradient.shape[1]), gradient.dtype).at[positions].add(gradient)


def embedding_gradient_torch(xp: Namespace, gradient: Array, positions: Array) -> Array:
    """The same as a scatter in torch."""
    return gradient.new_zeros((ROWS, gradient.shape[1])).index_add_(0, positions, gradient)


def label_counts(xp: Namespace, labels: Array) -> Array:
    """The number of labels that are 0, 1, …: (n) -> (LABELS)."""
    return xp.sum(labels[:, None] == xp.arange(LABELS), axis=0)


def label_counts_numpy(xp: Namespace, labels: Array) -> Array:
    """The same by NumPy's own function."""
    return xp.bincount(labels, minlength=LABELS)


def label_counts_jax(xp: Namespace, labels: Array) -> Array:
    """The same by JAX's own function."""
    return xp.bincount(labels, length=LABELS)


def label_counts_torch(xp: Namespace, labels: Array) -> Array:
    """The same by torch's own function."""
    return labels.bincount(minlength=LABELS)


def adam_step(
    xp: Namespace, weights: Array, gradient: Array, mean: Array, square: Array
) -> tuple[Array, Array, Array]:
    """A step of Adam: new weights, and new moments of the gradient."""
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * (gradient * gradient)
    return weights - 0.001 * (mean / 0.5) / (xp.sqrt(square / 0.3) + 1e-8), mean, square


def logistic_gradient(xp: Namespace, x: Array, weights: Array, labels: Array) -> Array:
    """The gradient of a logistic regression: (rows, columns), (columns), (rows) -> (columns)."""
    return xp.matmul(xp.matrix_transpose(x), xp.sigmoid(xp.matmul(x, weights)) - labels) * (1.0 / x.shape[0])


def cross_entropy(xp: Namespace, x: Array, labels: Array) -> Array:
    """The mean over rows of the negative logarithm of the label's probability."""
    picked = xp.reshape(xp.take_along_axis(x, labels[:, None], axis=1), (x.shape[0],))
    return xp.mean(xp.logsumexp(x, axis=1) - picked, axis=0)


def cross_entropy_torch(xp: Namespace, x: Array, labels: Array) -> Array:
    """The same by torch's own function."""
    return xp.cross_entropy(x, labels)
