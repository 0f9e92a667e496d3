"""The demo on a corner of its data: small enough for the referee to run every kernel."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.demo.data import Digits, Photograph, load_digits, load_photograph
from eqsat.demo.show import image_patches, run_demo


@pytest.fixture(scope="module")
def shows():
    whole, all_digits = load_photograph(), load_digits()
    corner = Photograph(whole.pixels[100:112, 200:220], whole.source)
    few = Digits(all_digits.pixels[:60], all_digits.labels[:60], all_digits.source)
    messages = []
    return list(run_demo(corner, few, eq.Plan(), messages.append, side=2, training_steps=60)), messages


def test_every_program_agrees_with_numpy(shows):
    assert [show.report.name for show in shows[0]] == ["transformer", "image", "classifier"]
    assert all(show.report.agrees for show in shows[0])


def test_image_is_exact_and_given_as_a_picture(shows):
    image = shows[0][1]
    assert image.report.largest_error == 0
    assert image.picture.shape == (6, 14)
    assert image.picture.dtype == np.uint8


def test_classifier_learns_something(shows):
    remark = shows[0][2].remark
    assert float(remark.partition("%")[0].rpartition(" ")[2]) > 20


def test_each_stage_is_announced(shows):
    assert {message.partition(":")[0] for message in shows[1]} == {"transformer", "image", "classifier"}
    assert "classifier: train, step 50 of 60" in shows[1]


def test_patches_are_the_picture_cut_up():
    pixels = np.random.default_rng(0).integers(0, 256, (20, 36, 3)).astype(np.uint8)
    patches = image_patches(pixels, side=8)
    centre = pixels[2:18, 2:34].astype(np.float32)
    normal = (centre - centre.mean()) / centre.std()
    assert patches.shape == (8, 192)
    assert np.allclose(patches[5], normal[8:16, 8:16].ravel(), atol=1e-5)
