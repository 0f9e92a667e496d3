"""See `outsiders`: loops, builtins, comprehensions, calls, and what is left."""

# ruff: noqa: B002, B007, PIE790, PLW0120, UP037  they are written as they came

import numpy as np

import eqsat as eq
from eqsat.autobatch import batch
from tests.autobatch.frontend.cases import f32, i32, into

CASES = []
case = into(CASES)
LIMITS = (2, 5)


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


@case(i32(0, 1, 2, 9, 25, 29))
@batch
def loop_with_else(n):
    for d in range(2, n):
        if n % d == 0:
            break
        if d * d > n:
            continue
    else:
        while n > 0:
            n -= 7
            if n == 8:
                return -1
        else:
            n = n * 100
        return n
    return d


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
