"""Draws programs as statements: branches, loops and bounded recursion over scalars and small arrays of mixed dtypes, and over Python numbers.

Every operation has a value for every input: divisors are positive, shifts are small, positions are within their axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from eqsat.dtype import FLOATS, INTS, parse_dtype
from tests.autobatch.workloads import uniform

Kind = tuple[
    str, tuple[int, ...]
]  # a dtype and a shape; the dtype "int" or "float" is that of a Python number
FUEL = 3  # calls that may be in progress
FUEL_KIND: Kind = ("int32", ())
CONDITION: Kind = ("bool", ())
INT: Kind = ("int", ())
FLOAT: Kind = ("float", ())
SHAPES = ((), (), (), (3,), (2, 2))
NAMES = {"bool": "eq.bool_"} | {str(dtype): f"eq.{dtype}" for dtype in (*INTS, *FLOATS)}


@dataclass(frozen=True)
class Function:
    """A function that was drawn.

    Attributes:
        name: by which others call it.
        parameters: their kinds, by name; the first is the fuel.
        results: the kinds of what it returns.
        body: statements, as `_Writer` and `_Builder` write them.
    """

    name: str
    parameters: dict[str, Kind]
    results: tuple[Kind, ...]
    body: list[Any] = field(default_factory=list)


class Drawing:
    """Draws the functions of one program; a flat one has one function, without calls and arrays, and no floats of 16 bits.

    Programs with library functions have remainders of floats, products of matrices, and rows divided by their sums.
    Programs with numbers have no arrays either, and plain Python can run them: untyped counters, states of random generators and
    fractions meet values of all dtypes.
    """

    def __init__(
        self, seed: int, *, is_flat: bool = False, has_numbers: bool = False, has_functions: bool = False
    ) -> None:
        self.random = Random(seed)
        self.has_functions = has_functions
        self.is_flat = is_flat
        self.has_numbers = has_numbers
        self.has_arrays = not is_flat and not has_numbers
        floats = [dtype for dtype in FLOATS if dtype.bits > 16 or not is_flat]
        if has_numbers:
            floats = [dtype for dtype in floats if dtype.name in ("float16", "float32", "float64")]
        dtypes = self.random.sample([*map(str, (*INTS, *floats))], self.random.randint(1, 3))
        self.dtypes = [*dtypes, "bool"] if self.random.random() < 0.5 else dtypes
        self.elements = (
            has_numbers or self.random.random() < 0.5
        )  # whether elements are assigned; builders do not
        count = 1 if is_flat else self.random.randint(1, 3)
        self.functions = [self.signature(f"f{number}") for number in range(count)]
        for function in self.functions:
            _Body(self, function).draw()

    def kind(self) -> Kind:
        if self.has_numbers and self.random.random() < 0.4:
            return self.random.choice((INT, INT, FLOAT))
        return self.strong()

    def strong(self) -> Kind:
        """A kind that is no Python number's."""
        return self.random.choice(self.dtypes), self.random.choice(SHAPES) if self.has_arrays else ()

    def signature(self, name: str) -> Function:
        parameters = {f"p{number}": self.strong() for number in range(self.random.randint(1, 3))}
        counts = (1, 2, 3) if self.has_numbers else (1, 1, 2)
        results = tuple(self.kind() for _ in range(self.random.choice(counts)))
        return Function(name, {"fuel": FUEL_KIND, **parameters}, results)

    def inputs(self, generator: np.random.Generator, count: int) -> list[NDArray[Any]]:
        """Arguments of the first function: floats are small, ints anything."""
        arrays: list[NDArray[Any]] = [generator.integers(0, FUEL, count, np.int32, endpoint=True)]
        for dtype, shape in list(self.functions[0].parameters.values())[1:]:
            held = parse_dtype(dtype)
            if held.is_int:
                limits = np.iinfo(held.name if hasattr(held, "name") else dtype)
                arrays.append(
                    generator.integers(limits.min, limits.max, (count, *shape), dtype, endpoint=True)
                )
            else:
                arrays.append(uniform(generator, held, -3, 3, count, *shape))
        return arrays

    def types(self) -> list[Any]:
        return [eq.spec(shape, parse_dtype(dtype)) for dtype, shape in self.functions[0].parameters.values()]


