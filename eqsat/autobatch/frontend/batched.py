"""The decorator `batch`, and the functions over batches that it makes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from eqsat.array import Array
from eqsat.array.data import as_host, is_host
from eqsat.autobatch.analysis.fitting import require_fitting
from eqsat.autobatch.analysis.inference import infer
from eqsat.autobatch.analysis.probing import is_probing
from eqsat.autobatch.batch_program import BatchProgram, MachineName
from eqsat.autobatch.frontend.arguments import type_of_argument
from eqsat.autobatch.frontend.linking import link
from eqsat.autobatch.frontend.refusals import refuse_unsupported
from eqsat.autobatch.frontend.source import Callee, Source
from eqsat.autobatch.ir import Program, TensorType
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.autobatch.lowering.flattening import flatten
from eqsat.autobatch.opencl.launch import OnOverflow
from eqsat.dtype import int8, to_numpy
from eqsat.errors import BuildError, DTypeError, ShapeError, brief
from eqsat.pipeline.functions.captured import Read, reads_of, unchanged_by
from eqsat.pipeline.functions.nested import structure_of
from eqsat.pipeline.planning.plan import Plan, as_plan


@overload
def batch(function: Callable[..., Any], *, plan: Plan | None = None) -> Batched: ...
@overload
def batch(function: None = None, *, plan: Plan | None = None) -> Callable[[Callable[..., Any]], Batched]: ...
def batch(function: Callable[..., Any] | None = None, *, plan: Plan | None = None) -> Any:
    """Turns a Python function of one member's values into a function of batches, whose members may take different paths and recurse.

    The function is translated from its source: assignments, `if`, `while`, `for` over range, conditional expressions, `and`, `or`, returns, and
    calls of functions that are batched too. Variables hold values: `x[i] = v` does not change another variable that holds the same array.
    Everything else is an operation on eqsat arrays. Numbers and NumPy arrays from enclosing scopes are shared by all members.

    >>> import numpy as np
    >>> import eqsat as eq
    >>> @eq.autobatch.batch
    ... def steps(n):
    ...     count = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         count += 1
    ...     return count
    >>> print(steps.program(eq.int32).var_defs["steps.n"])
    int32

    Raises:
        BuildError: the source cannot be read, or contains something that cannot be batched; the message has the line.
    """
    if function is None:
        return functools.partial(batch, plan=plan)
    return Batched(function, plan)


class Batched(Callee):
    """A batched function, made by `batch`."""

    def __init__(self, function: Callable[..., Any], plan: Plan | None = None) -> None:
        self.plan = as_plan(plan)
        self.source = Source(function)
        refuse_unsupported(self.source)
        functools.update_wrapper(self, function)
        self._programs: dict[str, tuple[tuple[Read, ...], BatchProgram]] = {}

    def __repr__(self) -> str:
        return f"<batched {self.source.name}{self.source.signature}>"

    def program(self, *arguments: Any, **options: Any) -> Program:
        """The typed program, before lowering, for arguments like these. It is cached until a value that the functions read from outside changes.

        An argument is one of the following, or a tuple of them: an array with the batch on axis 0; a number, which all members share (a Python
        number is weak); or the type of one member's value, which is a dtype, `eqsat.spec(shape, dtype)` or a `TensorType`.

        Raises:
            BuildError: the functions cannot be batched for these types; the message has the line.
        """
        return self.compiled(*arguments, **options).program

    def compiled(self, *arguments: Any, **options: Any) -> BatchProgram:
        """The compiled program for arguments like these, which has the lowered program, the kernel, and the statistics of machines that count.

        Raises:
            BuildError: the functions cannot be batched for these types; the message has the line.
        """
        return self._compiled(self._bound(arguments, options))

    def __call__(
        self,
        *arguments: Any,
        machine: MachineName = "opencl",
        on_overflow: OnOverflow = "grow",
        max_depth: int | None = None,
        most_steps: int | None = None,
        **options: Any,
    ) -> Any:
        """Runs the function on every member of a batch.

        Args:
            arguments: arrays with the batch on axis 0, numbers (the same for all members), or tuples of these.
            machine: the machine that runs the program; this and the next three options are as for `BatchProgram.run`.
            on_overflow: what to do if a stack is too small.
            max_depth: the most values that a stack may hold.
            most_steps: the most blocks that a member may run.
            options: arguments by name.

        Returns:
            Arrays with the batch on axis 0, in the structure that the function returns; without that axis if all arguments are numbers.

        Raises:
            ShapeError: two arguments have batches of different sizes.
            BuildError: the functions cannot be batched for these types; the message has the line.
            DTypeError: a Python int does not fit a dtype that it meets.
        """
        given = self._bound(arguments, options)
        if is_probing.get() or any(isinstance(leaf, Array) for leaf in leaves(given)):
            raise BuildError(
                f"the batched function {self.source.name!r} is called by a function that is not; decorate that with eqsat.autobatch.batch too"
            )
        program = self._compiled(given)
        self._require_fitting(given, program)
        results = program.run(
            self._inputs(given, program.program),
            machine=machine,
            on_overflow=on_overflow,
            max_depth=max_depth,
            most_steps=most_steps,
        )
        has_batch = self._size(given) is not None
        return results if has_batch else mapped(lambda array: array[0], results)

    def inputs(self, *arguments: Any, **options: Any) -> list[NDArray[Any]]:
        """The inputs for `eqsat.autobatch.run` for these arguments: an array with the batch on axis 0 for each input of the program.

        Raises:
            ShapeError: two arguments have batches of different sizes.
        """
        given = self._bound(arguments, options)
        return self._inputs(given, self._compiled(given).program)

    def _inputs(self, given: tuple[Any, ...], program: Program) -> list[NDArray[Any]]:
        size = 1 if (found := self._size(given)) is None else found
        types = [held for name in program.vars_in for held in program.var_defs[name].tensors]
        return [_spread(leaf, held, size) for leaf, held in zip(leaves(given), types, strict=True)]

    def _compiled(self, given: tuple[Any, ...]) -> BatchProgram:
        return self._typed(tuple(map(self._type_of, self.source.parameters, given)))

    def _type_of(self, name: str, value: Any) -> Any:
        try:
            return mapped(type_of_argument, value)
        except (BuildError, DTypeError) as error:
            raise type(error)(f"argument {name!r} of {self.source.name!r}: {error}") from error

    def _bound(self, arguments: Sequence[Any], options: dict[str, Any]) -> tuple[Any, ...]:
        try:
            bound = self.source.signature.bind(*arguments, **options)
        except TypeError as error:
            raise BuildError(
                f"cannot call {self.source.name!r}: {error}; it is defined as {self.source.name}{self.source.signature}"
            ) from error
        given = {*bound.arguments}
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name not in given and is_host(value) and as_host(value).ndim:
                raise BuildError(
                    f"the default of {name!r} of {self.source.name!r} is an array, and arrays as arguments have the batch on axis 0; read it from "
                    f"a name outside of the function, which all members share"
                )
        for value in bound.arguments.values():
            structure_of(value)
        return tuple(bound.arguments[name] for name in self.source.parameters)

    def _typed(self, types: tuple[Any, ...]) -> BatchProgram:
        key = repr(types)
        reads, program = self._programs.get(key, ((), None))
        if program is None or not all(read.is_unchanged() for read in reads):
            reads = reads_of(self)
            program = BatchProgram(flatten(infer(link(self.source), types)), self.plan, self.source.name)
            self._programs[key] = (unchanged_by(reads), program)
        return program

    def _require_fitting(self, given: tuple[Any, ...], program: BatchProgram) -> None:
        """Checks that Python ints fit the dtypes that they meet."""
        for name, value in zip(program.program.vars_in, leaves(given), strict=True):
            if type(value) is not int or 0 <= value <= int8.max:
                continue
            least, greatest = program.range_of(name)
            if not least <= value <= greatest:
                require_fitting(program.program, name, value)

    def _size(self, given: tuple[Any, ...]) -> int | None:
        """The number of members in the batch; None if all arguments are numbers."""
        first: tuple[str, int] | None = None
        for name, value in zip(self.source.parameters, given, strict=True):
            for leaf in leaves(value):
                if not is_host(leaf) or not as_host(leaf).ndim:
                    continue
                size = len(as_host(leaf))
                if first is not None and size != first[1]:
                    raise ShapeError(
                        f"{self.source.name!r} is called with {first[1]} members in {first[0]!r} and {size} in {name!r}; "
                        f"give arrays of one extent on axis 0"
                    )
                first = first or (name, size)
        return None if first is None else first[1]


def _spread(value: Any, held: TensorType, size: int) -> NDArray[Any]:
    """An argument as an array with a value for every member; a number is repeated."""
    try:
        array = np.asarray(as_host(value) if is_host(value) else value, dtype=to_numpy(held.dtype))
    except OverflowError as error:
        raise DTypeError(
            f"{brief(value)} does not fit {held.dtype}; give a smaller number, or a float"
        ) from error
    return array if array.ndim else np.broadcast_to(array, (size,))
