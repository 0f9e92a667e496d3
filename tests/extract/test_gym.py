"""Public e-graphs of the extraction-gym collection, where a copy of them lies beside the project."""

import re

import pytest

from eqsat.extract import EXTRACTORS, GreedyDag, Portfolio, extractor_named, from_gym_json, load
from tests.cases import CASES

FILES = sorted((CASES / "gym").glob("*.json"))

# DAG costs that the collection's own greedy extractor reaches (the SmoothE artifact, ASPLOS 2025), by a piece of the name.
PUBLISHED_GREEDY = {
    "flexc_03d3": 37, "flexc_7bdc": 95, "flexc_fdbb": 105, "flexc_fea5": 88, "box_filter_3": 1701, "box_filter_5": 1819,
    "fir_8_tap_5": 5936, "mcm_3_7_21": 1165, "tensat_vgg": 4.8508, "hamming6-2": -1824, "maxcut-140": -630,
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:24])
def test_extractors_are_valid_and_greedy_is_no_worse_than_published(tmp_path, path):
    """Each file by every second extractor, in turns: an extractor has half of the files, of all families."""
    problem = load(path)
    for name in list(EXTRACTORS)[FILES.index(path) % 2 :: 2]:
        extractor_named(name, seconds=0.1).extract(problem).validate()
    cost = GreedyDag().extract(problem).dag_cost
    published = [known for piece, known in PUBLISHED_GREEDY.items() if re.search(piece, path.name)]
    assert all(round(cost, 4) <= known for known in published)
    problem.save(tmp_path / path.name)
    assert GreedyDag().extract(load(tmp_path / path.name)).dag_cost == cost


# The least costs there are, by CPLEX and CP-SAT in the same artifact, where a few seconds prove them here.
OPTIMAL = {
    "flexc_03d3": 36, "flexc_7bdc": 95, "flexc_fdbb": 105, "flexc_fea5": 88, "mcm_3_7_21": 1050, "set_covering": 2, "box_filter_5": 1819,
}  # fmt: skip


def test_the_portfolio_proves_published_optima():
    for piece, cost in OPTIMAL.items():
        for path in (file for file in FILES if piece in file.name):
            found = Portfolio().extract(load(path))
            assert (found.dag_cost, found.optimal) == (cost, True), path.name


def test_a_set_cover_is_extracted():
    sets = {f"set{n}": {"op": f"set{n}", "cost": 1.0, "eclass": f"set{n}", "children": []} for n in range(3)}
    covers = {(n, m): {"op": "covers", "cost": 0.0, "eclass": f"element{n}", "children": [f"set{m}"]}
              for n, ms in enumerate(((0, 1), (1,), (1, 2))) for m in ms}  # fmt: skip
    nodes = {**sets, **{f"{n}in{m}": row for (n, m), row in covers.items()}}
    nodes["all"] = {"op": "all", "cost": 0.0, "eclass": "all", "children": ["0in0", "1in1", "2in1"]}
    found = GreedyDag().extract(from_gym_json({"nodes": nodes, "root_eclasses": ["all"]}))
    found.validate()
    assert 1 <= found.dag_cost <= 3
