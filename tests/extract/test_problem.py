"""What is no extraction problem is refused, by a message that names the place; what is one survives a file."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from eqsat.egraph.saturate import saturate
from eqsat.errors import ExtractionError, GraphFileError
from eqsat.extract import (
    EXTRACTORS,
    BottomUp,
    Extraction,
    OperationCount,
    Problem,
    cost_model_named,
    extractor_named,
    from_gym_json,
    load,
    lower_bound,
    reduce_problem,
)
from eqsat.extract.problem.result import TOLERANCE
from eqsat.rules.language.rule import RuleSet
from eqsat.uop import UOp
from tests.extract.problems import random_problem


def one_leaf(**changes):
    return {
        "nodes": {"n": {"op": "x", "cost": 1.0, "eclass": "c", "children": [], **changes}},
        "root_eclasses": ["c"],
    }


def test_a_problem_survives_the_gym_format():
    for seed in range(40):
        problem = random_problem(seed)
        again = from_gym_json(json.loads(json.dumps(problem.to_gym_json())))
        renumber = [again.class_names.index(name) for name in problem.class_names]
        assert again.node_cost.tolist() == problem.node_cost.tolist()
        assert again.node_class.tolist() == [renumber[owner] for owner in problem.node_class]
        assert again.children.tolist() == [renumber[child] for child in problem.children]
        assert again.roots.tolist() == [renumber[root] for root in problem.roots]


def test_a_problem_survives_a_file(tmp_path):
    problem = random_problem(5)
    problem.save(tmp_path / "problem.json")
    assert load(tmp_path / "problem.json").to_gym_json() == problem.to_gym_json()


def test_what_the_format_lets_out() -> None:
    problem = from_gym_json(
        {"nodes": {"n": {"op": "x", "eclass": "c"}}, "root_eclasses": ["c"], "class_data": {}}
    )
    assert problem.node_cost.tolist() == [1.0]
    assert problem.child_rows[0] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([math.nan], [0], [[]], [0]), "node 'node0' .* costs nan"),
        (([-math.inf], [0], [[]], [0]), "costs -inf"),
        (([1], [0], [[3]], [0]), "root|class_count|child class"),
        (([1], [0], [[]], []), "no root"),
        (([1], [0], [[]], [5]), "root 0 is 5"),
        (([1], [-1], [[]], [0]), "class of node 0 is -1"),
        (([1, 2], [0], [[], []], [0]), "node_class has 1 entries where 2"),
    ],
)
def test_a_malformed_problem_names_the_place(arguments, message):
    with pytest.raises(ExtractionError, match=message):
        Problem.build(*arguments, class_count=1)


ONE_NODE = {"costs": [1], "classes": [0], "children": [[]], "roots": [0]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"class_count": 10**12}, "the number of classes is 1000000000000"),
        ({"class_count": 1.0}, "the number of classes is 1.0"),
        ({"class_count": "1"}, "the number of classes is '1'"),
        ({"class_count": True}, "the number of classes is True"),
        ({"class_count": -1}, "the number of classes is -1"),
        ({"classes": [2**31 - 1]}, "the number of classes is 2147483648"),
        ({"roots": [2**31]}, "roots is an array of integers: 2147483648 is too large"),
        ({"roots": [2**70]}, "roots is an array of integers"),
        ({"children": [[2**40]]}, "children is an array of integers"),
        ({"costs": [[1]]}, "node_cost is an array of numbers: it has 2 axes"),
        ({"costs": ["1"]}, "node_cost is an array of numbers"),
        ({"costs": [1j]}, "node_cost is an array of numbers"),
        ({"costs": [[1], [1, 2]]}, "node_cost is an array of numbers"),
        ({"classes": [0.5]}, "node_class is an array of integers: they are of type float64"),
        ({"classes": [True]}, "node_class is an array of integers"),
        ({"roots": [0.9]}, "roots is an array of integers"),
        ({"children": [[], [0.7]]}, "children is an array of integers"),
        ({"children": [0]}, "a problem has a cost"),
        ({"labels": 3}, "labels is a list of texts, not 3"),
        ({"labels": "x"}, "labels is a list of texts, not 'x'"),
        ({"labels": [3]}, "labels has 3, which is no text"),
        ({"class_names": [b"c"]}, "class_names has b'c', which is no text"),
        ({"costs": [1, 1], "classes": [0, 0], "children": [[], []], "node_names": ["n", "n"]}, "node_names has 'n' twice"),
        ({"class_count": 2, "class_names": ["c", "c"]}, "class_names has 'c' twice"),
    ],
)  # fmt: skip
def test_values_of_another_kind_are_told(changes, message):
    with pytest.raises(ExtractionError, match=message):
        Problem.build(**ONE_NODE | changes)


@pytest.mark.parametrize("name", ["node_cost", "node_class", "child_start", "children", "roots"])
def test_a_problem_takes_arrays_of_its_own_types_alone(name):
    problem = random_problem(1)
    for wrong in (getattr(problem, name).astype(np.float16), getattr(problem, name).tolist()):
        with pytest.raises(ExtractionError, match=f"{name} is an array of"):
            replace(problem, **{name: wrong})


def test_arrays_and_numbers_of_other_types_are_converted():
    again = Problem.build(np.float32([1]), np.uint8([0]), [np.array([], np.int64)], range(1), labels=("x",))
    assert again.to_gym_json()["nodes"]["node0"] == {"op": "x", "cost": 1, "eclass": "0", "children": []}
    assert Problem.build([Fraction(1, 2)], [0], [[]], [0]).node_cost.tolist() == [0.5]


def test_a_problem_that_cannot_be_saved_says_so(tmp_path):
    for place in (tmp_path / "no" / "x.json", tmp_path, None, "\0"):
        with pytest.raises(GraphFileError, match="cannot write"):
            random_problem(1).save(place)


def test_what_is_no_name_no_path_and_no_problem_is_told():
    for name in ([], None, 3):
        with pytest.raises(ExtractionError, match="no extractor is named"):
            extractor_named(name)
        with pytest.raises(ExtractionError, match="no cost model is named"):
            cost_model_named(name)
        for call in (lower_bound, reduce_problem, *(each.extract for each in EXTRACTORS.values())):
            with pytest.raises(ExtractionError, match="is no problem"):
                call(name)
    for path in (None, [], 3):
        with pytest.raises(GraphFileError, match="named by a text or a path"):
            load(path)


def test_child_starts_must_rise():
    one = np.zeros(1, np.int32)
    with pytest.raises(ExtractionError, match="child_start must rise"):
        Problem.from_arrays(np.ones(1), one, np.array([0, 2], np.int32), one, one)


@pytest.mark.parametrize(
    ("document", "error", "message"),
    [
        ([], GraphFileError, "JSON object, not a list"),
        ({"root_eclasses": []}, GraphFileError, "needs 'nodes'"),
        ({"nodes": {}}, GraphFileError, "needs 'root_eclasses'"),
        ({"nodes": {"n": 1}, "root_eclasses": []}, GraphFileError, "node 'n' is a int"),
        (one_leaf(children=["m"]), ExtractionError, "node 'n' has no usable children .*'m'"),
        (one_leaf(cost="dear"), ExtractionError, "node 'n' has the cost 'dear'"),
        (one_leaf(cost=10**400), ExtractionError, "node 'n' has the cost 1000.*; give a number that a float holds"),
        (one_leaf(cost=math.nan), ExtractionError, "node 'n' .* costs nan"),
        ({**one_leaf(), "root_eclasses": ["d"]}, ExtractionError, "root class 'd' has no node"),
        ({**one_leaf(), "root_eclasses": []}, ExtractionError, "no root"),
        ({"nodes": {"n": {"op": "x", "cost": 1, "children": []}}, "root_eclasses": ["c"]}, ExtractionError, "no 'eclass'"),
    ],
)  # fmt: skip
def test_a_malformed_document_names_the_place(document, error, message):
    with pytest.raises(error, match=message):
        from_gym_json(document)


def test_a_truncated_file_is_no_json(tmp_path):
    path = tmp_path / "cut.json"
    path.write_text(json.dumps(one_leaf())[:-20])
    with pytest.raises(GraphFileError, match=r"cut\.json is not JSON .* an e-graph by Problem.save"):
        load(path)
    with pytest.raises(GraphFileError, match="cannot read"):
        load(tmp_path / "absent.json")


def test_an_e_graph_becomes_a_problem_and_its_choice_a_graph():
    x = UOp.variable("x", 0, 9)
    snapshot = saturate([x * 8 + 3, x], RuleSet()).snapshot
    problem = Problem.from_snapshot(snapshot, OperationCount())
    assert {"ADD", "MUL", "CONST", "DEFINE_VAR"} <= set(problem.labels)
    found = BottomUp().extract(problem)
    assert (found.dag_cost, found.lower_bound) == (2, 2)
    assert snapshot.build(found.choice)[1] is x


def test_a_class_without_nodes_cannot_be_written():
    with pytest.raises(ExtractionError, match="class '1', a child of 'node0', has no node"):
        Problem.build([1, 1], [0, 0], [[1], []], roots=[0]).to_gym_json()


def test_an_unextractable_root_is_named_with_its_operations():
    problem = Problem.build(
        [1, 1], [0, 1], [[1], [0]], roots=[0], labels=["add", "mul"], class_names=["loop", "other"]
    )
    with pytest.raises(
        ExtractionError, match=r"root class 'loop' has no finite acyclic term \(its nodes: add\)"
    ):
        BottomUp().extract(problem)


CYCLE = Problem.build([1, 1, 1, 2], [0, 1, 1, 2], [[], [2], [0], [1]], roots=[2])


@pytest.mark.parametrize(
    ("choice", "tree", "dag", "bound", "message"),
    [
        ([0, 1, 3], 0, 0, 0, "needs itself"),
        ([0, -1, 3], 0, 0, 0, "class '1' is needed but its choice is -1"),
        ([0, 0, 3], 0, 0, 0, "class '1' is needed but its choice is 0"),
        ([0, 2, 3], 4, 5, 0, "DAG cost is stated as 5, but it is 4"),
        ([0, 2, 3], 5, 4, 0, "tree cost is stated as 5"),
        ([0, 2, 3], 4, 4, 4.5, "lower bound 4.5 is above"),
    ],
)
def test_validation_finds_what_is_wrong(choice, tree, dag, bound, message):
    with pytest.raises(ExtractionError, match=message):
        Extraction(CYCLE, np.array(choice, np.int32), tree, dag, bound, 0.0).validate()


def test_validation_finds_a_choice_nothing_needs():
    problem = Problem.build([1, 1], [0, 1], [[], []], roots=[0])
    with pytest.raises(ExtractionError, match="class '1' is chosen but no root reaches it"):
        Extraction(problem, np.array([0, 1], np.int32), 1, 1, 0, 0.0).validate()


def test_a_bound_may_be_above_the_cost_by_rounding_relative_to_it():
    problem = Problem.build([1e6], [0], [[]], roots=[0])
    choice = np.array([0], np.int32)
    Extraction(problem, choice, 1e6, 1e6, 1e6 * (1 + TOLERANCE / 2), 0.0).validate()
    with pytest.raises(ExtractionError, match="is above this choice's cost"):
        Extraction(problem, choice, 1e6, 1e6, 1e6 * (1 + 2 * TOLERANCE), 0.0).validate()


def test_costs_that_cancel_have_the_rounding_of_their_magnitudes():
    problem = Problem.build([1e6, 0.1 - 1e6], [0, 1], [[1], []], roots=[0])
    found = Extraction.from_choice(problem, np.array([0, 1], np.int32), 0.1, 0.0)
    assert found.dag_cost != 0.1
    assert found.rounding == pytest.approx(2e6 * TOLERANCE)
    assert found.optimal
    found.validate()


def test_a_gap_is_finite_where_the_cost_is_zero():
    problem = Problem.build([0, -2], [0, 0], [[], []], roots=[0])
    found = Extraction.from_choice(problem, np.array([0], np.int32), -2.0, 0.0)
    assert (found.optimal, found.gap) == (False, 1.0)


@pytest.mark.parametrize(
    ("cost", "bound", "gap"),
    [(3, 2, 1 / 3), (100, 80, 0.2), (-1, -2, 0.5), (1, -2, 1.5), (2, -1, 1.5), (0, -5, 1), (1, 0, 1), (5, 5, 0), (1, -math.inf, math.inf)],
)  # fmt: skip
def test_a_gap_is_what_can_be_saved_relative_to_the_greater_magnitude(cost, bound, gap):
    problem = Problem.build([cost], [0], [[]], roots=[0])
    found = Extraction.from_choice(problem, np.array([0], np.int32), float(bound), 0.0)
    assert found.gap == pytest.approx(gap)


def test_a_bound_is_not_above_the_cost_by_rounding() -> None:
    problem = Problem.build([0.1, 0.2], [0, 1], [[], [0]], [1])
    choice = np.array([0, 1], np.int32)
    cost = Extraction.from_choice(problem, choice, 0.0, 0.0).dag_cost
    found = Extraction.from_choice(problem, choice, cost + 1e-12, 0.0)
    assert found.lower_bound == found.dag_cost == cost
    assert found.gap == 0
    wrong = Extraction.from_choice(problem, choice, cost + 1e-3, 0.0)
    with pytest.raises(ExtractionError, match="the bound is wrong"):
        wrong.validate()
