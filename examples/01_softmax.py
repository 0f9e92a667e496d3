"""A function over NumPy arrays, compiled: check it against NumPy and look at the kernels."""

import numpy as np

import eqsat as eq


def softmax(x: eq.Array) -> eq.Array:
    """Each row as probabilities."""
    exponentials = eq.exp(x - eq.max(x, axis=-1, keepdims=True))
    return exponentials / eq.sum(exponentials, axis=-1, keepdims=True)


x = np.random.default_rng(0).normal(size=(64, 100)).astype(np.float32)
expected = np.exp(x - x.max(axis=-1, keepdims=True))
expected /= expected.sum(axis=-1, keepdims=True)

print("largest error:", np.abs(eq.jit(softmax)(x) - expected).max())

program = eq.compile(eq.trace(softmax, eq.spec(x.shape, eq.float32)))
for kernel in program.kernels:
    print(f"\n// {kernel.name}, {kernel.global_size} work-items\n{kernel.source}")
