"""Functions as someone writes them who has not read the manual, with inputs; each computes what Python computes for each member."""

# ruff: noqa: B002, B007, PIE790, PLW0127, RET504, RUF021, SIM201, UP037, FURB136  they are written as they came

from typing import NamedTuple

import numpy as np

import eqsat as eq
from eqsat.autobatch import batch
from eqsat.autobatch.run import BatchProgram


def i32(*values):
    return np.array(values, np.int32)


def f32(*values):
    return np.array(values, np.float32)


CASES = []


def case(*inputs):
    def kept(function):
        CASES.append((function, inputs))
        return function

    return kept


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


@case(i32(0, 0))
@batch
def zero_trip(n):
    t = 5
    for i in range(n):
        t = t + i
    while n > 0:
        n -= 1
    return t


@case(i32(-3, -1))
@batch
def neg_range(n):
    t = 0
    for i in range(n, 3):
        t += i
    for i in range(3, n):
        t += 100
    return t


@case(i32(3, 7))
@batch
def loopvar_after(n):
    i = -1
    for i in range(n):
        pass
    return i


@case(i32(3, 7))
@batch
def loopvar_changed(n):
    t = 0
    for i in range(n):
        i = i * 10
        t += i
    return t


@case(i32(3, 7))
@batch
def while_true(n):
    while True:
        n += 1
        if n % 5 == 0:
            return n


@case(i32(3, 7))
@batch
def builtins_used(n):
    return abs(-n) + min(n, 4) + max(n, 5, 6) + int(n / 2) + bool(n)


@case(f32(3.7, -7.2))
@batch
def rounding(x):
    return round(x) + int(x)


@case(i32(3, 7), i32(2, 3))
@batch
def powdiv(a, b):
    return a**b + divmod(a, b)[0] * 10 + divmod(a, b)[1]


@case(i32(3, 7))
@batch
def sums(n):
    return sum([n, n + 1, n + 2]) + sum((n, 1))


@case(i32(3, 7))
@batch
def lens(n):
    t = (n, n, n)
    return len(t) + n


@case(i32(3, 7))
@batch
def inn(n):
    return 1 if n in (3, 4) else 0 if n not in LIMITS else 2


@case(i32(3, 7))
@batch
def multi(n):
    a = b = n
    a, b = b + 1, a - 1
    a += b
    return a, b


@case(i32(3, 7))
@batch
def swap3(a):
    b, c = a + 1, a + 2
    for _ in range(a):
        a, b, c = c, a, b
    return a * 100 + b * 10 + c


@case(i32(3, 7))
@batch
def listlit(n):
    xs = [n, n * 2, n * 3]
    xs[1] = 5
    return xs[0] + xs[1] + xs[2]


@case(i32(3, 7))
@batch
def annotated(n: int) -> int:
    x: int = n + 1
    y: "float" = x * 0.5
    return y


@case(i32(3, 7), f32(1.5, 2.5))
@batch
def mixed(n, x):
    return n * x


@case(f32(1.5, -2.5))
@batch
def reassign_shape(x):
    v = eq.stack([x, x + 1])
    x = v
    return x * 2


@case(i32(2, 3))
@batch
def mutual_arity(n):
    return ping(n, 1)


@batch
def ping(n, acc):
    if n <= 0:
        return acc
    return pong(n - 1, acc, 2)


@batch
def pong(n, acc, k):
    if n <= 0:
        return acc * k
    return ping(n - 1, acc * k + 1)


@case(i32(4, 6))
@batch
def nested_call(n):
    return fibo(fibo(n) - 1) + fibo(n if n < 5 else 3)


@batch
def fibo(n):
    return n if n < 2 else fibo(n - 1) + fibo(n - 2)


@case(i32(4, 6))
@batch
def cond_call(n):
    return n > 5 and fibo(n) > 3


@case(i32(4, 6))
@batch
def while_call(n):
    while fibo(n) > 2:
        n -= 1
    return n


@case(i32(4, 6))
@batch
def comp(n):
    return sum([n * k for k in (1, 2, 3)])


@case(i32(4, 6))
@batch
def comp_range(n):
    return sum([n + k for k in range(4)])


@case(i32(4, 6))
@batch
def walrus_free(n):
    """doc"""
    pass
    ...
    return -(-n) + +n + ~n


@case(i32(4, 6))
@batch
def global_fn(n):
    return plain(n) + 1


def plain(n):
    return n * 3


@case(f32(4, 6))
@batch
def npfun(x):
    return np.float32(2) * x + np.pi


@case(f32(4, -6))
@batch
def eqfun(x):
    return eq.where(x > 0, eq.sqrt(eq.abs(x)), 0.0)


@case(i32(4, 6))
@batch
def deltuple(n):
    pair = (n, n + 1)
    pair = (pair[1], pair[0])
    x, y = pair
    return x - y


@case(i32(4, 6))
@batch
def ifassign(n):
    if n > 4:
        y = 1
    else:
        y = 2.5
    return y


@case(i32(4, 6))
@batch
def unusedvar(n):
    _ = n * 0.5
    _ = n
    for _ in range(2):
        n += 1
    return n


@case(i32(4, 6))
@batch
def floatacc(n):
    t = 0
    for i in range(n):
        t += i * 0.5
    return t


@case(i32(4, 6))
@batch
def elifs(n):
    if n < 3:
        r = 1
    elif n < 5:
        r = 2
    elif n < 7:
        r = 3
    else:
        r = 4
    return r


@case(np.array([5, 7], np.int8))
@batch
def wrap(n):
    return n * 100


@case(i32(-7, 7), i32(2, -2))
@batch
def negdiv(a, b):
    return a // b * 100 + a % b


def main():
    """Compares the kernels with the interpreter, and says where they differ."""
    from tests.autobatch.agreement import differences

    wrong = 0
    with np.errstate(all="ignore"):
        for function, inputs in CASES:
            program = BatchProgram(function.program(*inputs), eq.Plan(strict=True), function.source.name)
            for line in differences(program, function.inputs(*inputs)):
                wrong += 1
                print(f"{function.source.name}: {line}")
    print(f"{len(CASES)} functions, {wrong} differences")


if __name__ == "__main__":
    main()
