"""The demo itself: a transformer block and an image pipeline on a photograph, and a classifier of digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from eqsat.demo.data import Digits, Photograph
from eqsat.demo.programs import PROGRAMS
from eqsat.demo.report import Report, as_list, run_program

Step = Callable[[str], object]


@dataclass(frozen=True)
class Show:
    """One program of the demo: its report, a sentence on what came out, and the picture it made, if any."""

    report: Report
    remark: str
    picture: NDArray[np.uint8] | None = None


def run_demo(
    photograph: Photograph,
    digits: Digits,
    plan: eq.Plan,
    step: Step,
    side: int = 8,
    training_steps: int = 300,
) -> Iterator[Show]:
    """Runs the three programs, one after the other; `step` is called with a description of each step.

    `side` is the side in pixels of the patches that are the transformer's tokens. `training_steps` is how many steps the classifier learns.
    """
    yield show_transformer(photograph, plan, lambda message: step(f"transformer: {message}"), side)
    yield show_image(photograph, plan, lambda message: step(f"image: {message}"))
    yield show_classifier(digits, plan, lambda message: step(f"classifier: {message}"), training_steps)


def show_transformer(photograph: Photograph, plan: eq.Plan, step: Step, side: int) -> Show:
    """A transformer block whose tokens are square patches of the photograph's centre; the weights are random."""
    tokens = image_patches(photograph.pixels, side)
    count, width = tokens.shape
    shapes = (
        (2, width),
        (2, width),
        (width, 3 * width),
        (width, width),
        (width, 4 * width),
        (4 * width, width),
    )
    random = np.random.default_rng(0)
    weights = [(random.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32) for shape in shapes]
    weights[0] += 1.0
    data = f"{count} patches of {side} × {side} pixels of the {photograph.source}; random weights"
    report, _ = run_program(PROGRAMS["transformer"], data, [tokens, *weights], plan, step)
    remark = f"6 heads over {count} tokens of width {width}, layer norms, MLP of width {4 * width} with gelu"
    return Show(report, remark)


def image_patches(pixels: NDArray[np.uint8], side: int) -> NDArray[np.float32]:
    """The centre of a picture as at most 16 · 32 patches, each a row of side · side · 3 values, with mean 0 and deviation 1."""
    rows, columns = min(16, pixels.shape[0] // side), min(32, pixels.shape[1] // side)
    height, width = rows * side, columns * side
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    centre = pixels[top : top + height, left : left + width].astype(np.float32)
    patches = (
        centre.reshape(rows, side, columns, side, 3).transpose(0, 2, 1, 3, 4).reshape(rows * columns, -1)
    )
    return (patches - patches.mean()) / patches.std()


def show_image(photograph: Photograph, plan: eq.Plan, step: Step) -> Show:
    """Runs the image pipeline, which draws inked outlines over the sharpened grey photograph."""
    pixels = photograph.pixels.astype(np.int32)
    report, (picture,) = run_program(PROGRAMS["image"], photograph.source, [pixels], plan, step)
    inked = np.count_nonzero(picture == 0) / picture.size
    remark = (
        f"grey-scale, 5×5 binomial blur, unsharp masking, Sobel, threshold; {inked:.0%} of the pixels are ink"
    )
    return Show(report, remark, picture.astype(np.uint8))


def show_classifier(digits: Digits, plan: eq.Plan, step: Step, training_steps: int) -> Show:
    """Trains on four fifths of the digits with kernels made by eqsat, then classifies all; the accuracy is that on the other fifth."""
    pixels, labels = digits.pixels, digits.labels
    test = np.arange(len(labels)) % 5 == 0
    random = np.random.default_rng(0)
    first = (random.normal(size=(65, 64)) / 8).astype(np.float32)
    second = (random.normal(size=(65, 10)) / 8).astype(np.float32)
    targets = np.eye(10, dtype=np.float32)[labels[~test]]

    train = eq.jit(PROGRAMS["training"].bind(eq), plan=plan)
    for number in range(training_steps):
        if number % 50 == 0:
            step(f"train, step {number} of {training_steps}")
        first, second = as_list(train(pixels[~test], targets, first, second))

    arrays: list[NDArray[Any]] = [pixels, first, second]
    report, (probabilities,) = run_program(PROGRAMS["classifier"], digits.source, arrays, plan, step)
    accuracy = np.count_nonzero(np.argmax(probabilities[test], axis=1) == labels[test]) / test.sum()
    remark = (
        f"trained by eqsat for {training_steps} steps; {accuracy:.1%} of {test.sum()} unseen digits are right"
    )
    return Show(replace(report, data=digits.source), remark)
