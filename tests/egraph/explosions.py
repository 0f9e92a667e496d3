"""Rule sets that never end, run in a process of its own: `python -m tests.egraph.explosions NAME BUDGET` prints how that went as JSON.

The address space is limited, so that a saturation that takes all memory fails instead of taking the machine with it.
"""

from __future__ import annotations

import json
import resource
import sys
from functools import reduce
from time import process_time, sleep
from typing import Any

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.rules.language.pattern import Value, apply
from eqsat.rules.language.rule import FLOATS, INDEX, INTEGERS, Phase, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Const, pure
from tests.peak_memory import peak_bytes

MEMORY = 3 << 30  # bytes of address space
ENDLESS = 10**6
BUDGETS = {
    "nodes": Budget(nodes=10_000, iterations=ENDLESS, seconds=60, explorations=ENDLESS),
    "iterations": Budget(iterations=8, seconds=60, explorations=ENDLESS),
    "seconds": Budget(nodes=ENDLESS, iterations=ENDLESS, seconds=0.7, explorations=ENDLESS),
    "memory": Budget(nodes=ENDLESS, iterations=ENDLESS, seconds=20, explorations=ENDLESS, memory=128),
    "default": Budget(),
}


def growing(phase: Phase) -> Topic:
    """Every root makes another one."""
    topic = Topic("growing")

    @topic.rule(FLOATS, phase=phase)
    def root_of_more(x: Value) -> Rewrite:
        """A root is the root of one more, which is false, and has no end."""
        return rewrite(apply(eq.Op.SQRT, x), apply(eq.Op.SQRT, x + 1.0))

    return topic


def distributing(phase: Phase) -> Topic:
    """What made 212,336 rows of 271 in five iterations, in an e-graph without canonical sums."""
    topic = Topic("distributing")

    @topic.rule(FLOATS, phase=phase, soundness=Soundness.REAL)
    def products_spread_over_sums(x: Value, y: Value, z: Value) -> Rewrite:
        """A product with a sum is the sum of products."""
        return rewrite(x * (y + z), x * y + x * z, both_ways=True)

    @topic.rule(FLOATS, phase=phase, over=(eq.Op.ADD, eq.Op.MUL), soundness=Soundness.REAL)
    def grouping_is_free(op: eq.Op, x: Value, y: Value, z: Value) -> Rewrite:
        """{op} may be grouped in any way."""
        return rewrite(apply(op, x, apply(op, y, z)), apply(op, apply(op, x, y), z), both_ways=True)

    return topic


def contradicting(phase: Phase) -> Topic:
    """Three false claims about integers, whose bounds then contradict each other."""
    topic = Topic("contradicting")

    @topic.rule(INTEGERS, phase=phase)
    def one_more_is_twice(x: Value) -> Rewrite:
        """False."""
        return rewrite(x + 1, x * 2 + x * -1 + (x + 1) // 1)

    @topic.rule(INTEGERS, phase=phase)
    def product_is_more(x: Value, y: Value) -> Rewrite:
        """True, and it makes longer products of every product."""
        return rewrite(x * y, x * (y + 1) + x * -1)

    @topic.rule(INTEGERS, phase=phase)
    def quotient_is_a_product(x: Value) -> Rewrite:
        """False."""
        return rewrite(x // 1, (x + 1) * (x + 2) // 1)

    return topic


def shifting(phase: Phase) -> Topic:
    """True, and each dividend makes another one."""
    topic = Topic("shifting")

    @topic.rule(INDEX, phase=phase)
    def dividend_shifts(x: Value, c: Const) -> Rewrite:
        """A dividend that is greater by the divisor has a quotient that is greater by one."""
        return rewrite(x // c, (x + c) // c + -1, where=c > 0)

    return topic


def crossing(phase: Phase) -> Topic:
    """Every way to write one factor as a sum meets every way to write the other one, all in one step."""
    topic = Topic("crossing")

    @topic.rule(FLOATS, phase=phase, soundness=Soundness.REAL)
    def sums_multiply_out(x: Value, y: Value, z: Value, w: Value) -> Rewrite:
        """A product of sums is a sum of four products."""
        return rewrite((x + y) * (z + w), x * z + x * w + y * z + y * w)

    return topic


def picking(phase: Phase) -> Topic:
    """Any three of a hundred operands."""
    topic = Topic("picking")

    @topic.rule(INDEX, phase=phase)
    def three_are_picked(x: Value, y: Value, z: Value) -> Rewrite:
        """False."""
        pick = apply(eq.Op.MAX, apply(eq.Op.MAX, x, y), z)
        return rewrite(pick, apply(eq.Op.MAX, x // 2, apply(eq.Op.MIN, y, z)))

    return topic


def waiting(phase: Phase) -> Topic:
    """A guard that takes its time, and never holds."""
    topic = Topic("waiting")

    @pure
    def after_a_while(value: float) -> bool:
        sleep(0.02)
        return value < 0

    @topic.rule(FLOATS, phase=phase)
    def constant_waits(x: Value, c: Const) -> Rewrite:
        """True, and slow."""
        return rewrite(x + c, c + x, where=after_a_while(c))

    return topic


TOPICS = {
    "crossing": crossing,
    "picking": picking,
    "waiting": waiting,
    "growing": growing,
    "distributing": distributing,
    "contradicting": contradicting,
    "shifting": shifting,
}


def graph(name: str) -> tuple[eq.UOp, list[tuple[eq.UOp, eq.UOp]]]:
    """Something that the rules of the topic apply to, and what is taken as equal."""
    inputs = [eq.UOp.param(slot, 1, eq.float32).reshape(()) for slot in range(300)]
    if name == "crossing":
        sums = [[inputs[slot] + inputs[(slot + step) % 300] for slot in range(300)] for step in (1, 7)]
        return inputs[0] * inputs[1] + 1.0, [(inputs[side], each) for side in (0, 1) for each in sums[side]]
    if name == "waiting":
        return reduce(
            lambda left, right: left + right, [each + float(place) for place, each in enumerate(inputs)]
        ), []
    if name == "picking":
        values = [eq.variable(f"v{number}", 0, 9) for number in range(100)]
        return reduce(lambda left, right: left.alu(eq.Op.MAX, right), values), []
    if name in ("growing", "distributing"):
        product = reduce(lambda left, right: left * (right + inputs[0]), inputs[1:12])
        return (product + reduce(lambda left, right: left + right, inputs[:30])).alu(eq.Op.SQRT), []
    a, b = eq.variable("a", 0, 9), eq.variable("b", 0, 9)
    return (a + 1) * (b * a) // 1 + (a * 7 + b) // 5, []


def explode(name: str, phase: Phase, budget: Budget) -> dict[str, Any]:
    """Saturates under the budget; rules are registered before. Seconds are the processor's: what else runs does not count."""
    rules = TOPICS[name](phase).ruleset
    saturate([eq.UOp.const(eq.float32, 1.0)], rules)
    root, equalities = graph(name)
    before = peak_bytes()
    start = process_time()
    report = saturate([root], rules, budget, equalities).report
    return {
        "stop": report.stop.value,
        "seconds": process_time() - start,
        "rows": report.rows,
        "iterations": report.iterations,
        "responsible": report.responsible,
        "grown": peak_bytes() - before,
        "bytes": peak_bytes(),
    }


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    outcomes = {phase.value: explode(sys.argv[1], phase, BUDGETS[sys.argv[2]]) for phase in Phase}
    sys.stdout.write(json.dumps(outcomes))
