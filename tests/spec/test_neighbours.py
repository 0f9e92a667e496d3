"""What `spec` says of the neighbours of legal graphs, as files to read; `pytest tests/spec --regenerate-golden` writes them anew.

A line says how many neighbours of an operation meet a complaint: what a rule lets through, or refuses, that it did not before, is another number.
"""

from collections import Counter
from pathlib import Path

import pytest

from eqsat.ops import Op, Stage
from eqsat.uop import UOp, toposort
from tests.forms.nonsense import one_of_each
from tests.forms.test_forms import FORMS
from tests.spec import memory_boundaries, test_boundaries, test_whole_graphs
from tests.spec.neighbours import verdicts

GOLDEN = Path(__file__).parents[1] / "golden" / "spec"
EXAMPLES = [*test_boundaries.LEGAL, *memory_boundaries.LEGAL, *test_whole_graphs.LEGAL]
LARGEST = 14  # nodes of a graph of which each has its turn


def turns(stage):
    """Graphs, and nodes of them: all of the small examples, and of forms one of each operation."""
    for of, graph in EXAMPLES:
        nodes = toposort([graph] if isinstance(graph, UOp) else list(graph)) if of is stage else []
        yield from ((graph, node) for node in nodes[-LARGEST:])
    yield from ((form.graph, node) for form, node in one_of_each(FORMS) if form.stage is stage)


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.value)
def test_complaints_about_neighbours(stage, request):
    found, seen = Counter(), set()
    for graph, node in turns(stage):
        if node not in seen:
            seen.add(node)
            found += verdicts(graph, node, stage)
    lines = [f"{kind}: {count} {told}" for (kind, told), count in sorted(found.items())]
    file = GOLDEN / f"{stage.value}.txt"
    text = "".join(f"{line}\n" for line in lines)
    if request.config.getoption("--regenerate-golden"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    before = file.read_text()
    differing = [line for line in lines if line not in before.splitlines()]
    assert text == before, "\n".join(["if these are meant, run with --regenerate-golden:", *differing[:9]])


def test_rules_have_neighbours_on_both_sides():
    """Of most operations something is accepted, and something refused for a reason of its own."""
    told = [line.partition(": ") for file in GOLDEN.glob("*.txt") for line in file.read_text().splitlines()]
    accepted = {kind for kind, _, line in told if line.endswith(" accepted")}
    refused = {kind for kind, _, line in told if not line.endswith((" accepted", " not built"))}
    assert accepted <= refused
    assert len(accepted & Op.__members__.keys()) > 70
