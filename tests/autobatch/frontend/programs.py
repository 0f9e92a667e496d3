"""Batched functions and inputs for them: what they compute is what the Python functions compute for each member."""

import numpy as np

import eqsat as eq
from eqsat.autobatch import batch


@batch
def fibonacci(n):
    if n <= 1:
        return n
    left = fibonacci(n - 1)
    return left + fibonacci(n - 2)


@batch
def even(n):
    return True if n == 0 else odd(n - 1)


@batch
def odd(n):
    return False if n == 0 else even(n - 1)


@batch
def ackermann(m, n):
    if m == 0:
        return n + 1
    elif n == 0:
        return ackermann(m - 1, 1)
    else:
        return ackermann(m - 1, ackermann(m, n - 1))


@batch
def tail_sum(n, total=0):
    if n == 0:
        return total
    return tail_sum(n - 1, total + n)


@batch
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@batch
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@batch
def mandelbrot(x, y, most):
    u = v = 0.0
    count = 0
    while count < most and u * u + v * v <= 4.0:
        u, v = u * u - v * v + x, 2.0 * u * v + y
        count += 1
    return count, (u, v)


@batch
def bisection(target):
    low, high = 0.0, 1.0 + target
    for _ in range(30):
        middle = (low + high) * 0.5
        if middle * middle < target:
            low = middle
        else:
            high = middle
    return low


@batch
def partition(x, low, high):
    pivot = x[high]
    place = low
    for j in range(low, high):
        if x[j] < pivot:
            x[place], x[j] = x[j], x[place]
            place += 1
    x[place], x[high] = x[high], x[place]
    return x, place


@batch
def quicksort(x, low, high):
    if low < high:
        x, middle = partition(x, low, high)
        x = quicksort(x, low, middle - 1)
        x = quicksort(x, middle + 1, high)
    return x


@batch
def queens(size, row, columns, rising, falling):
    if row == size:
        return 1
    count = 0
    for column in range(size):
        bit, up, down = 1 << column, 1 << row + column, 1 << row - column + size
        if columns & bit or rising & up or falling & down:
            continue
        count += queens(size, row + 1, columns | bit, rising | up, falling | down)
    return count


@batch
def primes(limit):
    """Nested loops that break and continue."""
    found = 0
    for n in range(2, limit):
        is_prime = True
        for divisor in range(2, n):
            if divisor * divisor > n:
                break
            if n % divisor != 0:
                continue
            is_prime = False
            break
        if not is_prime:
            continue
        found += 1
    return found


@batch
def shadows(n):
    """Names of one function are names of another one, and of builtins."""
    max, left, place = n, 2, 0  # noqa: A001
    for n in range(3):
        for max in range(n, -1, -1):  # noqa: A001
            place += max * left
    return max, n, place, fibonacci(n + left)


@batch
def divides(k, n):
    return n != 0 and k % n == 0


TABLE = np.array([3.0, 1.0, 4.0, 1.0, 5.0], dtype=np.float32)
SCALE = 0.5


@batch
def looked_up(i, x):
    return TABLE[i] * SCALE + eq.sum(x) - (x @ x) * max(i, 2) + int(x[0])


def _int32(*values):
    return np.array(values, dtype=np.int32)


RANDOM = np.random.default_rng(1)

# name: the function, its inputs
PROGRAMS = {
    "fibonacci": (fibonacci, [_int32(*range(12))]),
    "even": (even, [_int32(*range(9))]),
    "ackermann": (ackermann, [_int32(0, 1, 2, 2, 2, 1), _int32(0, 3, 0, 1, 3, 5)]),
    "tail_sum": (tail_sum, [_int32(*range(8))]),
    "gcd": (gcd, [_int32(12, 7, 0, 100, 9), _int32(18, 21, 5, 75, 0)]),
    "collatz": (collatz, [_int32(1, 2, 3, 7, 27, 6)]),
    "mandelbrot": (
        mandelbrot,
        [
            RANDOM.uniform(-2, 1, 9).astype(np.float32),
            RANDOM.uniform(-1, 1, 9).astype(np.float32),
            _int32(*range(3, 30, 3)),
        ],
    ),
    "bisection": (bisection, [RANDOM.uniform(0, 9, 6)]),
    "quicksort": (
        quicksort,
        [RANDOM.integers(0, 9, (7, 6)).astype(np.float32), np.zeros(7, np.int32), np.full(7, 5, np.int32)],
    ),
    "queens": (queens, [_int32(1, 2, 3, 4, 5), *(np.zeros(5, np.int32) for _ in range(4))]),
    "primes": (primes, [_int32(0, 2, 3, 10, 30)]),
    "shadows": (shadows, [_int32(0, 4)]),
    "divides": (divides, [_int32(12, 5, 9, 7), _int32(4, 0, 2, 7)]),
    "looked_up": (looked_up, [_int32(0, 4, 2), RANDOM.integers(-9, 9, (3, 4)).astype(np.float32)]),
}