class _Body:
    """Draws the statements of one function; `self.defined` are the variables that have a value here."""

    def __init__(self, drawing: Drawing, function: Function) -> None:
        self.drawing = drawing
        self.random = drawing.random
        self.function = function
        self.defined: dict[str, Kind] = dict(function.parameters)
        self.calls_left = 0 if drawing.is_flat else 2
        self.number = 0
        self.fixed: set[str] = {"fuel"}

    def draw(self) -> None:
        body = self.function.body
        body.append(("if", "fuel <= 0", [self.returned()], []))
        for _ in range(self.random.randint(0, 2)):
            body.append(self.assigned(self.fresh(), self.drawing.kind()))
        body.extend(self.statements(2, in_loop=False))
        body.append(self.returned())

    def fresh(self) -> str:
        self.number += 1
        return f"v{self.number}"

    def statements(self, depth: int, *, in_loop: bool) -> Iterator[Any]:
        for _ in range(self.random.randint(1, 4)):
            yield self.statement(depth, in_loop=in_loop)

    def statement(self, depth: int, *, in_loop: bool) -> Any:
        choice = self.random.random()
        if depth and choice < 0.2:
            condition = self.expression(CONDITION, 2)
            then = self.scoped(depth, in_loop=in_loop)
            return ("if", condition, then, self.scoped(depth, in_loop=in_loop))
        if depth and choice < 0.35:
            return self.loop(depth)
        if in_loop and choice < 0.42:
            return ("if", self.expression(CONDITION, 1), [(self.random.choice(("break", "continue")),)], [])
        if choice < 0.47:
            return ("if", self.expression(CONDITION, 1), [self.returned()], [])
        if self.calls_left and choice < 0.72:
            return self.call(in_loop=in_loop)
        arrays = [name for name, (_, shape) in self.defined.items() if shape == (3,)]
        if self.drawing.elements and arrays and choice < 0.8:
            name = self.random.choice(arrays)
            value = self.expression((self.defined[name][0], ()), 2)
            return ("element", name, self.position(), value)
        if self.random.random() < 0.5:
            return self.assigned(self.fresh(), self.drawing.kind())
        names = [name for name in self.defined if name not in self.fixed]
        name = self.random.choice(names)
        return self.assigned(name, self.defined[name])

    def scoped(self, depth: int, *, in_loop: bool) -> list[Any]:
        before = dict(self.defined)
        made = list(self.statements(depth - 1, in_loop=in_loop))
        self.defined = before
        return made

    def loop(self, depth: int) -> Any:
        counter = self.fresh()
        trips = self.random.choice(("2", "3", "fuel + 1"))
        extra = self.expression(CONDITION, 1) if self.random.random() < 0.3 else None
        before = dict(self.defined)
        if self.drawing.has_numbers:
            self.defined[counter] = INT
            self.fixed.add(counter)
        body = list(self.statements(depth - 1, in_loop=True))
        self.defined = before
        return ("loop", counter, trips, extra, body)

    def assigned(self, name: str, kind: Kind) -> Any:
        value = self.expression(kind, self.random.randint(1, 3))
        if kind == INT:
            value = f"({value}) % {self.random.choice((100, 1 << 20, 1 << 31))}"
        self.defined[name] = kind
        return ("assign", name, value)

    def call(self, *, in_loop: bool) -> Any:
        self.calls_left -= 1
        callee = self.random.choice(self.drawing.functions)
        arguments = [f"fuel - {2 if in_loop else 1}"]
        arguments += [self.expression(kind, 1) for kind in list(callee.parameters.values())[1:]]
        targets = [self.fresh() for _ in callee.results]
        self.defined.update(zip(targets, callee.results, strict=True))
        return ("call", targets, callee.name, arguments)

    def returned(self) -> Any:
        callee = next((f for f in self.drawing.functions if f.results == self.function.results), None)
        if callee and len(callee.results) == 1 and self.calls_left and self.random.random() < 0.2:
            self.calls_left -= 1  # a call at the end
            arguments = ["fuel - 1"]
            arguments += [self.expression(kind, 1) for kind in list(callee.parameters.values())[1:]]
            if self.function.body:
                return ("tail", callee.name, arguments)
        return ("return", [self.expression(kind, 2) for kind in self.function.results])

    # expressions

    def expression(self, kind: Kind, depth: int) -> str:
        """Text of a value of this dtype and shape."""
        if kind in (INT, FLOAT):
            return self.integer(depth) if kind == INT else self.fraction(depth)
        if not depth or self.random.random() < 0.15:
            return self.leaf(kind)
        dtype, shape = kind
        if dtype == "bool":
            return self.boolean(shape, depth)
        if shape and self.random.random() < 0.15:
            return self.moved(kind, depth)
        if not shape and self.random.random() < 0.2 and self.drawing.has_arrays:
            return self.reduced(dtype, depth)
        if self.drawing.has_functions and self.random.random() < 0.3:
            return self.library_function(kind, depth)
        if self.random.random() < 0.15:
            condition = self.expression(("bool", shape), depth - 1)
            return f"eq.where({condition}, {self.expression(kind, depth - 1)}, {self.expression(kind, depth - 1)})"
        if self.random.random() < 0.12:
            return self.cast(kind, depth)
        return self.arithmetic(kind, depth)

    def leaf(self, kind: Kind) -> str:
        dtype, shape = kind
        names = [name for name, held in self.defined.items() if held == kind]
        if names and self.random.random() < 0.85:
            return self.random.choice(names)
        if dtype == "bool":
            return f"eq.full({shape}, {self.random.random() < 0.5}, dtype=eq.bool_)"
        value = self.random.choice((0, 1, 2, 3, 5, 100))
        if parse_dtype(dtype).is_float:
            value = self.random.choice((0.0, -0.0, 0.5, -1.5, 3.0, 1e-3))
        return f"eq.full({shape}, {value!r}, dtype={NAMES[dtype]})"

    def arithmetic(self, kind: Kind, depth: int) -> str:
        one, other = self.expression(kind, depth - 1), self.operand(kind, depth)
        held = parse_dtype(kind[0])
        if held.is_float:
            match self.random.randrange(8):
                case 0:
                    return f"({one} / {other})"
                case 1:
                    return f"eq.sqrt(eq.abs({one}))"
                case 2:
                    return f"eq.floor({one})"
                case 3:
                    return f"-({one})"
                case _:
                    pass
        else:
            match self.random.randrange(8):
                case 0:
                    return f"({one} {self.random.choice(('//', '%'))} {self.random.choice((1, 2, 3, 7))})"
                case 1:
                    return f"({one} {self.random.choice(('//', '%'))} (({other} & 7) + 1))"
                case 2:
                    return f"({one} >> ({other} & 3))"
                case 3:
                    return f"({one} {self.random.choice('&|^')} {other})"
                case _:
                    pass
        operator = self.random.choice(("+", "-", "*", "+", "-", "*", "maximum", "minimum"))
        if self.drawing.has_numbers and self.random.random() < 0.5:
            one, other = other, one
        if not operator.isalpha():
            return f"({one} {operator} {other})"
        # of two zeros it is not said which is the greater
        chosen = f"eq.{operator}({one}, {other})"
        return f"eq.abs({chosen})" if held.is_float else chosen

    def operand(self, kind: Kind, depth: int) -> str:
        """A value of this kind, or of one that becomes it: a scalar, or a Python number."""
        choice = self.random.random()
        if self.drawing.has_numbers and choice < 0.5:
            if parse_dtype(kind[0]).is_float:
                return self.integer(depth) if choice < 0.3 else self.fraction(depth)
            return f"({self.integer(depth)} % 100)"  # fits every dtype
        if choice < 0.2:
            return str(self.random.choice((1, 2, 3)))
        if choice < 0.35 and kind[1]:
            return self.expression((kind[0], ()), depth - 1)
        return self.expression(kind, depth - 1)

    def integer(self, depth: int) -> str:
        """Text of a Python int, which 64 bits hold."""
        names = [name for name, held in self.defined.items() if held == INT]
        if depth <= 0 or self.random.random() < 0.2:
            return self.random.choice(names) if names else str(self.random.randrange(-3, 300))
        one = self.integer(depth - 1)
        constant = self.random.choice((2, 3, 7, 10, 128, 300))
        match self.random.randrange(9):
            case 0:
                return f"({one} % 2147483648 * 1103515245 + 12345)"
            case 1 | 2:
                return f"({one} {self.random.choice(('//', '%'))} {constant})"
            case 3:
                return f"({one} % 100000 * {constant})"
            case 4:
                return self.random.choice((f"abs({one})", f"-({one})", f"int({self.fraction(depth - 1)})"))
            case 5:
                return f"{self.random.choice(('min', 'max'))}({one}, {self.integer(depth - 1)})"
            case 6:
                parts = (f"({self.integer(depth - 1)} > {constant})" for _ in range(2))
                return f"({' + '.join(parts)})"
            case 7:
                return f"({constant}, 5, {one})[{self.integer(depth - 1)} % 3]"
            case _:
                other = self.integer(depth - 1)
                return f"({one} % 1000000007 {self.random.choice('+-')} {other} % 1000000007)"

    def fraction(self, depth: int) -> str:
        """Text of a Python float, which is not great."""
        names = [name for name, held in self.defined.items() if held == FLOAT]
        if depth <= 0 or self.random.random() < 0.2:
            return self.random.choice(names) if names else str(self.random.choice((0.1, 0.5, -1.25, 3.0)))
        one = self.integer(depth - 1)
        match self.random.randrange(3):
            case 0:
                return f"({one} / {self.random.choice((3, 7, 1024))})"
            case 1:
                return f"({one} % 1000 * {self.random.choice((0.1, 0.5))})"
            case _:
                return f"(({self.fraction(depth - 1)} + {self.fraction(depth - 1)}) * 0.5)"

    def boolean(self, shape: tuple[int, ...], depth: int) -> str:
        choice = self.random.random()
        if choice < 0.2:
            one, other = (self.expression(("bool", shape), depth - 1) for _ in range(2))
            return f"({one} {self.random.choice('&|^')} {other})"
        if choice < 0.3:
            return f"eq.logical_not({self.expression(('bool', shape), depth - 1)})"
        dtypes = [dtype for dtype in self.drawing.dtypes if dtype != "bool"]
        kind = (self.random.choice(dtypes), shape)
        comparison = self.random.choice(("<", "<=", "==", "!=", ">", ">="))
        if self.drawing.has_numbers and self.random.random() < 0.4:
            value = self.expression(self.random.choice((kind, INT)), depth - 1)
            return f"({value} {comparison} {self.integer(depth - 1)})"
        return f"({self.expression(kind, depth - 1)} {comparison} {self.operand(kind, depth)})"

    def moved(self, kind: Kind, depth: int) -> str:
        value = self.expression(kind, depth - 1)
        return f"({value})[::-1]" if kind[1] == (3,) else f"({value}).T"

    def library_function(self, kind: Kind, depth: int) -> str:
        value = self.expression(kind, depth - 1)
        if kind[1] == (2, 2) and self.random.random() < 0.5:
            return f"({value} @ {self.expression(kind, depth - 1)})"
        if not parse_dtype(kind[0]).is_float:
            return f"({value} // 3)"
        if kind[1] and self.random.random() < 0.5:
            return f"({value} / eq.sum(eq.abs({value}), axis=-1, keepdims=True))"
        return f"({value} {self.random.choice(('%', '//'))} {self.random.choice((0.5, 0.7, 1.5))})"

    def reduced(self, dtype: str, depth: int) -> str:
        vector, matrix = (dtype, (3,)), (dtype, (2, 2))
        match self.random.randrange(5):
            case 0:
                return f"({self.expression(vector, depth - 1)})[{self.position()}]"
            case 1:
                return f"({self.expression(matrix, depth - 1)})[1, 0]"
            case 2:
                greatest = f"eq.max({self.expression(vector, depth - 1)})"
                return f"eq.abs({greatest})" if parse_dtype(dtype).is_float else greatest
            case 3:
                return f"eq.sum({self.expression(vector, depth - 1)}, dtype={NAMES[dtype]})"
            case _:
                return f"(({self.expression(matrix, depth - 1)}) @ ({self.expression(matrix, 1)}))[0, 1]"

    def position(self) -> str:
        """A position in an axis of three."""
        ints = [
            name
            for name, (dtype, shape) in self.defined.items()
            if not shape and dtype != "bool" and parse_dtype(dtype).is_int
        ]
        return (
            f"{self.random.choice(ints)} % 3" if self.random.random() < 0.7 else str(self.random.randrange(3))
        )

    def cast(self, kind: Kind, depth: int) -> str:
        dtype, shape = kind
        given = self.random.choice(self.drawing.dtypes)
        value = self.expression((given, shape), depth - 1)
        if parse_dtype(given).is_float and not parse_dtype(dtype).is_float:  # only what the dtype holds
            value = f"eq.minimum(eq.maximum(eq.where({value} == {value}, {value}, 0), 0), 100)"
        return f"eq.astype({value}, {NAMES[dtype]})"
