"""`eqsat demo` on a corner of its data: small enough for the referee to run every kernel. One worker makes it once, for all tests."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import eqsat as eq
from eqsat.demo import data, show


@cache
def small_shows():
    """What the demo shows of a corner of its data, and what it announces meanwhile."""
    whole, digits = data.load_photograph(), data.load_digits()
    corner = data.Photograph(whole.pixels[100:112, 200:220], 'generated (pip install "eqsat[demo]")')
    few = replace(digits, pixels=digits.pixels[:60], labels=digits.labels[:60])
    messages = []
    return tuple(show.run_demo(corner, few, eq.Plan(), messages.append, side=2, training_steps=60)), messages


@pytest.fixture
def small_demo(monkeypatch):
    shows, _ = small_shows()
    monkeypatch.setattr(show, "run_demo", lambda *_: iter(shows))


def test_demo_agrees_with_numpy_and_writes_its_picture(run, small_demo, tmp_path):
    code, text, _ = run("demo", "--json", "--output", tmp_path / "picture.png")
    document = json.loads(text)
    assert code == 0
    assert document["agree"]
    assert [program["name"] for program in document["programs"]] == ["transformer", "image", "classifier"]
    assert document["programs"][1]["largest_error"] == 0
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_demo_prints_a_table_for_each_program_and_names_the_extra_that_brings_real_data(
    run, small_demo, tmp_path
):
    code, text, _ = run("demo", "--output", tmp_path / "picture.png")
    assert code == 0
    for part in (
        "transformer block",
        "image pipeline",
        "digit classifier",
        "UOps",
        "e-graph",
        "rules fired",
        "kernels",
    ):
        assert part in text
    for part in ("predicted", "× its speed", "largest error", "agrees with NumPy", "The picture is in"):
        assert part in text
    assert 'pip install "eqsat[demo]"' in " ".join(text.replace("│", " ").split())


def test_demo_that_cannot_write_its_picture_says_so(run, tmp_path):
    code, _, error = run("demo", "--json", "--output", tmp_path / "nowhere" / "picture.png")
    assert code == 2
    assert "argument --output: there is no folder" in error


def test_every_program_agrees_with_numpy():
    shows, _ = small_shows()
    assert [show.report.name for show in shows] == ["transformer", "image", "classifier"]
    assert all(show.report.agrees for show in shows)


def test_image_is_exact_and_given_as_a_picture():
    image = small_shows()[0][1]
    assert image.report.largest_error == 0
    assert image.picture.shape == (6, 14)
    assert image.picture.dtype == np.uint8


def test_classifier_learns_something():
    remark = small_shows()[0][2].remark
    assert float(remark.partition("%")[0].rpartition(" ")[2]) > 20


def test_each_stage_is_announced():
    _, messages = small_shows()
    assert {message.partition(":")[0] for message in messages} == {"transformer", "image", "classifier"}
    assert "classifier: train, step 50 of 60" in messages
