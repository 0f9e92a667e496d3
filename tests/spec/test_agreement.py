"""What `spec` accepts means one thing: reference, interpreter, e-graph and device agree, or an error names the operation.

`python -m pytest tests/spec/test_agreement.py --forms 1000` looks at many more (`--forms 0`: at all there are, for hours).
"""

from collections import Counter
from collections.abc import Sequence

import pytest

from eqsat.errors import EvaluationError
from eqsat.ops import Op, Stage
from eqsat.reference import evaluate
from eqsat.uop import UOp
from tests.spec.agreement import (
    Verdicts,
    accepted,
    judge_arrays,
    judge_kernel,
    judge_linear,
    names_an_operation,
    run_on_device,
)
from tests.spec.forms import Form, forms, nonsense

TOGETHER = 24  # array graphs that are compiled as one
KERNELS = (Stage.KERNEL, Stage.EXPANDED, Stage.LINEAR)


@pytest.fixture
def drawn(request: pytest.FixtureRequest) -> tuple[int | None, int]:
    """How many lists of sources of one length an operation is put on, and the seed."""
    return request.config.getoption("--forms") or None, request.config.getoption("--seed")


def few_of_each(found: Sequence[tuple[Form, UOp]], most: int | None) -> list[tuple[Form, UOp]]:
    """No more of one operation than a tenth of what was drawn: running takes a hundred times as long as checking."""
    if most is None:
        return list(found)
    seen: Counter[Op] = Counter()
    chosen: list[tuple[Form, UOp]] = []
    for form, graph in found:
        seen[form.op] += 1
        if seen[form.op] <= max(2, most // 10):
            chosen.append((form, graph))
    return chosen


def complain(verdicts: Verdicts) -> None:
    assert not verdicts.wrong, f"{len(verdicts.wrong)} forms, first:\n" + "\n".join(verdicts.wrong[:5])


def legal(stage: Stage, drawn: tuple[int | None, int], verdicts: Verdicts) -> list[tuple[Form, UOp]]:
    most, seed = drawn
    found = accepted(forms(stage, most, seed), verdicts)
    assert {form.op for form, _ in found} >= {op for op in (Op.CONST, Op.ADD) if stage is not Stage.PROGRAM}
    return few_of_each(found, most)


def test_array_graphs_mean_one_thing(drawn):
    verdicts = Verdicts()
    found = legal(Stage.ARRAY, drawn, verdicts)
    for begin in range(0, len(found), TOGETHER):
        judge_arrays(found[begin : begin + TOGETHER], verdicts)
    complain(verdicts)
    assert verdicts.agreed > 40


@pytest.mark.parametrize("stage", KERNELS, ids=lambda stage: stage.value)
def test_kernels_mean_one_thing(stage, drawn):
    verdicts = Verdicts()
    judge = judge_linear if stage is Stage.LINEAR else judge_kernel
    runs = [judge(form, graph, verdicts) for form, graph in legal(stage, drawn, verdicts)]
    run_on_device([run for run in runs if run is not None], verdicts)
    complain(verdicts)
    assert verdicts.agreed > 30


def test_programs_have_a_value_or_say_why_not(drawn):
    verdicts = Verdicts()
    for form, graph in legal(Stage.PROGRAM, drawn, verdicts):
        try:
            evaluate(graph, {slot: [1.0] * 6 for slot in (0, 1, 5)} | {"size": 4})
        except EvaluationError as error:
            if not names_an_operation(error, graph):
                verdicts.blame(form, f"no operation is named: {error}")
        except Exception as error:  # noqa: BLE001 — that any error at all is reported is the point
            verdicts.blame(form, f"the reference raises {type(error).__name__}: {error}")
    complain(verdicts)


MEANT = {
    Op.DEVICE, Op.NAME, Op.CUSTOM, Op.CUSTOMI, Op.SOURCE, Op.DEFINE_LOCAL, Op.CONST, Op.EMPTY, Op.PARAM, Op.VIEW, Op.DEFINE_GLOBAL,
    Op.RANGE, Op.SINK, Op.LINEAR,
}  # fmt: skip  # whose arguments are names, numbers, shapes or optional, so that some of those that say nothing say something


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.value)
def test_arguments_that_say_nothing_are_refused(stage, drawn):
    verdicts = Verdicts()
    found = legal(stage, drawn, verdicts)
    passed = accepted(nonsense(stage, [form for form, _ in found]), verdicts)
    complain(verdicts)
    argued = [
        form for form, _ in passed if form.op not in MEANT and form.arg in ("banana", -5, 3.5, ("a", "b"))
    ]
    assert not argued, "\n".join(map(str, argued[:10]))
