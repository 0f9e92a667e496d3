import zlib

import numpy as np
import pytest
from PIL import Image

from eqsat.demo import data


@pytest.fixture
def bare_installation(monkeypatch):
    """As where neither scikit-learn nor pillow is installed."""
    monkeypatch.setattr(data, "find_spec", lambda name: None)


def test_photograph_is_real_where_scikit_learn_is_installed():
    photograph = data.load_photograph()
    assert photograph.pixels.shape == (427, 640, 3)
    assert "china.jpg" in photograph.source


def test_generated_picture_says_so(bare_installation):
    photograph = data.load_photograph()
    assert photograph.pixels.shape == (427, 640, 3)
    assert photograph.pixels.std() > 20
    assert "generated" in photograph.source


def test_generated_digits_say_so_and_can_be_told_apart(bare_installation):
    digits = data.load_digits()
    assert "generated" in digits.source
    assert digits.pixels.shape == (len(digits.labels), 64)
    means = np.stack([digits.pixels[digits.labels == digit].mean(axis=0) for digit in range(10)])
    nearest = np.argmin(((digits.pixels[:, None] - means) ** 2).sum(axis=-1), axis=1)
    assert np.mean(nearest == digits.labels) > 0.5


def test_generated_data_are_the_same_every_time(bare_installation):
    assert np.array_equal(data.load_photograph().pixels, data.load_photograph().pixels)
    assert np.array_equal(data.load_digits().pixels, data.load_digits().pixels)


def test_png_holds_the_picture(tmp_path):
    picture = np.arange(35, dtype=np.uint8).reshape(5, 7)
    path = tmp_path / "picture.png"
    data.write_png(path, picture)
    content = path.read_bytes()
    start = content.index(b"IDAT") + 4
    length = int.from_bytes(content[start - 8 : start - 4], "big")
    rows = np.frombuffer(zlib.decompress(content[start : start + length]), np.uint8).reshape(5, 8)
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert np.array_equal(rows[:, 1:], picture)


def test_png_is_read_by_pillow(tmp_path):
    picture = np.random.default_rng(0).integers(0, 256, (20, 30)).astype(np.uint8)
    data.write_png(tmp_path / "picture.png", picture)
    with Image.open(tmp_path / "picture.png") as opened:
        assert np.array_equal(np.asarray(opened), picture)
