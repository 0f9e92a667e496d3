"""Drawn graphs under drawn legal schedules: `python -m tests.schedule.random_schedules --pairs 2000 --seed 1 --referee 300`.

A pair is a graph and a schedule of it; each graph has three. Graphs are programs of `tests.drawn_arrays` (every array function, dtype and edge
value), networks of `tests.schedule.networks` over all integers, and the graphs of `tests.schedule.graphs`. What is stored is drawn by prices of
kernels that are multiplied by chance, on machines of drawn rates; the loops of each kernel are one of all tilings that the search looks at. Results
of programs are held to the intervals of their oracle, those of networks to the very bits of `eqsat.reference`, and those of the other graphs to it
but for rounding. Groups are built and run in a child process, so that a crash is a finding.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import eqsat as eq
from eqsat.dtype import INTS, to_numpy
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.pipeline.compilation import drafted, rendered
from eqsat.pipeline.functions.closed import Closed
from eqsat.reference import evaluate
from eqsat.runtime import Executable, get_device
from eqsat.runtime.record import document
from eqsat.runtime.task import Failure, Task, packed
from eqsat.runtime.worker_process import Child
from eqsat.schedule.draft import Draft, Drafts
from eqsat.schedule.kernel import BufferSpec, Kernel, Role, Schedule
from eqsat.schedule.placement import Effort, KernelPrices
from eqsat.schedule.tiling import Tiling
from eqsat.uop import UOp
from eqsat.uop.recurrence import Recurrence, leaf
from tests.drawn_arrays.checking import difference
from tests.drawn_arrays.drawing import draw
from tests.drawn_arrays.ways import IN_KERNELS, WAYS
from tests.schedule import graphs
from tests.schedule.networks import LAUNCHES, Network

SCHEDULES = 3  # of each graph: other loops for the same kernels
PRICES = 3  # of kernels of a region
GROUP = 30  # pairs that are built together
SECONDS = 300.0  # for a group
TOLERANCE = 1e-4  # of floats in graphs that have no intervals
EXTENTS = (1, 3, 5, 7, 13, 17, 31), (1, 2, 4, 8, 16, 32), (1, 2, 9, 16, 33, 40), (1, 5, 64, 100)
SIZED = {
    graphs.softmax: 2,
    graphs.layer_norm: 2,
    graphs.matmul: 3,
    graphs.activation_between_products: 3,
}  # with the number of extents that each takes

Check = Callable[[Sequence[np.ndarray]], str | None]


@dataclass(frozen=True)
class Subject:
    """A graph, its arguments, and what is wrong with results, in words."""

    graph: UOp
    arguments: Sequence[np.ndarray]
    check: Check


@dataclass(frozen=True)
class Pair:
    """A subject under a schedule; `arrays` in the order of the schedule's inputs."""

    number: int
    schedule: Schedule
    arrays: Sequence[np.ndarray]
    shapes: Sequence[tuple[int, ...]]
    check: Check


class Outcome(NamedTuple):
    """What is wrong with a pair, if anything, and its kernels for the referee."""

    number: int
    words: str | None
    kernels: list[dict[str, Any]]


