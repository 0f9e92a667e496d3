"""The programs as users of eqsat write them."""

from eqsat.autobatch import batch


@batch
def fibonacci(n):
    if n <= 1:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@batch
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@batch
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@batch
def mandelbrot(x, y, most):
    u = v = 0.0
    count = 0
    while count < most and u * u + v * v <= 4.0:
        u, v = u * u - v * v + x, 2.0 * u * v + y
        count += 1
    return count


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
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


PROGRAMS = {each.source.name: each for each in (fibonacci, collatz, gcd, mandelbrot, bisection, ackermann)}
