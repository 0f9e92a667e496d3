"""See `outsiders`: assignments, operators, arguments, tuples, small arrays, dtypes."""

# ruff: noqa: PLW0127, RET504, RUF021, SIM201, FURB136  they are written as they came

from typing import NamedTuple

import numpy as np

from eqsat.autobatch import batch
from tests.autobatch.frontend.cases import f32, i32, into

CASES = []
case = into(CASES)


class Point(NamedTuple):
    x: object
    y: object


K = 3
LIMITS = (2, 5)
TABLE = np.array([[1, 2], [3, 4]], np.int32)
CONF = {"a": 2}


@case(i32(1, 2, 3))
@batch
def nested_destructure(n):
    (a, (b, c)), d = (n, (n + 1, n + 2)), n + 3
    [e, f] = b, c
    return a * b + c * d + e - f


@case(i32(1, -2, 3))
@batch
def aug(n):
    n += 1
    n *= 2
    n -= 3
    n //= 2
    n %= 7
    n <<= 1
    n |= 1
    n &= 15
    n ^= 3
    n >>= 1
    return n


@case(f32(1, 2.5))
@batch
def aug_float(x):
    x /= 2
    x **= 2
    x -= 0.5
    return x


@case(i32(4, 7))
@batch
def self_assign_type(n):
    n = n / 2
    return n


@case(i32(4, 7))
@batch
def self_assign(n):
    n = n
    m = n
    m = m + n
    return m


@case(i32(5, 0, -3))
@batch
def range_neg_step(n):
    t = 0
    for i in range(n, -2, -2):
        t += i * i
    return t


@case(i32(5, 0, 3), i32(1, 2, -1))
@batch
def range_var_step(n, s):
    t = 0
    for i in range(0, n, s):
        t += i
    return t


@case(i32(5, 0, 12))
@batch
def brk(n):
    t = 0
    for i in range(n):
        if i == 7:
            break
        if i % 2:
            continue
        t += i
    return t


@case(i32(5, 0, 12))
@batch
def early(n):
    for i in range(n):
        for j in range(i):
            if i * j > 12:
                return i * 100 + j
    return -1


@case(i32(5, 0, 12, -4))
@batch
def shortc(n):
    return (n > 3 and n < 10 or n == 0) and not n == 5


@case(i32(5, 0, 12))
@batch
def shortval(n):
    return n and n * 2 or -1


@case(i32(5, 0, 12))
@batch
def safe_div(n):
    if n != 0 and 60 // n > 4:
        return 60 // n
    return 0


@case(i32(5, 0, 12))
@batch
def chained(n):
    return 0 < n <= 5 < 7


@case(i32(5, 0, 12))
@batch
def chained_eq(n):
    return 5 == n != 3


@case(i32(5, 0, 12))
@batch
def ternary(n):
    return (1 if n > 3 else 2) + (3 if n > 10 else 4 if n > 0 else 5)


@case(i32(5, 0, 12))
@batch
def defaults(n):
    return with_default(n) + with_default(n, 2) + with_default(n=n, k=5) + with_default(k=1, n=2)


@batch
def with_default(n, k=10, *, z=1):
    return n * k + z


@case(i32(5, 0, 12))
@batch
def default_entry(n, k=10):
    return n + k


@case(i32(5, 0, 12))
@batch
def later(n):
    return defined_later(n, n) + 1


@batch
def defined_later(a, b):
    return a * b if a > 1 else one_arg(b)


@batch
def one_arg(b):
    return defined_later(b + 1, 2) if b <= 1 else b


@case(i32(5, 0, 12))
@batch
def tuples(n):
    t = (n, n + 1, (n + 2,))
    a = t[0]
    b = t[-1][0]
    return a, (b, t[1])


@case(f32(5, 0, 12))
@batch
def named(x):
    p = Point(x, x * 2)
    q = Point(y=p.x, x=p.y)
    return q


@case(f32(5, 0, 12))
@batch
def named_replace(x):
    p = Point(x, x * 2)
    p = p._replace(x=p.y + 1)
    return p.x


@case(
    i32(1, 2),
)
@batch
def closure_const(n):
    return n * K + LIMITS[0] + TABLE[1, 0] + CONF["a"]


@case(np.arange(6, dtype=np.float32).reshape(2, 3))
@batch
def vec(v):
    v[0] = v[1] + 1
    v[1] += 5
    w = v * 2
    w[2] = 0
    return v, w, v @ w


@case(np.arange(8, dtype=np.float32).reshape(2, 2, 2))
@batch
def mat(m):
    m[0, 1] = 7
    m[1, :] = m[0] * 2
    return m.T @ m, m[0, 0]


@case(i32(1, 2, 0), np.arange(9, dtype=np.float32).reshape(3, 3))
@batch
def dyn_index(i, v):
    return v[i] + v[(i + 1) % 3] - v[-1]


@case(np.ones((3, 150), np.int32), np.array([0, 101, 149], np.uint8), np.array([-100, 100, -1], np.int8))
@batch
def small_positions(x, i, j):
    """The extent does not fit a position's dtype."""
    x[i] = 7
    x[j] = x[i] + 1
    return x


@case(np.array([True, False]))
@batch
def bools(b):
    c = not b
    if b or c:
        return b & True
    return c


for dt in (
    np.int8,
    np.int16,
    np.int64,
    np.uint8,
    np.uint16,
    np.uint32,
    np.uint64,
    np.float16,
    np.float32,
    np.float64,
):

    @batch
    def alltypes(x):
        t = x
        for _ in range(3):
            t = t * 2 + x
        return t if t > x else x

    CASES.append((alltypes, (np.array([1, 2, 3], dt),)))
