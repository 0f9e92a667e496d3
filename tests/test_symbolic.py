"""The benchmark of scalar simplification: reading cases, counting operations, telling wrong results from right ones; and how short results are."""

import json

import numpy as np
import pytest

import eqsat as eq
from benchmarks import symbolic
from benchmarks.cases import UnsupportedError, count, read_graph, text, written
from benchmarks.equivalence import differing, evaluate
from eqsat.dtype import float32, index, uint32
from eqsat.ops import Op
from eqsat.simplification.sharing import count_operations
from eqsat.uop import UOp
from tests.cases import SYMBOLIC
from tests.drawn import first_difference
from tests.lengthened import KINDS, lengthened


def variable(name, least, greatest, dtype="weakint", **more):
    return ["VAR", dtype, {"name": name, "min": least, "max": greatest, "kind": "param", **more}, []]


def graph(*nodes, roots=None):
    return read_graph({"nodes": list(nodes), "roots": roots or [len(nodes) - 1]})


def number(value, dtype="weakint"):
    return ["CONST", dtype, value, []]


def test_operations_of_a_file_have_uops():
    (root,) = graph(variable("x", -9, 9), number(4), ["CDIV", "weakint", None, [0, 1]]).roots
    assert root is UOp.variable("x", -9, 9).alu(Op.IDIV, UOp.const(index, 4))


def test_weak_constants_take_the_dtype_of_their_place():
    (root,) = graph(variable("x", 0, 9, "uint"), number(-4), ["AND", "uint", None, [0, 1]]).roots
    assert root.src[1] is UOp.const(uint32, 2**32 - 4)


def test_a_stack_is_several_results_and_no_operation():
    stacked = graph(
        variable("x", 0, 9), number(1), ["ADD", "weakint", None, [0, 1]], ["STACK", "weakint", None, [2, 0]]
    )
    assert stacked.results == 2
    assert count(stacked.roots) == (1, 1)


def test_the_end_of_a_range_counts_as_long_as_the_range_is_used():
    ranged = graph(
        variable("n", 1, 9),
        number(2),
        ["MUL", "weakint", None, [0, 1]],
        ["RANGE", "weakint", {"name": "r", "kind": "range", "axis": [0, "LOOP"]}, [2]],
        ["ADD", "weakint", None, [3, 1]],
    )
    assert count(written(ranged, ranged.roots)) == (2, 3)
    assert count(written(ranged, [UOp.const(index, 0), ranged.roots[1]])) == (0, 0)


def test_multiples_are_written_as_such():
    multiple = graph(variable("m", 0, 64, multiple_of=8), number(8), ["FLOORDIV", "weakint", None, [0, 1]])
    assert count(written(multiple, multiple.roots)) == (1, 8)
    assert count(written(multiple, multiple.roots[0].src[:1])) == (0, 0)


def test_shared_operations_count_once():
    x = UOp.variable("x", 0, 9)
    assert count([(x + 1) * (x + 1), x + 1]) == (2, 3)
    assert text([(x + 1) * (x + 1)]).startswith("t0 = (x[0..9] + 1)")


def test_what_no_uop_stands_for_is_said():
    with pytest.raises(UnsupportedError, match="THREEFRY"):
        graph(variable("x", 0, 9), ["THREEFRY", "uint", None, [0, 0]])


def test_a_wrong_result_is_found_and_a_value_that_does_not_matter_is_not_compared():
    gated = graph(
        variable("x", 0, 9),
        number(5),
        ["CMPLT", "bool", None, [0, 1]],
        number({"$": "Invalid"}, "bool"),
        ["WHERE", "weakint", None, [2, 0, 3]],
    )
    x = UOp.variable("x", 0, 9)
    assert differing(gated, [x]) is None
    assert differing(gated, [x.minimum(3)]) == {"x": 4}


def test_floats_are_elements_of_inputs():
    doubled = graph(variable("x", 1, 10, "float"), number(2.0, "weakfloat"), ["MUL", "float", None, [0, 1]])
    assert count(doubled.roots) == (1, 2)
    assert differing(doubled, doubled.roots) is None


def test_a_case_is_measured(tmp_path, capsys):
    nodes = [
        variable("x", 0, 9),
        number(1),
        ["MUL", "weakint", None, [0, 1]],
        ["ADD", "weakint", None, [2, 1]],
    ]
    case = {
        "id": 0,
        "kind": "plain",
        "input": {"nodes": nodes, "roots": [3]},
        "peer": {"nodes": nodes, "roots": [3]},
    }
    case |= {"peer_ops": 2, "peer_weighted": 3, "input_ops": 2, "input_weighted": 3}
    (tmp_path / "cases.json").write_text(json.dumps({"cases": [case]}))
    symbolic.main([str(tmp_path / "cases.json"), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["cases"], found["wrong"], found["unsupported"]) == (1, 0, 0)
    assert (found["ops_le_peer"], found["ops_lt_peer"], found["weighted_ratio"]) == (
        1.0,
        1.0,
        round(1 / 3, 4),
    )


@pytest.mark.skipif(not SYMBOLIC.exists(), reason="the file of cases is not part of the project")
def test_every_tenth_case_is_read_and_right():
    cases = json.loads(SYMBOLIC.read_text())["cases"][::10]
    found = symbolic.summary([symbolic.measure(case) for case in cases])
    assert (found["wrong"], found["unsupported"]) == (0, 0)


def test_a_maximum_of_zeros_has_no_sign_to_compare():
    x, y = (UOp.param(slot, 1, float32) for slot in range(2))
    points = {x: np.array([0.0, 1.0, 0.0], np.float32), y: np.array([-0.0, 1.0, 0.0], np.float32)}
    greater = x.reshape(()).maximum(y.reshape(()))
    assert evaluate([greater], points)[greater].known.tolist() == [False, True, True]


# Operations of the first twelve cases of each kind after simplification, at most; found: 18, 82 and 74.
MOST = {"address": 18, "multiples": 84, "gate": 77}


@pytest.mark.parametrize("kind", MOST)
def test_lengthened_expressions_become_short_again(kind):
    total = 0
    for number in range(12):
        case = lengthened(kind, number)
        assert first_difference(case.long, case.short, number) is None
        found = eq.simplify(case.long)
        assert first_difference(case.long, found, number) is None, f"lengthened({kind!r}, {number})"
        operations = count_operations([found])
        assert operations <= count_operations([case.short]), f"lengthened({kind!r}, {number})"
        total += operations
    assert total <= MOST[kind]


def test_the_same_number_lengthens_alike():
    assert all(lengthened(kind, number) == lengthened(kind, number) for kind in KINDS for number in range(5))
    assert MOST.keys() == KINDS.keys()
