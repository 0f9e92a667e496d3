"""Public e-graphs of the extraction-gym collection, where a copy of them lies beside the project."""

import re
from pathlib import Path

import pytest

from eqsat.extract import EXTRACTORS, GreedyDag, load, save

FILES = sorted((Path(__file__).parents[3] / "shared" / "cases" / "gym").glob("*.json"))

# DAG costs that the collection's own greedy extractor reaches (the SmoothE artifact, ASPLOS 2025), by a piece of the name.
PUBLISHED_GREEDY = {
    "flexc_03d3": 37, "flexc_7bdc": 95, "flexc_fdbb": 105, "flexc_fea5": 88, "box_filter_3": 1701, "box_filter_5": 1819,
    "fir_8_tap_5": 5936, "mcm_3_7_21": 1165, "tensat_vgg": 4.8508, "hamming6-2": -1824, "maxcut-140": -630,
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:30])
def test_every_extractor_is_valid_and_greedy_is_no_worse_than_published(path, tmp_path):
    problem = load(path)
    for extractor in EXTRACTORS.values():
        extractor.extract(problem).validate()
    for piece, cost in PUBLISHED_GREEDY.items():
        if re.search(piece, path.name):
            assert round(GreedyDag().extract(problem).dag_cost, 4) <= cost
    save(problem, tmp_path / "copy.json")
    assert GreedyDag().extract(load(tmp_path / "copy.json")).dag_cost == GreedyDag().extract(problem).dag_cost


def test_a_set_cover_is_extracted():
    from eqsat.extract import from_gym_json

    sets = {f"set{n}": {"op": f"set{n}", "cost": 1.0, "eclass": f"set{n}", "children": []} for n in range(3)}
    covers = {(n, m): {"op": "covers", "cost": 0.0, "eclass": f"element{n}", "children": [f"set{m}"]}
              for n, ms in enumerate(((0, 1), (1,), (1, 2))) for m in ms}  # fmt: skip
    nodes = {**sets, **{f"{n}in{m}": row for (n, m), row in covers.items()}}
    nodes["all"] = {"op": "all", "cost": 0.0, "eclass": "all", "children": ["0in0", "1in1", "2in1"]}
    found = GreedyDag().extract(from_gym_json({"nodes": nodes, "root_eclasses": ["all"]}))
    found.validate()
    assert 1 <= found.dag_cost <= 3
