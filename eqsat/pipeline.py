"""The stages in order: from a function on arrays to a program on a device.

    trace → optimize (saturate, extract) → schedule → render → compile → run
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.array import Array, parametrize, placeholder
from eqsat.codegen import OPENCL_CPU, OPENCL_PORTABLE, RenderedKernel
from eqsat.codegen import render as render_kernel
from eqsat.dtype import DType, from_numpy
from eqsat.egraph import Budget, Report, saturate
from eqsat.errors import BuildError, ExecutionError
from eqsat.extract import CostModel, Extraction, Extractor, GreedyDag, LoopAware, OperationCount, Problem
from eqsat.ops import Op, Stage
from eqsat.rules import LIBRARY, RuleSet, Soundness
from eqsat.runtime import Executable, get_device
from eqsat.runtime.opencl import OpenCLDevice
from eqsat.schedule.device import DeviceDescription
from eqsat.schedule.kernel import Schedule
from eqsat.schedule.plan import schedule
from eqsat.shape import Shape
from eqsat.spec import verify
from eqsat.uop import UOp, toposort

SAFE = frozenset({Soundness.EXACT})


@dataclass(frozen=True)
class Plan:
    """How to optimize and where to run.

    Attributes:
        cost: what extraction minimizes.
        extractor: how it searches.
        rules: the equalities; None for the whole library.
        budget: when saturation stops.
        fast_math: also admits rules that hold over the real numbers only, or only without NaN and infinities.
        device: an OpenCL device by name, a part of it, or its number; None for the default.
    """

    cost: CostModel = field(default_factory=LoopAware)
    extractor: Extractor = field(default_factory=GreedyDag)
    rules: RuleSet | None = None
    budget: Budget = field(default_factory=Budget)
    fast_math: bool = False
    device: str | int | None = None

    @property
    def admitted(self) -> RuleSet:
        """The rules that this plan applies."""
        rules = LIBRARY if self.rules is None else self.rules
        return rules if self.fast_math else rules.admitting(SAFE)


@dataclass(frozen=True)
class Spec:
    """An array that a traced function will be given."""

    shape: Shape
    dtype: DType


@dataclass(frozen=True, eq=False)
class Optimized:
    """What `optimize` found.

    Attributes:
        uop: the extracted graph, equal to the one given under the plan's rules.
        report: how saturation went.
        extraction: the choice behind `uop`, with the problem it solves.
    """

    uop: UOp
    report: Report
    extraction: Extraction

    @property
    def cost(self) -> float:
        """Of the extracted graph, each node counted once, in the unit of the plan's cost model."""
        return self.extraction.dag_cost

    @property
    def lower_bound(self) -> float:
        """No graph that the e-graph holds costs less."""
        return self.extraction.lower_bound

    @property
    def problem(self) -> Problem:
        """The extraction problem; `save` it for other tools."""
        return self.extraction.problem


class Program:
    """A compiled graph: call it on NumPy arrays.

    Attributes:
        kernels: with `.name`, `.source`, `.global_size`, `.local_size`, in the order they run.
        schedule: kernels and buffers as planned.
        device: where it runs.
    """

    def __init__(self, sink: UOp, plan: Plan) -> None:
        closed, captured = parametrize(sink)
        used = tuple(node.arg[0] for node in _params(closed))
        dense = {node: UOp.param(slot, node.arg[1], _element(node)) for slot, node in enumerate(_params(closed))}
        self.device: OpenCLDevice = get_device(plan.device)
        self.schedule = schedule(closed.substitute(dense), self.device.description)
        self.kernels = render(self.schedule, self.device)
        self._shapes = tuple(source.shape or () for source in sink.src)
        self._captured = captured
        self._arguments = 1 + max((node.arg[0] for node in _params(sink)), default=-1)
        self._used = used
        self._executable = Executable(self.device, self.schedule, self.kernels)

    def __call__(self, *arrays: Any) -> Any:
        """The results: one array, or a tuple if the graph has several outputs.

        Raises:
            ExecutionError: the arrays do not fit what was compiled.
        """
        results = self.run(arrays)
        return results[0] if len(results) == 1 else results

    def run(self, arrays: Sequence[Any]) -> tuple[NDArray[Any], ...]:
        """The results as a tuple, whatever their number."""
        flat = self._executable(*self._inputs(arrays))
        return tuple(result.reshape(shape) for result, shape in zip(flat, self._shapes, strict=True))

    def profile(self, *arrays: Any, repeats: int = 5) -> tuple[float, ...]:
        """Seconds that each kernel takes on the device, medians of `repeats` runs."""
        return self._executable.profile(*self._inputs(arrays), repeats=repeats)

    def _inputs(self, arrays: Sequence[Any]) -> list[NDArray[Any]]:
        if len(arrays) < self._arguments:
            raise ExecutionError(f"the program takes {self._arguments} arrays and was given {len(arrays)}; pass one per input")
        given = [*map(np.asarray, arrays[: self._arguments]), *self._captured]
        return [given[slot] for slot in self._used]


def optimize(graph: UOp, plan: Plan | None = None) -> Optimized:
    """The cheapest graph that saturation proves equal to `graph`.

    Raises:
        SpecError: the graph is not legal at the array stage.
    """
    plan = plan or Plan()
    verify(graph, Stage.ARRAY)
    saturation = saturate([graph], plan.admitted, plan.budget)
    extraction = plan.extractor.extract(Problem.from_snapshot(saturation.snapshot, plan.cost))
    (best,) = saturation.snapshot.build(extraction.choice)
    return Optimized(best, saturation.report, extraction)


