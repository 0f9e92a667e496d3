"""Programs of papers and textbooks, as someone writes them who batches them: each computes what Python computes for each member."""

from typing import NamedTuple

import numpy as np

from eqsat.autobatch import batch


class Step(NamedTuple):
    """Where an integration is."""

    time: float
    value: float


@batch
def tak(x, y, z):
    if y >= x:
        return z
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y))


@batch
def hanoi(n, source, target):
    if n == 0:
        return 0
    other = 6 - source - target
    moves = hanoi(n - 1, source, other)
    moves += 1
    return moves + hanoi(n - 1, other, target)


@batch
def adaptive_euler(value, end, tolerance):
    """Halves its steps until two half steps agree with a whole one."""
    step = Step(value * 0, value)
    size, rejected = end, 0
    while step.time < end and rejected < 60:
        size = min(size, end - step.time)
        whole = step.value - size * step.value
        half = step.value - size / 2 * step.value
        half = half - size / 2 * half
        if abs(half - whole) > tolerance:
            size /= 2
            rejected += 1
            continue
        step = Step(step.time + size, half)
        size *= 2
    return step, rejected


@batch
def three_a(n):
    return 1 if n <= 0 else three_b(n - 1) + 1


@batch
def three_b(n):
    if n <= 0:
        return 2
    return three_c(n - 2) * 2 + three_a(n - 1)


@batch
def three_c(n):
    if n <= 0:
        return 3
    return three_a(n - 1) - three_b(n - 3)


@batch
def filled(bits, place):
    """Recursion that returns an array and a number."""
    if place >= len(bits) or not bits[place]:
        return bits, 0
    bits[place] = False
    bits, one = filled(bits, place + 1)
    bits, two = filled(bits, place + 2)
    return bits, one + two + 1


@batch
def without_comments(text):
    """How many characters are outside of C comments: a machine of four states."""
    state, count = 0, 0
    for i in range(len(text)):
        c = text[i]
        if state == 0:
            if c == ord("/"):
                state = 1
            else:
                count += 1
        elif state == 1:
            if c == ord("*"):
                state = 2
            else:
                count += 2
                state = 0
        elif state == 2:
            if c == ord("*"):
                state = 3
        elif c == ord("/"):
            state = 0
        elif c != ord("*"):
            state = 2
    return count, state


def cases():
    """Each function with inputs."""
    draw = np.random.default_rng(4)
    small = [draw.integers(0, high, 12).astype(np.int32) for high in (7, 5, 5)]
    values = [draw.uniform(0.5, 2, 12), draw.uniform(0.5, 3, 12), np.full(12, 1e-3)]
    text = draw.choice([ord(c) for c in "/*a"], (12, 15)).astype(np.uint8)
    return [
        (tak, small),
        (hanoi, [small[0], small[0] * 0 + 1, small[0] * 0 + 3]),
        (adaptive_euler, values),
        (three_a, [np.arange(12)]),
        (filled, [draw.random((12, 7)) < 0.7, small[0] * 0]),
        (without_comments, [text]),
    ]
