"""Programs: inputs in some memory layout, steps, and the values that are wanted, as Python text that NumPy and eqsat both carry out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

from tests.drawn_arrays.operations import EVERY_KIND, KINDS, WEIGHTS, Choice, Operation
from tests.drawn_arrays.oracle import Computation, Value, evaluate
from tests.drawn_arrays.values import (
    DTYPES,
    LAYOUTS,
    MOST_ELEMENTS,
    Numbers,
    draw_moderate,
    draw_shape,
    draw_values,
    laid_out,
)

ATTEMPTS = 6  # to draw a step that fits


@dataclass(frozen=True)
class Input:
    """An argument of a program."""

    values: Numbers
    dtype: str
    layout: str

    @property
    def argument(self) -> Numbers:
        return laid_out(self.values, self.layout)

    def text(self) -> str:
        """An expression that gives the argument."""
        data = f'np.frombuffer(bytes.fromhex("{self.values.tobytes().hex()}"), "{self.values.dtype}")'
        return f'laid_out({data}.reshape({self.values.shape}), "{self.layout}")'


@dataclass(frozen=True)
class Step:
    """One operation on earlier values: `text` has {} for each of `operands`."""

    operation: Operation
    text: str
    operands: tuple[int, ...]
    terms: int
    dtype: str | None

    def written(self, names: Sequence[str]) -> str:
        return self.text.format(*(names[place] for place in self.operands))

    def computation(self) -> Computation:
        operation = self.operation
        scale = operation.accuracy.scale
        scaled = self.text.replace(f"xp.{operation.name}(", f"xp.{scale}(") if scale else self.text
        count = len(self.operands)
        return Computation(
            function_of(self.text, count),
            function_of(scaled, count),
            operation.accuracy,
            self.terms,
            operation.undefined,
            operation.product,
            operation.promoted,
            self.dtype,
        )


@cache
def function_of(text: str, count: int) -> Callable[..., Any]:
    """The function of a namespace and operands that a step's text says."""
    names = [f"x{place}" for place in range(count)]
    return eval(f"lambda {', '.join(['xp', *names])}: {text.format(*names)}")


@dataclass(frozen=True)
class Program:
    """Inputs, steps, and the places of the values that are wanted."""

    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    def run(self, xp: Any, arguments: Sequence[Any]) -> list[Any]:
        """The results in eqsat's namespace."""
        values = [
            xp.astype(argument, "bfloat16") if given.dtype == "bfloat16" else argument
            for given, argument in zip(self.inputs, arguments, strict=True)
        ]
        for step in self.steps:
            values.append(
                function_of(step.text, len(step.operands))(xp, *(values[place] for place in step.operands))
            )
        return [xp.asarray(values[place]) for place in self.outputs]

    def expected(self, contracts: bool = False) -> list[Value]:
        """What NumPy makes of it, and how far each element may be off, under a plan that contracts or one that does not."""
        values = [_value(given) for given in self.inputs]
        with np.errstate(all="ignore"):
            for step in self.steps:
                values.append(
                    evaluate(step.computation(), [values[place] for place in step.operands], contracts)
                )
        return [values[place] for place in self.outputs]

    def arguments(self) -> list[Numbers]:
        return [given.argument for given in self.inputs]

    def text(self) -> str:
        """A script that shows what eqsat makes of it, and NumPy."""
        names = [f"v{place}" for place in range(len(self.inputs) + len(self.steps))]
        arrays = [f"    {given.text()}," for given in self.inputs]
        lines = [
            f'    {names[place]} = xp.astype({names[place]}, "bfloat16")'
            for place, given in enumerate(self.inputs)
            if given.dtype == "bfloat16"
        ]
        lines += [
            f"    {name} = {step.written(names)}"
            for name, step in zip(names[len(self.inputs) :], self.steps, strict=True)
        ]
        return "\n".join(
            [
                "import numpy as np",
                "import eqsat as eq",
                "from tests.drawn_arrays.oracle import ORACLE",
                "from tests.drawn_arrays.values import laid_out",
                "",
                f"def program(xp, {', '.join(names[: len(self.inputs)])}):",
                *lines,
                f"    return [{', '.join(f'xp.asarray({names[place]})' for place in self.outputs)}]",
                "",
                "arguments = [",
                *arrays,
                "]",
                "print('eqsat:', *eq.jit(lambda *x: program(eq, *x))(*arguments), sep='\\n')",
                "print('NumPy:', *program(ORACLE, *arguments), sep='\\n')",
            ]
        )

    def pruned(self, outputs: tuple[int, ...]) -> Program:
        """Without what these outputs do not need."""
        needed = set(outputs)
        for place in range(len(self.inputs) + len(self.steps) - 1, len(self.inputs) - 1, -1):
            if place in needed:
                needed.update(self.steps[place - len(self.inputs)].operands)
        kept = sorted(needed)
        number = {place: new for new, place in enumerate(kept)}
        steps = tuple(
            replace(step, operands=tuple(number[place] for place in step.operands))
            for place, step in enumerate(self.steps, start=len(self.inputs))
            if place in needed
        )
        inputs = tuple(given for place, given in enumerate(self.inputs) if place in needed)
        return Program(inputs, steps, tuple(number[place] for place in outputs))


def _value(given: Input) -> Value:
    return Value(given.values, given.dtype)


def draw(
    seed: str,
    dtypes: Sequence[str] = DTYPES,
    kinds: Sequence[str] = EVERY_KIND,
    steps: int = 8,
    moderate: bool = False,
) -> Program:
    """The program of a seed: 1 to 3 inputs, 1 to `steps` steps, 1 to 3 outputs."""
    chance, random = Random(seed), np.random.default_rng(list(seed.encode()))
    inputs: list[Input] = []
    shape = None
    palette = [chance.choice(dtypes) for _ in range(chance.choice((1, 1, 2, 3)))]
    for _ in range(chance.randint(1, 3)):
        shape = draw_shape(chance, shape)
        dtype = chance.choice(palette)
        layout = chance.choice(LAYOUTS) if chance.random() < 0.5 else "plain"
        values = draw_moderate(random, shape, dtype) if moderate else draw_values(random, shape, dtype)
        if layout == "broadcast" and shape and shape[0]:
            values = np.broadcast_to(values[:1], shape).copy()
        inputs.append(Input(values, dtype, layout))
    values = [_value(given) for given in inputs]
    made: list[Step] = []
    wanted = chance.randint(1, steps)
    with np.errstate(all="ignore"):
        for _ in range(ATTEMPTS * wanted):
            if len(made) == wanted:
                break
            step = _draw_step(chance, values, kinds)
            value = step and _tried(step, values)
            if step and value:
                made.append(step)
                values.append(value)
    last = len(values) - 1
    outputs = sorted({last, *(place for place in range(len(inputs), last) if chance.random() < 0.15)})
    return Program(tuple(inputs), tuple(made), tuple(outputs)).pruned(tuple(outputs))


def _draw_step(chance: Random, values: Sequence[Value], kinds: Sequence[str]) -> Step | None:
    operation = chance.choice(KINDS[chance.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]])
    drawn = operation.draw(Choice(chance, values))
    return None if drawn is None else Step(operation, drawn.text, drawn.operands, drawn.terms, drawn.dtype)


def _tried(step: Step, values: Sequence[Value]) -> Value | None:
    operands = [values[place] for place in step.operands]
    value = evaluate(step.computation(), operands)
    is_held = value.array.dtype.name in DTYPES and value.array.size <= MOST_ELEMENTS
    return value if is_held else None
