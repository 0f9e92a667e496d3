"""The stages in order: from a function on arrays to a program on a device.

trace → optimize (saturate, extract) → schedule → render → compile → run
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from eqsat import __version__
from eqsat.array import Array, as_dtype, collect_params, parametrize, placeholder
from eqsat.array.axes import normalize_shape
from eqsat.codegen import OPENCL_CPU, OPENCL_PORTABLE, RenderedKernel
from eqsat.codegen import render as render_kernel
from eqsat.dtype import DType, from_numpy
from eqsat.egraph.saturate import Budget, Report, facts_of, saturate
from eqsat.egraph.snapshot import Snapshot
from eqsat.errors import BuildError, ExecutionError, ScheduleError, SpecError
from eqsat.extract import CostModel, Extraction, Extractor, LoopAware, OperationCount, Portfolio, Problem
from eqsat.extract.costs.compositions import with_parts
from eqsat.extract.simplify import simplify_scalars
from eqsat.integer_facts import Facts
from eqsat.ops import ALU, Op, Stage
from eqsat.rules.library import LIBRARY
from eqsat.rules.reduce import reduction_order
from eqsat.rules.rule import RuleSet, Soundness
from eqsat.runtime import PLANS, Executable, digest, get_device
from eqsat.runtime.opencl import OpenCLDevice
from eqsat.schedule.kernel import Schedule
from eqsat.schedule.plan import schedule
from eqsat.serialize import to_json
from eqsat.shape import Shape
from eqsat.spec import require_uops, verify
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.egraph.profile import Profile
    from eqsat.explain import Explanation, Limits
    from eqsat.proof.equality import Proved, Refuted, Unknown
    from eqsat.show import Subject

EXACT = frozenset({Soundness.EXACT})
EXTRACTING = (
    10.0  # seconds that the search for the cheapest graph may take; ordinary graphs take milliseconds
)


@dataclass(frozen=True)
class Plan:
    """How to optimize and where to run.

    Attributes:
        cost: what extraction minimizes.
        extractor: how it searches.
        rules: the equalities; None for the whole library.
        budget: when saturation stops.
        strict: admits exact rules only; otherwise sums and products of floats may be reduced in another order.
        fast_math: admits every rule, also those that hold over the real numbers only, or only without NaN and infinities.
        device: an OpenCL device by name, a part of it, or its number; None for the default.
    """

    cost: CostModel = field(default_factory=LoopAware)
    extractor: Extractor = field(default_factory=lambda: Portfolio(EXTRACTING))
    rules: RuleSet | None = None
    budget: Budget = field(default_factory=Budget)
    strict: bool = False
    fast_math: bool = False
    device: str | int | None = None

    @property
    def admitted(self) -> RuleSet:
        """The rules that this plan applies."""
        rules = LIBRARY if self.rules is None else self.rules
        return rules if self.fast_math else _admitted(rules, self.strict)

    @property
    def key(self) -> str | None:
        """What a cached program depends on, or None where a part of the plan is the user's own code."""
        parts = (*with_parts(self.cost), self.extractor)
        own = self.rules is not None or any(not type(part).__module__.startswith("eqsat.") for part in parts)
        return None if own else repr((self.cost, self.extractor, self.budget, self.strict, self.fast_math))