class Integers(Network):
    """A network of some integer type, with scans, recurrences and strided views, of odd sizes too."""

    every_extents = EXTENTS

    def __init__(self, seed: int) -> None:
        self.dtype = Random(seed).choice(INTS)
        super().__init__(seed)

    def steps(self) -> tuple[Callable[[], UOp], ...]:
        """As of networks, and more."""
        return (*super().steps(), self.scan, self.recurrence, self.stride)

    def scan(self) -> UOp:
        """Along one axis."""
        value = self.any()
        axes = len(value.shape or ())
        op = self.chance.choice((Op.ADD, Op.MAX, Op.MIN))
        return value.scan_axis(op, self.chance.randrange(axes)) if axes else value

    def recurrence(self) -> UOp:
        """Along one axis of one array or two, forwards or backwards: drawn formulas of up to three kept values."""
        value = self.any()
        shape = value.shape or ()
        if not shape:
            return value
        flipped = [self.chance.random() < 0.3] * len(shape)
        sources = (value.flip(flipped), (value * 3).flip(flipped))[: self.chance.randint(1, 2)]
        kept = self.chance.randint(1, 3)
        leaves = [leaf(number, self.dtype) for number in range(kept + len(sources))]
        following = [self._formula(leaves) for _ in range(kept)]
        packed = Recurrence(self._formula([*leaves, *following]), tuple(following)).packed()
        made = UOp(Op.RECUR_AXIS, self.dtype, sources, (packed, (self.chance.randrange(len(shape)),)))
        return made.flip(flipped)

    def _formula(self, leaves: Sequence[UOp]) -> UOp:
        """A drawn scalar formula of these leaves."""
        formula = self.chance.choice(leaves)
        for _ in range(self.chance.randint(0, 3)):
            other = self.chance.choice([*leaves, UOp.const(self.dtype, self.chance.randint(0, 5))])
            op = self.chance.choice((Op.ADD, Op.SUB, Op.MUL, Op.XOR, Op.MAX, Op.WHERE))
            formula = (
                (formula < other).where(other, formula + 1) if op is Op.WHERE else formula.alu(op, other)
            )
        return formula

    def stride(self) -> UOp:
        """Each second, third or fourth element along one axis."""
        value = self.any()
        shape = value.shape or ()
        wide = [axis for axis, extent in enumerate(shape) if extent > 1]
        if not wide:
            return value
        axis, step = self.chance.choice(wide), self.chance.randint(2, 4)
        count = -(-shape[axis] // step)
        before, after = shape[:axis], shape[axis + 1 :]
        margins = [(0, 0)] * len(before) + [(0, count * step - shape[axis])] + [(0, 0)] * len(after)
        apart = value.pad(tuple(margins)).reshape((*before, count, step, *after))
        kept = [(0, extent) for extent in (*before, count)] + [(0, 1)] + [(0, extent) for extent in after]
        return apart.shrink(tuple(kept)).reshape((*before, count, *after))


@dataclass
class DrawnPrices(KernelPrices):
    """Prices of kernels times numbers from 1, so that lower bounds stay below them: what is stored is a matter of chance."""

    chance: Random = field(default_factory=Random)

    def seconds(self, roots: tuple[UOp, ...]) -> float:
        """The kernel's own, times a drawn number."""
        return super().seconds(roots) * self.chance.choice((1.0, 1.0, 3.0, 30.0))


def subject(seed: str) -> Subject:
    """The graph of a seed, with arguments."""
    chance = Random(seed)
    kind = chance.random()
    if kind < 0.6:
        return _program(seed)
    if kind < 0.9:
        return _of_reference(Integers(chance.randrange(1 << 30)).graph(), chance, _exact)
    if kind < 0.95:
        builder = chance.choice([*graphs.GRAPHS.values()])
        return _of_reference(builder(), chance, _close)
    builder = chance.choice([*SIZED])
    extents = [chance.choice((1, 3, 8, 17, 40, 64, 67)) for _ in range(SIZED[builder])]
    return _of_reference(builder(*extents), chance, _close)


def _program(seed: str) -> Subject:
    program = draw(seed, kinds=IN_KERNELS)
    arguments = program.arguments()
    specs = [eq.spec(argument.shape, argument.dtype) for argument in arguments]
    graph = eq.trace(lambda *given: program.run(eq, given), *specs)
    return Subject(graph, arguments, lambda results: difference(program, results, WAYS["uncontracted"]))


def _of_reference(graph: UOp, chance: Random, compare: Callable[[Any, Any], bool]) -> Subject:
    random = np.random.default_rng(chance.randrange(1 << 30))
    params = {node.arg[0]: node for node in graph.toposort() if node.op is Op.PARAM}
    arguments = [np.zeros(0, np.float32)] * (1 + max(params, default=-1))
    for slot, node in params.items():
        values = random.normal(size=node.arg[1]) * 4
        limits = (-9, 9) if node.dtype.is_float or node.dtype.min < 0 else (0, 9)
        arguments[slot] = np.clip(values, *limits).astype(to_numpy(node.dtype))

    def check(results: Sequence[np.ndarray]) -> str | None:
        expected = evaluate(graph, dict(enumerate(arguments)))
        for place, (got, want) in enumerate(zip(results, expected, strict=True)):
            if got.dtype != want.dtype or got.shape != want.shape or not compare(got, want):
                return f"result {place} is\n{got}\nand not\n{want}"
        return None

    return Subject(graph, arguments, check)


def _exact(got: np.ndarray, want: np.ndarray) -> bool:
    return np.array_equal(got, want)


def _close(got: np.ndarray, want: np.ndarray) -> bool:
    if want.dtype.kind != "f":
        return _exact(got, want)
    largest = float(np.nanmax(np.where(np.isfinite(want), np.abs(want), 0.0), initial=0.0))
    return np.allclose(got, want, TOLERANCE, TOLERANCE * largest, equal_nan=True)


def drawn_pair(seed: str, number: int) -> Pair:
    """The pair of a number."""
    given, closed, drafts, arguments = drawn_kernels(f"{seed}/{number // SCHEDULES}")
    chance = Random(f"{seed}/{number} loops")
    kernels = tuple(replace(each, name=f"pair{number}_{each.name}") for each in drafts.kernels)
    tilings = {place: drawn_tiling(each, chance) for place, each in enumerate(kernels)}
    arrays = [*given.arguments, *closed.captured]
    shapes = [source.shape or () for source in closed.sink.src]
    made = replace(drafts, kernels=kernels).schedule(tilings)
    return Pair(number, made, [arrays[slot] for slot in arguments], shapes, given.check)


@lru_cache(1)
def drawn_kernels(name: str) -> tuple[Subject, Closed, Drafts, tuple[int, ...]]:
    """The graph of a name, and its kernels, of which little is priced, so that much is drawn; with the arguments that they take."""
    given, chance = subject(name), Random(f"{name} kernels")
    closed = Closed.of(given.graph)
    with (
        patch("eqsat.schedule.plan.KernelPrices", partial(DrawnPrices, chance=chance)),
        patch("eqsat.schedule.placement.extraction.Effort", partial(Effort, prices=PRICES)),
    ):
        return given, closed, *drafted(closed.sink, drawn_machine(chance))


def drawn_machine(chance: Random) -> Machine:
    """A machine on which other kernels and other tilings are worth considering."""
    return Machine(
        cores=chance.choice((1, 2, 16)),
        vector_bytes=chance.choice((16, 32, 64)),
        vector_widths=chance.choice(((4, 8, 16), (2, 4, 8), (2, 4, 8, 16))),
        bandwidth=chance.choice((4e9, 40e9, 4e12)),
        launch_seconds=chance.choice(LAUNCHES),
        cache_bytes=chance.choice((Machine().cache_bytes, (1 << 9, 1 << 10, 1 << 11))),
        local_size=chance.choice((1, 1, 4, 8, 16)),
    )


def drawn_tiling(draft: Draft, chance: Random) -> Tiling:
    """Any body under any arrangement of its outer loops."""
    bodies = draft.choice.candidates[0]
    row = np.array([chance.randrange(len(bodies.tilings))])
    arranged = bodies.arranged(row)
    return chance.choice([*bodies.tilings.take(row).each(), *arranged.tilings.each()])


def together(pairs: Sequence[Pair]) -> tuple[Schedule, list[np.ndarray]]:
    """One schedule of all pairs, which are built quicker so, and its arrays."""
    kernels: list[Kernel] = []
    buffers: list[BufferSpec] = []
    inputs: list[int] = []
    outputs: list[int] = []
    arenas = 0
    for pair in pairs:
        first, slots = len(buffers), {Role.INPUT: len(inputs), Role.OUTPUT: len(outputs), Role.TEMPORARY: 0}
        made = pair.schedule
        buffers += [
            replace(spec, slot=spec.slot + slots[spec.role], arena=spec.arena + arenas * (spec.arena >= 0))
            for spec in made.buffers
        ]
        arenas += 1 + max((spec.arena for spec in made.buffers), default=0)
        kernels += [replace(each, buffers=tuple(first + n for n in each.buffers)) for each in made.kernels]
        inputs += [first + number for number in made.inputs]
        outputs += [first + number for number in made.outputs]
    arrays = [array for pair in pairs for array in pair.arrays]
    return Schedule(tuple(kernels), tuple(buffers), tuple(inputs), tuple(outputs)), arrays


def checked(_: None, seed: str, numbers: Sequence[int]) -> list[Outcome]:
    """What is wrong with the pairs of these numbers, built and run together."""
    try:
        pairs = [drawn_pair(seed, number) for number in numbers]
        made, arrays = together(pairs)
        device = get_device("pocl")
        kernels = rendered(made, device.dialect, contract=False)
        place = device.suited([Random(f"{seed}/{numbers[0]}").choice((0.0, 1.0))])
        results = iter(Executable(place, made, kernels, save=False)(*arrays))
    except Exception as error:  # noqa: BLE001  (whatever it is, it is a finding)
        if len(numbers) == 1:
            return [Outcome(numbers[0], f"{type(error).__name__}: {str(error)[:3000]}", [])]
        half = len(numbers) // 2
        return checked(_, seed, numbers[:half]) + checked(_, seed, numbers[half:])
    outcomes: list[Outcome] = []
    launched = iter(kernels)
    for pair in pairs:
        flat = [next(results).reshape(shape) for shape in pair.shapes]
        documents = [document(next(launched)) for _ in pair.schedule.kernels]
        words = pair.check(flat)
        choices = "".join(f"\n{kernel.name}: {kernel.choice}" for kernel in pair.schedule.kernels)
        outcomes.append(Outcome(pair.number, words and words + choices, documents))
    return outcomes


def outcomes_of(child: Child, seed: str, numbers: Sequence[int]) -> list[Outcome]:
    """The same in a child process; after a crash the pairs are run one by one."""
    from tests.schedule.random_schedules import checked as function  # by its name, not as a part of __main__

    subject = packed(None)
    assert isinstance(subject, bytes)
    task = Task.of(function, subject, (seed, list(numbers)), SECONDS)
    assert isinstance(task, Task)
    found = child.run(task)
    if not isinstance(found, Failure):
        return found
    if len(numbers) == 1:
        return [Outcome(numbers[0], found.message, [])]
    return [outcome for number in numbers for outcome in outcomes_of(child, seed, [number])]


def main() -> int:
    parser = argparse.ArgumentParser(prog="random_schedules", description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--group", type=int, default=GROUP)
    parser.add_argument("--referee", type=int, default=0, help="pairs that also go before Oclgrind")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.pairs)
    wrong = launches = 0
    with tempfile.TemporaryDirectory() as directory:
        child = Child()
        for start in range(0, len(numbers), options.group):
            for outcome in outcomes_of(child, options.seed, numbers[start : start + options.group]):
                launches += len(outcome.kernels)
                if outcome.words:
                    wrong += 1
                    print(f"WRONG {options.seed}/{outcome.number}: {outcome.words}\n", flush=True)
                if outcome.number < numbers.start + options.referee:
                    for place, kernel in enumerate(outcome.kernels):
                        if 0 not in kernel["global_size"]:
                            name = Path(directory, f"{outcome.number}-{place}.json")
                            name.write_text(json.dumps(kernel))
            print(
                f"{start + options.group} pairs, {launches} kernels, {wrong} wrong",
                file=sys.stderr,
                flush=True,
            )
        child.close()
        dirty = refereed(sorted(Path(directory).iterdir()))
    print(f"{len(numbers)} pairs of seed {options.seed}, {launches} kernels: {wrong} wrong, "
          f"{dirty} of {min(options.referee, len(numbers))} with reports of Oclgrind")  # fmt: skip
    return min(wrong + dirty, 100)


def refereed(files: Sequence[Path]) -> int:
    """How many pairs have kernels with reports, which are printed."""
    from tests import oclgrind

    dirty = set[str]()
    for file, reports in (oclgrind.check(files, 1) if files else {}).items():
        if reports:
            dirty.add(file.name.partition("-")[0])
            print(f"REPORTED {file.name}", *reports, oclgrind.described(file), sep="\n", flush=True)
    return len(dirty)


if __name__ == "__main__":
    sys.exit(main())
