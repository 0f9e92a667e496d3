"""The programs for JAX: `vmap` of while loops, with a hand-written stack for recursion."""

import jax
import jax.numpy as jnp
from jax.lax import fori_loop, while_loop

jax.config.update("jax_enable_x64", True)
DEPTH = 32  # the depth of the stack of waiting arguments


def fibonacci(n):
    """Adds the leaves of the tree of calls, with a stack of arguments."""

    def step(state):
        stack, size, total = state
        top = stack[size - 1]
        is_leaf = top <= 1
        pushed = stack.at[size - 1].set(top - 1).at[size].set(top - 2)
        return (
            jnp.where(is_leaf, stack, pushed),
            size + jnp.where(is_leaf, -1, 1),
            total + jnp.where(is_leaf, top, 0),
        )

    start = (jnp.zeros(DEPTH, jnp.int32).at[0].set(n), jnp.int32(1), jnp.int32(0))
    return while_loop(lambda state: state[1] > 0, step, start)[2]


def collatz(n):
    def step(state):
        n, steps = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return while_loop(lambda state: state[0] != 1, step, (n, jnp.int64(0)))[1]


def gcd(a, b):
    return while_loop(lambda state: state[1] != 0, lambda state: (state[1], state[0] % state[1]), (a, b))[0]


def mandelbrot(x, y, most):
    def step(state):
        u, v, count = state
        return u * u - v * v + x, 2.0 * u * v + y, count + 1

    start = (jnp.float32(0), jnp.float32(0), jnp.int64(0))
    return while_loop(lambda s: (s[2] < most) & (s[0] * s[0] + s[1] * s[1] <= 4.0), step, start)[2]


def bisection(target):
    def step(_, bounds):
        low, high = bounds
        middle = (low + high) * 0.5
        below = middle * middle < target
        return jnp.where(below, middle, low), jnp.where(below, high, middle)

    return fori_loop(0, 30, step, (target * 0.0, 1.0 + target))[0]


PROGRAMS = {
    each.__name__: jax.jit(jax.vmap(each)) for each in (fibonacci, collatz, gcd, mandelbrot, bisection)
}