@functools.lru_cache(16)
def _admitted(rules: RuleSet, strict: bool) -> RuleSet:
    """The rules that are exact, and those that reorder reductions unless all have to be exact."""
    exact = rules.admitting(EXACT)
    reordering = () if strict else (rule for rule in rules if rule.topic == reduction_order.name)
    return exact + RuleSet(tuple(rule for rule in reordering if rule.soundness not in EXACT))


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
        given: the graph that was optimized.
        rules: those that were applied.
        snapshot: the e-graph, whose nodes and classes are those of the problem.
        unit: of the cost.
    """

    uop: UOp
    report: Report
    extraction: Extraction
    given: UOp
    rules: RuleSet
    snapshot: Snapshot
    unit: str

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

    def explain(self, limits: Limits | None = None) -> Explanation:
        """The chain of rules from the given graph to `uop`, found when asked for, and replayed.

        Raises:
            ExplanationError: none was found within the limits.
        """
        from eqsat.explain import explain_equality  # as the e-graph, only where it is used

        found = explain_equality(self.given, self.uop, self.rules, limits)
        found.replay()
        return found

    def show(self, path: str | os.PathLike[str] | None = None, *, browse: bool = False) -> Path:
        """Writes a page of HTML that shows the e-graph, the choice, and what other choices would cost; gives its path.

        Without `path` it goes to a new temporary file. `browse` opens it in the user's browser.

        Raises:
            GraphFileError: the file cannot be written.
        """
        from eqsat.show import write_page

        return write_page(self.subject(), path, browse=browse)

    def subject(self, title: str = "e-graph") -> Subject:
        """What `show` is about."""
        from eqsat.show import Subject

        return Subject(self.extraction, title, self.unit, self.snapshot, self.report, self.rules)

    def _repr_html_(self) -> str:
        from eqsat.show.summary import summary_html

        return summary_html(self.subject())


@dataclass(frozen=True)
class Compilation:
    """What is to be compiled: kernels planned and rendered, a value that the cache of plans keeps.

    Attributes:
        shapes: of the outputs.
        arguments: for each input of the schedule, the slot of the graph's PARAM; optimizing may drop some.
    """

    schedule: Schedule
    kernels: tuple[RenderedKernel, ...]
    shapes: tuple[Shape, ...]
    arguments: tuple[int, ...]


class Program:
    """A compiled graph: call it on NumPy arrays.

    Attributes:
        kernels: with `.name`, `.source`, `.global_size`, `.local_size`, in the order they run.
        schedule: kernels and buffers as planned.
        device: where it runs.
    """

    def __init__(self, closed: _Closed, compilation: Compilation, device: OpenCLDevice) -> None:
        self.device = device
        self.schedule = compilation.schedule
        self.kernels = compilation.kernels
        self._shapes = compilation.shapes
        self._arguments = compilation.arguments
        self._closed = closed
        self._executable = Executable(device, compilation.schedule, compilation.kernels)

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

    def _repr_html_(self) -> str:
        from eqsat.show.summary import table_html

        titles = ("kernel", "work-items", "group", "predicted ms")
        pairs = zip(self.kernels, self.schedule.kernels, strict=True)
        return table_html(titles, [
            (kernel.name, str(kernel.global_size), str(kernel.local_size or "any"), f"{planned.predicted_seconds * 1e3:,.3g}")
            for kernel, planned in pairs
        ])  # fmt: skip

    def _inputs(self, arrays: Sequence[Any]) -> list[NDArray[Any]]:
        wanted = self._closed.arguments
        if len(arrays) < wanted:
            raise ExecutionError(
                f"the program takes {wanted} arrays and was given {len(arrays)}; pass one per input"
            )
        given = [*map(np.asarray, arrays[:wanted]), *self._closed.captured]
        return [given[slot] for slot in self._arguments]


@dataclass(frozen=True)
class _Closed:
    """A graph with its data as further arguments: `captured` follow the caller's `arguments` arrays."""

    sink: UOp
    arguments: int
    captured: tuple[NDArray[Any], ...]

    @staticmethod
    def of(graph: UOp) -> _Closed:
        """`graph` with PARAMs for its BUFFERs."""
        arguments = 1 + max((node.arg[0] for node in collect_params(graph)), default=-1)
        sink, captured = parametrize(graph, arguments)
        return _Closed(sink, arguments, captured)


def optimize(graph: UOp, plan: Plan | None = None) -> Optimized:
    """The cheapest graph that saturation proves equal to `graph`, an array program or a kernel before or after expansion.

    Raises:
        SpecError: the graph is not legal at one of these stages.
    """
    plan = plan or Plan()
    _require_legal(graph)
    saturation = saturate([graph], plan.admitted, plan.budget)
    extraction = plan.extractor.extract(Problem.from_snapshot(saturation.snapshot, plan.cost))
    (best,) = saturation.snapshot.build(extraction.choice)
    return Optimized(
        best, saturation.report, extraction, graph, plan.admitted, saturation.snapshot, plan.cost.unit
    )


def profile(graph: UOp, plan: Plan | None = None) -> Profile:
    """What each rule does while `graph` is saturated: matches, rows, seconds, the last iteration in which it was of use.

    Rules are applied one after the other, so this takes longer than `optimize`.

    Raises:
        SpecError: the graph is not legal at the array stage.

    >>> i = UOp.variable("i", 0, 15)
    >>> found = profile((i * 64 + 3) // 64)
    >>> found.report.stop.value, len(found.rules) > len(found.never_fired)
    ('saturated', True)
    """
    plan = plan or Plan()
    verify(graph, Stage.ARRAY)
    found = saturate([graph], plan.admitted, plan.budget, profile=True).profile
    assert found is not None, "it was asked for"
    return found


