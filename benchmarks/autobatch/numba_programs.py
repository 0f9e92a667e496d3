"""The programs for numba: plain functions, compiled, which a guvectorize loop calls for each member on all cores."""

import numpy as np
from numba import float32, float64, guvectorize, int32, int64, njit


@njit(int32(int32))
def fib(n):
    if n <= 1:
        return n
    return fib(n - 1) + fib(n - 2)


@njit(int32(int32, int32))
def ack(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))


@guvectorize([(int32[:], int32[:])], "()->()", target="parallel")
def fibonacci(n, out):
    out[0] = fib(n[0])


@guvectorize([(int32[:], int32[:], int32[:])], "(),()->()", target="parallel")
def ackermann(m, n, out):
    out[0] = ack(m[0], n[0])


@guvectorize([(int64[:], int64[:])], "()->()", target="parallel")
def collatz(start, out):
    n, steps = start[0], 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    out[0] = steps


@guvectorize([(int32[:], int32[:], int32[:])], "(),()->()", target="parallel")
def gcd(one, other, out):
    a, b = one[0], other[0]
    while b:
        a, b = b, a % b
    out[0] = a


@guvectorize([(float32[:], float32[:], int32[:], int64[:])], "(),(),()->()", target="parallel")
def mandelbrot(x, y, most, out):
    u = v = np.float32(0.0)
    count = 0
    while count < most[0] and u * u + v * v <= np.float32(4.0):
        u, v = u * u - v * v + x[0], np.float32(2.0) * u * v + y[0]
        count += 1
    out[0] = count


@guvectorize([(float64[:], float64[:])], "()->()", target="parallel")
def bisection(target, out):
    low, high = 0.0, 1.0 + target[0]
    for _ in range(30):
        middle = (low + high) * 0.5
        if middle * middle < target[0]:
            low = middle
        else:
            high = middle
    out[0] = low


PROGRAMS = {
    "fibonacci": fibonacci, "collatz": collatz, "gcd": gcd, "mandelbrot": mandelbrot, "bisection": bisection,
    "ackermann": ackermann,
}  # fmt: skip
