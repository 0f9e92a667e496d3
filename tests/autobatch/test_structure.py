"""Programs without calls are nested loops and branches in kernels, which run the same blocks."""

import random

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import batch
from eqsat.autobatch.ir import EXIT, Block, BranchOp, ControlFlowGraph, GotoOp
from eqsat.autobatch.opencl.structure import Choice, Code, Jump, Loop, Target, structured
from tests.autobatch.agreement import differences
from tests.autobatch.test_groups import program_of

STEPS = 60


def drawn_graph(seed):
    """A graph of up to nine blocks that branch or go anywhere."""
    draw = random.Random(seed)
    names = [f"b{number}" for number in range(draw.randint(1, 9))]

    def somewhere(number):
        ahead = names[number + 1 :] or [EXIT]
        return draw.choice(ahead[:2] if draw.random() < 0.7 else [*names[: number + 1], EXIT])

    blocks = [
        Block(name, (), GotoOp(somewhere(number)))
        if draw.random() < 0.3
        else Block(name, (), BranchOp("c", somewhere(number), somewhere(number)))
        for number, name in enumerate(names)
    ]
    return ControlFlowGraph(tuple(blocks))


def path_of_graph(graph, decisions):
    """The blocks that run, each branch taking the next decision."""
    name, passed = graph.entry, []
    while name != EXIT and len(passed) < STEPS:
        passed.append(name)
        terminator = graph.by_name[name].terminator
        if isinstance(terminator, GotoOp):
            name = terminator.block
        else:
            name = terminator.true_block if decisions[len(passed)] else terminator.false_block
    return passed


def lines_of(parts, loop=("", "")):
    """The parts as labels, and jumps to them: what C means by them."""
    for number, part in enumerate(parts):
        match part:
            case Code(name):
                yield "run", name
            case Target(name):
                yield "label", name
            case Jump(name, how):
                yield "jump", {"goto": name, "break": loop[1], "continue": loop[0]}[how]
            case Choice(true_parts, false_parts):
                other, after = f"else{id(part)}{number}", f"after{id(part)}{number}"
                yield "unless", other
                yield from lines_of(true_parts, loop)
                yield "jump", after
                yield "label", other
                yield from lines_of(false_parts, loop)
                yield "label", after
            case Loop(inner, has_test):
                head, after = f"head{id(part)}", f"end{id(part)}"
                yield "label", head
                yield from lines_of(inner, (head, after))
                if has_test:
                    yield "unless", after
                yield "jump", head
                yield "label", after


def path_of_parts(parts, decisions):
    lines = [*lines_of(parts), ("label", EXIT)]
    labels = {name: number for number, (kind, name) in enumerate(lines) if kind == "label"}
    place, passed = 0, []
    while place < len(lines) and len(passed) < STEPS:
        kind, name = lines[place]
        if kind == "run":
            passed.append(name)
        goes = kind == "jump" or (kind == "unless" and not decisions[len(passed)])
        place = labels[name] if goes else place + 1
    return passed


def test_parts_run_the_blocks_of_the_graph():
    count = 0
    for seed in range(1500):
        graph = drawn_graph(seed)
        parts = structured(graph)
        if parts is None:
            continue
        count += 1
        for other in range(4):
            decisions = random.Random(other).choices([True, False], k=STEPS + 1)
            assert path_of_parts(parts, decisions) == path_of_graph(graph, decisions), (seed, graph)
    assert count > 500


def test_a_loop_with_two_entries_has_no_structure():
    blocks = [("a", BranchOp("c", "b", "d")), ("b", GotoOp("d")), ("d", BranchOp("c", "b", EXIT))]
    assert structured(ControlFlowGraph(tuple(Block(name, (), way) for name, way in blocks))) is None


@batch
def primes(n):
    count = 0
    for i in range(2, n):
        is_prime = True
        j = 2
        while j * j <= i:
            if i % j == 0:
                is_prime = False
                break
            j += 1
        if not is_prime:
            continue
        count += 1
    return count


@batch
def found(a, b):
    for i in range(a):
        for j in range(b):
            if i * j == 12:
                return i
            if i + j == 15:
                return -j
    return 100


@pytest.mark.parametrize(("function", "jumps"), [(primes, 0), (found, 2)])
def test_kernels_are_nested_loops(function, jumps):
    inputs = [np.arange(9, dtype=np.int32) * 2 for _ in function.source.parameters]
    program = program_of(function, inputs)
    assert not differences(program, inputs, ["opencl"])
    (source,) = [kernel.source for kernel in program._kernel._rendered.values()]
    assert source.count("goto ") <= jumps
    assert source.count("for (;;)") + source.count("do {") == 2


def test_steps_are_counted_in_nested_loops():
    inputs = [np.array([0, 1, 60], np.int32)]
    with pytest.raises(eq.errors.StepLimitError, match="member 2"):
        program_of(primes, inputs).run(inputs, most_steps=20)