def simplify(value: UOp, rules: RuleSet | None = None) -> UOp:
    """The equal expression with the fewest operations that saturation finds; of a SINK, its sources together.

    Scalars are also simplified under the conditions of choices. An EMPTY scalar is a value that does not matter: the result is equal wherever
    `value` does not depend on one. Kernels, before or after expansion, are simplified as a whole; indices as the gates of their loads allow.

    Raises:
        SpecError: the expression is legal neither at the array stage nor in a kernel.
    """
    plan = Plan(cost=OperationCount(), rules=rules)
    _require_legal(value)
    if _has_arrays(value):
        return optimize(value, plan).uop
    simplified = simplify_scalars(_results(value), plan.admitted, plan.budget).values
    return value.with_src(simplified) if value.op is Op.SINK else simplified[0]


def explain_simplify(value: UOp, rules: RuleSet | None = None, limits: Limits | None = None) -> Explanation:
    """Why `simplify` gives what it gives: the chain of rules from `value` to its result, which is the explanation's `after`, replayed.

    Raises:
        SpecError: the expression is legal neither at the array stage nor in a kernel.
        ExplanationError: no chain was found within the limits.
    """
    from eqsat.explain import explain_simplification

    plan = Plan(cost=OperationCount(), rules=rules)
    _require_legal(value)
    if _has_arrays(value):
        return optimize(value, plan).explain(limits)
    simplified = simplify_scalars(_results(value), plan.admitted, plan.budget)
    found = explain_simplification(value, simplified, plan.admitted, limits)
    found.replay()
    return found


def prove_equal(
    one: UOp, other: UOp, plan: Plan | None = None, limits: Limits | None = None
) -> Proved | Refuted | Unknown:
    """Whether two graphs are equal wherever both have values, by the rules that the plan admits.

    `Proved` has a chain of rules that was replayed, `Refuted` inputs on which the graphs differ, `Unknown` the report of the saturation. Floats
    differ by any bit; with `fast_math`, and where they are added up in an order that is left open, by more than rounding.

    Raises:
        SpecError: a graph is not legal at the array stage.
        DTypeError, ShapeError: the graphs have different dtypes or shapes.
    """
    from eqsat.explain import Limits
    from eqsat.proof.equality import decide_equality

    plan = plan or Plan()
    for graph in (one, other):
        verify(graph, Stage.ARRAY)
    reorders = any(node.op is Op.REDUCE_AXIS for side in (one, other) for node in side.toposort())
    loosely = plan.fast_math or (reorders and not plan.strict)
    return decide_equality(one, other, plan.admitted, plan.budget, limits or Limits(), over_the_reals=loosely)


def _has_arrays(value: UOp) -> bool:
    nodes = [node for node in value.toposort() if node.op is not Op.PARAM]
    return any(node.shape and (node.op in ALU or prod(node.shape) > 1) for node in nodes)


def _results(value: UOp) -> tuple[UOp, ...]:
    return value.src if value.op is Op.SINK else (value,)


def facts(value: UOp, rules: RuleSet | None = None) -> Facts:
    """What saturation finds out about an integer, wherever it has a value: bounds, a divisor with its remainder, bits.

    >>> i = UOp.variable("i", 0, 10)
    >>> facts(i * 12 + 8)
    Facts(lo=8, hi=128, divisor=12, remainder=8, zeros=-253, ones=0)

    Raises:
        SpecError: the expression is not legal at the array stage.
    """
    plan = Plan(rules=rules)
    verify(value, Stage.ARRAY)
    return facts_of([value], plan.admitted, plan.budget)[0]


def _require_legal(graph: UOp) -> None:
    """Checks that a graph is an array program, or a kernel before or after expansion."""
    try:
        verify(graph, Stage.ARRAY)
    except SpecError:
        for stage in (Stage.KERNEL, Stage.EXPANDED):
            with suppress(SpecError):
                verify(graph, stage)
                return
        raise


def compile(graph: UOp | Optimized, plan: Plan | None = None) -> Program:
    """A program for a graph as `trace` gives it; what is not optimized yet is optimized first.

    Raises:
        SpecError: the graph is not legal at the array stage.
        ScheduleError: it cannot be turned into kernels.
        CompileError: the device's compiler rejected a kernel.
        DeviceError: there is no such device.
    """
    plan = plan or Plan()
    device = get_device(plan.device)
    if isinstance(graph, Optimized):
        return compile_as_it_is(graph.uop, plan)
    closed = _Closed.of(_as_sink(graph))
    key = _cache_key(closed.sink, plan, device)
    compilation = _cached(key)
    if compilation is None:
        compilation = _planned(_as_sink(optimize(closed.sink, plan).uop), device)
        if key is not None:
            PLANS.put(key, pickle.dumps(compilation))
    return Program(closed, compilation, device)


