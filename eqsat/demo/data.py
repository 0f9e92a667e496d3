"""Real data for the demo from the scikit-learn wheel; if that is not installed, data that are generated here, and say so."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Five columns by seven rows for each digit, a bit per pixel, top row first; printed digits stand in for handwritten ones.
_GLYPHS = (
    (14, 17, 19, 21, 25, 17, 14), (4, 12, 4, 4, 4, 4, 14), (14, 17, 1, 2, 4, 8, 31), (14, 17, 1, 6, 1, 17, 14),
    (2, 6, 10, 18, 31, 2, 2), (31, 16, 30, 1, 1, 17, 14), (6, 8, 16, 30, 17, 17, 14), (31, 1, 2, 4, 8, 8, 8),
    (14, 17, 17, 14, 17, 17, 14), (14, 17, 17, 15, 1, 2, 12),
)  # fmt: skip


@dataclass(frozen=True)
class Photograph:
    """A colour picture, uint8 of shape (height, width, 3), and where it comes from."""

    pixels: NDArray[np.uint8]
    source: str


@dataclass(frozen=True)
class Digits:
    """Pictures of 8 × 8 pixels as float32 rows of 64 values in 0…1, their digits, and where they come from."""

    pixels: NDArray[np.float32]
    labels: NDArray[np.int64]
    source: str


def load_photograph() -> Photograph:
    """The photograph `china.jpg` of scikit-learn if that and pillow are installed, else a generated landscape."""
    if find_spec("sklearn") and find_spec("PIL"):
        datasets: Any = import_module("sklearn.datasets")
        pixels = np.asarray(datasets.load_sample_image("china.jpg"), np.uint8)
        return Photograph(pixels, "photograph china.jpg, from scikit-learn")
    return Photograph(
        _landscape(427, 640), 'generated landscape (for a photograph: pip install "eqsat[demo]")'
    )


def load_digits() -> Digits:
    """The 1,797 handwritten digits of scikit-learn if that is installed, else generated ones."""
    if find_spec("sklearn"):
        datasets: Any = import_module("sklearn.datasets")
        digits = datasets.load_digits()
        pixels = np.asarray(digits.data, np.float32) / np.float32(16)
        return Digits(
            pixels, np.asarray(digits.target, np.int64), "1,797 handwritten digits, from scikit-learn"
        )
    return _printed_digits(1797)


def _landscape(height: int, width: int) -> NDArray[np.uint8]:
    """Hills under a sun, with a little grain: edges, gradients and texture for an image pipeline to work on."""
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float64)
    sky = np.stack([120 + 80 * rows / height, 160 + 50 * rows / height, 235 - 30 * rows / height], axis=-1)
    sun = (rows - height * 0.25) ** 2 + (columns - width * 0.7) ** 2 < (height * 0.09) ** 2
    sky[sun] = (255, 240, 170)
    for level, (amplitude, wavelength, colour) in enumerate(
        ((40, 210, (70, 110, 90)), (55, 140, (40, 85, 50)))
    ):
        crest = height * (0.55 + 0.15 * level) + amplitude * np.sin(columns / wavelength * 2 * np.pi + level)
        sky[rows > crest] = colour
    grain = np.random.default_rng(0).normal(0, 6, (height, width, 1))
    return np.clip(sky + grain, 0, 255).astype(np.uint8)


def _printed_digits(count: int) -> Digits:
    """Printed digits, shifted at random and noisy: 8 × 8 pixels each."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 10, count)
    glyphs = np.array(
        [[[row >> (4 - bit) & 1 for bit in range(5)] for row in glyph] for glyph in _GLYPHS], np.float32
    )
    pixels = np.zeros((count, 8, 8), np.float32)
    for picture, label, top, left in zip(
        pixels, labels, random.integers(0, 2, count), random.integers(0, 4, count), strict=True
    ):
        picture[top : top + 7, left : left + 5] = glyphs[label]
    noisy = np.clip(0.8 * pixels + random.normal(0.1, 0.15, pixels.shape), 0, 1)
    source = f'{count:,} generated digits (for handwritten ones: pip install "eqsat[demo]")'
    return Digits(noisy.reshape(count, 64).astype(np.float32), labels, source)


def write_png(path: Path, picture: NDArray[np.uint8]) -> None:
    """Writes a grey picture (height, width) as a PNG file, with only NumPy and the standard library.

    Format: PNG (third edition), W3C 2025: signature, then the chunks IHDR, IDAT and IEND, each with its CRC-32.
    """
    height, width = picture.shape
    # Eight bits, grey, no filter method, not interlaced
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    # Each row begins with filter type 0
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture], axis=1)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
