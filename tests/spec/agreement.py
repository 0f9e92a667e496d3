"""Judges a form: refused on purpose, or of one value in the reference, the linear interpreter, the e-graph and on the device."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyopencl as cl

from eqsat.codegen import OPENCL_CPU, expand, launch_sizes, linearize, render_source
from eqsat.codegen.linearization.older_forms import modernize
from eqsat.dtype import DType, PtrDType, float32, int32, to_numpy, void
from eqsat.errors import EqsatError, EvaluationError, SpecError
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.ops import AxisType, KernelInfo, Op, Stage
from eqsat.pipeline import Plan, optimize
from eqsat.pipeline.compilation import compile_as_it_is
from eqsat.reference import evaluate, run_linear
from eqsat.reference.evaluate import evaluate_kernel
from eqsat.runtime.opencl.program import compile_source
from eqsat.spec import verify
from eqsat.spec.sources import ADDRESSES, BUFFERS, behind, is_value
from eqsat.uop import UOp, toposort
from tests.codegen.device import queue
from tests.spec.forms import (
    BOUND,
    IN,
    LOOP,
    OUT,
    REGISTER,
    SIZE,
    Form,
    K,
    R,
    U,
    at,
    build,
    f,
    i,
    load,
    node,
    store,
)

DATA = {
    0: np.array([3, 1, 4, 1, 5, 9], np.float32),
    1: np.array([-2, 7, -1, 8, 2, -8], np.float32),
    2: np.array([5, 0, 3, 1, 4, 2], np.int32),
}
LINEAR_DATA = {1: np.arange(16, dtype=np.float32) * 10, 2: np.arange(16, dtype=np.int32)[::-1].copy()}
VARIABLES = {"size": 4}
RESULT = 9  # slot of the buffer that a kernel's value is stored in
POINTS = {R: SIZE, LOOP: SIZE, U: 2}


@dataclass
class Verdicts:
    """What was found: how many forms were refused and how many have one value, and what is wrong."""

    refused: int = 0
    agreed: int = 0
    untold: int = 0  # the reference has no value and says why
    wrong: list[str] = field(default_factory=list[str])

    def blame(self, form: object, text: str) -> None:
        self.wrong.append(f"{form}: {text}")


def names_an_operation(error: EqsatError, graph: UOp | Sequence[UOp]) -> bool:
    """Whether an error says which operation, or which variable, it is about."""
    roots = [graph] if isinstance(graph, UOp) else list(graph)
    words = set(re.findall(r"[A-Z_0-9]{2,}", str(error)))
    return bool(words & {each.op.name for each in toposort(roots)}) or "variable '" in str(error)


# legality


def accepted(candidates: Iterator[Form], verdicts: Verdicts) -> list[tuple[Form, UOp]]:
    """The forms that can be built and that `spec` lets through; anything but an error on purpose is blamed."""
    found: list[tuple[Form, UOp]] = []
    for form in candidates:
        try:
            graph = build(form)
            if isinstance(graph, EqsatError):
                verdicts.refused += 1
                continue
            verify(instructions(graph) if form.stage is Stage.LINEAR else graph, form.stage)
        except SpecError as error:
            verdicts.refused += 1
            if form.op.name not in str(error) and not names_an_operation(error, graph):
                verdicts.blame(form, f"refused without a name: {error}")
            continue
        except Exception as error:  # noqa: BLE001 — that any error at all is reported is the point
            verdicts.blame(form, f"a raw {type(error).__name__}: {error}")
            continue
        found.append((form, graph))
    return found


# array graphs


def judge_arrays(batch: Sequence[tuple[Form, UOp]], verdicts: Verdicts) -> None:
    """Forms of the array stage: the reference against the device, the extracted graph, and the document."""
    known: list[tuple[Form, UOp, np.ndarray]] = []
    for form, graph in batch:
        expected = _told(form, graph, verdicts)
        if expected is not None:
            known.append((form, graph, expected))
    if not known:
        return
    for form, graph, _ in known:
        if from_json(to_json([graph])) != [graph]:
            verdicts.blame(form, "another graph after JSON")
    _judge_together(known, _on_device, verdicts)
    _judge_together(known, _extracted, verdicts)
    verdicts.agreed += len(known)


def _told(form: Form, graph: UOp, verdicts: Verdicts) -> np.ndarray | None:
    if graph.shape is None or graph.dtype.scalar.kind == "v" or graph.ranges:
        return None  # a part of a graph, judged in what it is a source of
    if graph.op is Op.VIEW and not graph.src:
        return None
    try:
        verify(UOp.sink(graph), Stage.ARRAY)
        return np.asarray(evaluate(graph, {**DATA, **VARIABLES}))
    except (EvaluationError, SpecError) as error:
        verdicts.untold += 1
        if not names_an_operation(error, graph):
            verdicts.blame(form, f"no value, and no operation is named: {error}")
    except Exception as error:  # noqa: BLE001 — that any error at all is reported is the point
        verdicts.blame(form, f"the reference raises {type(error).__name__}: {error}")
    return None


def _judge_together(known: list[tuple[Form, UOp, np.ndarray]], way: Any, verdicts: Verdicts) -> None:
    """All in one graph; if that fails, halves, down to who is at fault."""
    graph = UOp.sink(*dict.fromkeys(each for _, each, _ in known))
    try:
        results = dict(zip(graph.src, way(graph), strict=True))
    except Exception as error:  # noqa: BLE001 — that any error at all is reported is the point
        if len(known) > 1:
            middle = len(known) // 2
            _judge_together(known[:middle], way, verdicts)
            _judge_together(known[middle:], way, verdicts)
        elif not isinstance(error, EqsatError) or not names_an_operation(error, graph):
            verdicts.blame(known[0][0], f"{way.__name__} raises {type(error).__name__}: {error}")
        return
    for form, each, expected in known:
        _compare(form, np.asarray(results[each]), expected, way.__name__, verdicts)


def _on_device(graph: UOp) -> tuple[np.ndarray, ...]:
    program = compile_as_it_is(graph, Plan())
    slots = [each.arg[0] for each in toposort([graph]) if each.op is Op.PARAM]
    return program.run(
        [DATA.get(slot, np.zeros(SIZE, np.float32)) for slot in range(max(slots, default=-1) + 1)]
    )


def _extracted(graph: UOp) -> tuple[np.ndarray, ...]:
    best = optimize(graph, Plan()).uop
    verify(best, Stage.ARRAY)
    return evaluate(best, {**DATA, **VARIABLES})


def _compare(form: Form, found: np.ndarray, expected: np.ndarray, where: str, verdicts: Verdicts) -> None:
    if found.shape != expected.shape:
        verdicts.blame(form, f"{where} gives shape {found.shape}, not {expected.shape}")
    elif not np.allclose(found.astype(float), expected.astype(float), rtol=1e-3, equal_nan=True):
        verdicts.blame(form, f"{where} gives {found.tolist()}, not {expected.tolist()}")


# kernels


def stored(graph: UOp) -> UOp | None:
    """A kernel that computes a node and stores its value, or that is the statement; None for what has no use alone."""
    value = _loaded(graph)
    if value is None:
        return UOp.sink(graph, arg=KernelInfo("form_kernel")) if graph.dtype.scalar.kind == "v" else None
    if K in value.ranges:
        value = node(Op.REDUCE, value.dtype, value, K, arg=Op.ADD)
    if any(
        bound not in POINTS and _axis(bound) not in (AxisType.LOOP, AxisType.GLOBAL) for bound in value.ranges
    ):
        return None
    value = value if value.dtype.scalar in (float32, int32) else value.cast(int32.vec(value.dtype.lanes))
    position, size = i(0), 1
    bounds = sorted(value.ranges, key=lambda each: each.arg[0])
    for bound in bounds:
        extent = bound.src[0].arg if bound.src[0].op is Op.CONST else SIZE
        position, size = position * extent + bound, size * max(extent, 1)
    target = UOp.param(RESULT, size * value.dtype.lanes, value.dtype.scalar)
    return UOp.sink(
        store(at(target, position * value.dtype.lanes), value, *bounds), arg=KernelInfo("form_kernel")
    )


def _axis(bound: UOp) -> AxisType | None:
    return bound.arg[1] if isinstance(bound.arg, tuple) else None


def _loaded(graph: UOp) -> UOp | None:
    if is_value(graph):
        return graph
    inner = behind(graph)
    if inner.op in ADDRESSES:
        gated = any(
            each.dtype.scalar.is_bool
            for each in toposort([graph])
            if each.op is not Op.STORE and not isinstance(each.dtype, PtrDType)
        )
        return load(graph, f(7.0)) if gated and graph.dtype == float32 else load(graph)
    if inner.op in BUFFERS and inner.op is not Op.DEFINE_LOCAL and graph.dtype.scalar == float32:
        return load(at(graph, i(1)))
    return None


@dataclass(eq=False)
class Run:
    """A rendered kernel and what it should leave in its buffers."""

    form: Form
    source: str
    head: str
    name: str
    sizes: tuple[tuple[int, ...], tuple[int, ...]]
    arguments: list[UOp]
    variables: list[str]
    before: dict[int, np.ndarray]
    after: dict[int, np.ndarray]


def judge_kernel(form: Form, graph: UOp, verdicts: Verdicts) -> Run | None:
    """A form of the kernel or expanded stage by the reference and the interpreter; what is left is to run it on the device."""
    kernel = stored(graph)
    if kernel is None:
        return None
    try:
        verify(kernel, form.stage)
        linear = linearize(expand(kernel) if form.stage is Stage.KERNEL else kernel)
        verify(linear, Stage.LINEAR)
    except EqsatError as error:
        if names_an_operation(error, kernel):
            verdicts.refused += 1
        else:
            verdicts.blame(form, f"lowering raises without a name: {error}")
        return None
    except Exception as error:  # noqa: BLE001 — that any error at all is reported is the point
        verdicts.blame(form, f"lowering raises {type(error).__name__}: {error}")
        return None
    buffers = _buffers([each for each in toposort([kernel]) if each.op in (Op.PARAM, Op.DEFINE_GLOBAL)], DATA)
    by_graph = [each.copy() for each in buffers]
    try:
        evaluate_kernel(kernel, by_graph, VARIABLES)
    except EvaluationError:
        verdicts.untold += 1
        return None
    except Exception as error:  # noqa: BLE001 — that any error at all is reported is the point
        verdicts.blame(form, f"the reference raises {type(error).__name__}: {error}")
        return None
    run = interpreted(form, linear, buffers, verdicts)
    if run is not None:
        for slot, expected in enumerate(by_graph):
            if slot in run.after:
                _compare(form, run.after[slot], expected, "the interpreter", verdicts)
    return run


def _buffers(arguments: Sequence[UOp], data: dict[int, np.ndarray]) -> list[np.ndarray]:
    sizes: dict[int, tuple[DType, int]] = {}
    for each in arguments:
        slot, size = each.arg if each.op is Op.PARAM else (each.arg, each.dtype.size)
        sizes[slot] = (each.dtype.base if isinstance(each.dtype, PtrDType) else each.dtype, size)
    made: list[np.ndarray] = []
    for slot in range(max(sizes, default=-1) + 1):
        dtype, size = sizes.get(slot, (float32, 1))
        made.append(np.resize(data.get(slot, np.zeros(1)), size).astype(to_numpy(dtype)))
    return made


# linear programs


def instructions(graph: UOp) -> list[UOp]:
    """The program of a node: registers filled, the node computed and stored, what it opened closed."""
    value = _loaded(graph)
    roots = [graph]
    if value is not None and isinstance(value.dtype, DType):
        shown = value if value.dtype.scalar == float32 else value.cast(float32.vec(value.dtype.lanes))
        roots = [store(at(OUT, i(4)), shown)] if value.dtype.lanes <= 8 else [value]
    if REGISTER in toposort(roots):
        roots = [*(store(at(REGISTER, i(each)), f(each + 0.5)) for each in range(4)), *roots]
    code = toposort(roots)
    closed = {source for each in code if each.op in (Op.END, Op.ENDRANGE, Op.ENDIF) for source in each.src}
    opened = [each for each in code if each.op in (Op.RANGE, Op.IF) and each not in closed]
    closers = [node(Op.ENDIF if each.op is Op.IF else Op.ENDRANGE, void, each) for each in reversed(opened)]
    return [*code, *closers]


def judge_linear(form: Form, graph: UOp, verdicts: Verdicts) -> Run | None:
    """A form of the linear stage by the interpreter; what is left is to run it on the device."""
    linear = node(Op.LINEAR, void, *instructions(graph))
    buffers = _buffers([each for each in linear.src if each.op is Op.DEFINE_GLOBAL], LINEAR_DATA)
    return interpreted(form, linear, buffers, verdicts)


def interpreted(form: Form, linear: UOp, buffers: list[np.ndarray], verdicts: Verdicts) -> Run | None:
    """A linear program by the interpreter, and rendered."""
    after = [each.copy() for each in buffers]
    try:
        sizes = launch_sizes(linear)
        try:
            run_linear(linear, after, *sizes, VARIABLES)
        except EvaluationError:
            verdicts.untold += 1
            return None
        source = render_source(modernize(linear), "form_kernel", OPENCL_CPU)
    except EqsatError as error:
        verdicts.refused += 1
        if not names_an_operation(error, linear):
            verdicts.blame(form, f"rendering raises without a name: {error}")
        return None
    except Exception as error:  # noqa: BLE001 — that any error at all is reported is the point
        verdicts.blame(form, f"rendering raises {type(error).__name__}: {error}")
        return None
    arguments = [each for each in linear.src if each.op is Op.DEFINE_GLOBAL]
    variables = [each.arg[0] for each in linear.src if each.op is Op.DEFINE_VAR]
    head, _, body = source.partition("// form_kernel: ")
    numbers = [each.arg for each in arguments]
    return Run(form, f"// {body}", head, "form_kernel", sizes, arguments, variables,
               {each: buffers[each] for each in numbers}, {each: after[each] for each in numbers})  # fmt: skip


def run_on_device(runs: Sequence[Run], verdicts: Verdicts) -> None:
    """Builds many kernels as one program, or each alone where it brings functions, and compares what they leave."""
    plain = [run for run in runs if "(" not in re.sub(r"typedef .*|#pragma .*", "", run.head)]
    others = [run for run in runs if run not in plain]
    for group in [plain[begin : begin + 64] for begin in range(0, len(plain), 64)] + [
        [run] for run in others
    ]:
        _run_group(group, verdicts)


def _run_group(group: list[Run], verdicts: Verdicts) -> None:
    text = "".join(dict.fromkeys(line + "\n" for run in group for line in run.head.splitlines()))
    for number, run in enumerate(group):
        text += run.source.replace("void form_kernel(", f"void form_kernel_{number}(")
    try:
        program = compile_source(queue().context, text, ())
    except cl.Error as error:
        if len(group) > 1:
            _run_group(group[: len(group) // 2], verdicts)
            _run_group(group[len(group) // 2 :], verdicts)
        else:
            verdicts.blame(group[0].form, f"invalid OpenCL: {str(error)[:300]}\n{group[0].source}")
        return
    for number, run in enumerate(group):
        _run_one(run, getattr(program, f"form_kernel_{number}"), verdicts)


def _run_one(run: Run, function: Any, verdicts: Verdicts) -> None:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    memory = {slot: cl.Buffer(queue().context, flags, hostbuf=array) for slot, array in run.before.items()}
    values = [memory[each.arg] for each in run.arguments] + [
        np.int64(VARIABLES[name]) for name in run.variables
    ]
    function.set_args(*values)
    cl.enqueue_nd_range_kernel(queue(), function, *run.sizes)
    wrong = len(verdicts.wrong)
    for slot, buffer in memory.items():
        found = np.empty_like(run.before[slot])
        cl.enqueue_copy(queue(), found, buffer)
        _compare(run.form, found, run.after[slot], "the device", verdicts)
    if len(verdicts.wrong) > wrong:
        verdicts.wrong[-1] += "\n" + run.source
    else:
        verdicts.agreed += 1


__all__ = [
    "BOUND",
    "IN",
    "Verdicts",
    "accepted",
    "judge_arrays",
    "judge_kernel",
    "judge_linear",
    "run_on_device",
]