def compile_as_it_is(graph: UOp, plan: Plan) -> Program:
    """A program for the plan's device that computes a graph as it is written, without looking for a better one.

    Raises:
        ScheduleError: it cannot be turned into kernels.
        CompileError: the device's compiler rejected a kernel.
        DeviceError: there is no such device.
    """
    device = get_device(plan.device)
    closed = _Closed.of(_as_sink(graph))
    return Program(closed, _planned(closed.sink, device), device)


def _planned(sink: UOp, device: OpenCLDevice) -> Compilation:
    if variable := next((node for node in sink.toposort() if node.op is Op.DEFINE_VAR), None):
        raise ScheduleError(
            f"variable {variable.arg[0]!r} has no value in a program; substitute a constant for it, or make it an array"
        )
    params = collect_params(sink)
    dense = {node: UOp.param(slot, node.arg[1], _element(node)) for slot, node in enumerate(params)}
    planned = schedule(sink.substitute(dense), device.description)
    shapes = tuple(source.shape or () for source in sink.src)
    return Compilation(planned, render(planned, device), shapes, tuple(node.arg[0] for node in params))


def _cache_key(sink: UOp, plan: Plan, device: OpenCLDevice) -> str | None:
    if plan.key is None:
        return None
    return digest(
        _fingerprint(), plan.key, device.identity, repr(device.description), json.dumps(to_json([sink]))
    )


@functools.cache
def _fingerprint() -> str:
    """What tells this package's code from another version's, also while it is being edited."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return digest(__version__, *(f"{file} {file.stat().st_mtime_ns}" for file in files))


def _cached(key: str | None) -> Compilation | None:
    stored = None if key is None else PLANS.get(key)
    return (
        None if stored is None else pickle.loads(stored)
    )  # written by this package, and verified by the cache


def render(planned: Schedule | Optimized, target: OpenCLDevice | Plan) -> tuple[RenderedKernel, ...]:
    """The OpenCL C of every kernel, nothing compiled."""
    if isinstance(target, Plan):
        target = get_device(target.device)
    if isinstance(planned, Optimized):
        planned = schedule(_as_sink(planned.uop), target.description)
    dialect = OPENCL_PORTABLE if target.kind == "gpu" else OPENCL_CPU
    return tuple(render_kernel(kernel.ast, dialect) for kernel in planned.kernels)


def spec(shape: Sequence[int] | int, dtype: DType | Any) -> Spec:
    """An array of this shape and dtype (eqsat's or NumPy's), for `trace`.

    Raises:
        ShapeError: an extent is negative or no integer.
        DTypeError: eqsat has no such dtype.
    """
    return Spec(normalize_shape(shape), as_dtype(dtype))


def trace(function: Callable[..., Any], *specs: Spec) -> UOp:
    """The SINK of what `function` computes on arrays like these; argument k becomes PARAM slot k.

    Raises:
        BuildError: the function cannot be traced, takes another number of arguments, or does not return arrays.
    """
    name = getattr(function, "__name__", repr(function))
    if not all(type(each) is Spec for each in specs):
        raise BuildError(
            f"cannot trace {name} for {specs}; describe each argument by eqsat.spec(shape, dtype)"
        )
    try:
        inspect.signature(function).bind(*specs)
    except TypeError as error:
        raise BuildError(
            f"cannot trace {name} for {len(specs)} arrays: {error}; give one spec for each argument"
        ) from error
    stand_ins = [placeholder(slot, each.shape, each.dtype) for slot, each in enumerate(specs)]
    return _traced(function, stand_ins)[0]


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
        return _rebuild(structure, iter(program.run([value for value in values if _is_array(value)])))

    return run


def _compiled(function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any],
              plan: Plan | None) -> tuple[Program, Any]:  # fmt: skip
    slots = iter(range(len(arguments) + len(options)))

    def stand_in(value: Any) -> Any:
        return placeholder(next(slots), value.shape, from_numpy(value.dtype)) if _is_array(value) else value

    positional = [stand_in(value) for value in arguments]
    named = {name: stand_in(value) for name, value in options.items()}
    sink, structure = _traced(functools.partial(function, **named), positional)
    return compile(sink, plan), structure


def _is_array(value: Any) -> TypeGuard[NDArray[Any]]:
    return isinstance(value, np.ndarray)


def _signature(value: Any) -> Any:
    if _is_array(value):
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
            return type(result)(_flatten(item, outputs) for item in result)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
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
    require_uops(graph)
    return graph if graph.op is Op.SINK else UOp.sink(graph)


def _element(node: UOp) -> DType:
    assert isinstance(node.dtype, DType)
    return node.dtype
