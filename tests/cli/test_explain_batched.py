"""`eqsat explain FILE.py:FUNCTION`: the program, the same without calls, and the kernel."""

import json

import pytest

from eqsat.cli import main

SOURCE = """
import eqsat as eq

print("loaded")

@eq.autobatch.batch
def scaled(x, n):
    for _ in range(n):
        x = x * 2
    return x

broken = 1
"""


@pytest.fixture
def place(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(SOURCE)
    return str(file)


def test_the_stages_of_a_batched_function(place, capsys):
    assert main(["explain", f"{place}:scaled", "--batch", "float32[3]", "int32"]) == 0
    text = capsys.readouterr().out
    assert "loaded" not in text
    assert "scaled.x: float32[3]" in text
    assert "__kernel void kernel_scaled(" in text
    assert main(["explain", f"{place}:scaled", "--batch", "float32[3]", "int32", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"program", "lowered", "variables", "kernel"}
    assert "full" not in document["variables"].values()


@pytest.mark.parametrize(
    ("name", "types", "message"),
    [
        ("scale", ["int32"], "its batched functions: scaled"),
        ("broken", ["int32"], "no batched function 'broken'"),
        ("scaled", ["int33", "int32"], "'int33' is no type"),
        ("scaled", ["float32[", "int32"], "is no type"),
        ("scaled", ["int32"], "missing a required argument: 'n'"),
    ],
)
def test_mistakes_are_told(place, capsys, name, types, message):
    assert main(["explain", f"{place}:{name}", "--batch", *types]) != 0
    assert message in "".join(capsys.readouterr()).replace("\n", " ")


def test_a_file_that_is_not_there(capsys):
    assert main(["explain", "nowhere.py:f", "--batch", "int32"]) != 0
    assert "cannot read nowhere.py" in capsys.readouterr().err