def simplify(value: UOp, rules: RuleSet | None = None) -> UOp:
    """The equal expression with the fewest operations that saturation finds."""
    plan = Plan(cost=OperationCount(), rules=rules)
    return optimize(value, plan).uop


def compile(graph: UOp | Optimized, plan: Plan | None = None) -> Program:
    """A program for a graph as `trace` gives it; what is not optimized yet is optimized first.

    Raises:
        SpecError, ScheduleError, CodegenError, CompileError, DeviceError: by the stage that fails.
    """
    plan = plan or Plan()
    best = graph if isinstance(graph, Optimized) else optimize(_as_sink(graph), plan)
    return Program(_as_sink(best.uop), plan)


def render(planned: Schedule | Optimized, target: OpenCLDevice | Plan) -> tuple[RenderedKernel, ...]:
    """The OpenCL C of every kernel, nothing compiled."""
    if isinstance(target, Plan):
        target = get_device(target.device)
    if isinstance(planned, Optimized):
        planned = schedule(_as_sink(planned.uop), target.description)
    dialect = OPENCL_PORTABLE if target.kind == "gpu" else OPENCL_CPU
    return tuple(render_kernel(kernel.ast, dialect) for kernel in planned.kernels)


def spec(shape: Sequence[int] | int, dtype: DType | Any) -> Spec:
    """An array of this shape and dtype (eqsat's or NumPy's), for `trace`."""
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    return Spec(extents, dtype if isinstance(dtype, DType) else from_numpy(dtype))


def trace(function: Callable[..., Any], *specs: Spec) -> UOp:
    """The SINK of what `function` computes on arrays like these; argument k becomes PARAM slot k.

    Raises:
        BuildError: the function cannot be traced, or does not return arrays.
    """
    return _traced(function, [placeholder(slot, each.shape, each.dtype) for slot, each in enumerate(specs)])[0]


def jit(function: Callable[..., Any] | None = None, *, plan: Plan | None = None) -> Callable[..., Any]:
    """Makes a function of eqsat arrays one of NumPy arrays.

    It is traced and compiled once per combination of shapes and dtypes. Arguments that are no arrays (numbers, strings, None) are
    part of the program: another value compiles another one. Results come in the tuples, lists and dicts that the function returns.
    """
    if function is None:
        return functools.partial(jit, plan=plan)
    traced = function
    programs: dict[Any, tuple[Program, Any]] = {}

    @functools.wraps(traced)
    def run(*arguments: Any, **options: Any) -> Any:
        values = [*arguments, *options.values()]
        key = (len(arguments), tuple(options), tuple(_signature(value) for value in values))
        if key not in programs:
            programs[key] = _compiled(traced, arguments, options, plan)
        program, structure = programs[key]
        return _rebuild(structure, iter(program.run([value for value in values if isinstance(value, np.ndarray)])))

    return run


def _compiled(function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any],
              plan: Plan | None) -> tuple[Program, Any]:  # fmt: skip
    slots = iter(range(len(arguments) + len(options)))

    def stand_in(value: Any) -> Any:
        return placeholder(next(slots), value.shape, from_numpy(value.dtype)) if isinstance(value, np.ndarray) else value

    positional = [stand_in(value) for value in arguments]
    named = {name: stand_in(value) for name, value in options.items()}
    sink, structure = _traced(functools.partial(function, **named), positional)
    return compile(sink, plan), structure


def _signature(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype
    try:
        hash(value)
    except TypeError:
        raise BuildError(
            f"a jitted function takes NumPy arrays and hashable constants, not {type(value).__name__}; pass an array"
        ) from None
    return type(value), value


def _traced(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[UOp, Any]:
    """The SINK of the results, and the structure that holds them, with None for each array."""
    outputs: list[UOp] = []
    structure = _flatten(function(*arguments), outputs)
    return UOp.sink(*outputs), structure


def _flatten(result: Any, outputs: list[UOp]) -> Any:
    match result:
        case Array():
            outputs.append(result.uop)
            return None
        case tuple() | list():
            return type(result)(_flatten(item, outputs) for item in result)  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {key: _flatten(item, outputs) for key, item in result.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            raise BuildError(
                f"a traced function must return arrays, in tuples, lists or dicts, not {type(result).__name__}; "
                "wrap constants in asarray"
            )


def _rebuild(structure: Any, results: Any) -> Any:
    match structure:
        case None:
            return next(results)
        case dict():
            return {key: _rebuild(item, results) for key, item in structure.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return type(structure)(_rebuild(item, results) for item in structure)


def _as_sink(graph: UOp) -> UOp:
    return graph if graph.op is Op.SINK else UOp.sink(graph)


def _params(sink: UOp) -> list[UOp]:
    return sorted((node for node in toposort([sink]) if node.op is Op.PARAM), key=lambda node: node.arg[0])


def _element(node: UOp) -> DType:
    assert isinstance(node.dtype, DType)
    return node.dtype


def describe_device(plan: Plan) -> DeviceDescription:
    """What the cost model assumes of the plan's device."""
    return get_device(plan.device).description
