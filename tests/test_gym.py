"""The figures of `benchmarks.gym`."""

import json

from benchmarks import gym
from eqsat.extract import Problem


def test_every_file_and_extractor_has_a_row_and_each_extractor_a_total(tmp_path, capsys):
    shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
    shared.save(tmp_path / "shared.json")
    Problem.build([1], [0], [[0]], roots=[0]).save(tmp_path / "unfounded.json")
    gym.main([str(tmp_path), "--extractor", "greedy-dag", "--extractor", "milp", "--json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    found = [(row["file"], row["extractor"], row["cost"], row["optimal"]) for row in rows]
    assert found == [
        ("shared.json", "greedy-dag", 9.0, 0), ("shared.json", "milp", 9.0, 1),
        ("unfounded.json", "greedy-dag", None, 0), ("unfounded.json", "milp", None, 0),
        ("all 2", "greedy-dag", None, 0), ("all 2", "milp", None, 1),
    ]  # fmt: skip
