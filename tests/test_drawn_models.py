"""Whole drawn models agree with NumPy and the reference; `python -m tests.drawn_models --models 1000 --seed 7` draws more."""

from random import Random

import pytest

from tests.drawn_models.checking import WAYS, draw_model, wrong_with
from tests.drawn_models.drafting import Draft, Model

DRAWN = 1  # models for each way in the suite


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("way", WAYS)
def test_drawn_models_agree_with_numpy(way: str, pytestconfig: pytest.Config) -> None:
    seed = pytestconfig.getoption("seed")
    for number in range(DRAWN):
        model = draw_model(f"{seed}/{way}/{number}", most=3)
        assert wrong_with(model, way) is None, model.text


@pytest.mark.parametrize("change", [" + 0.01", "[::-1]"])
def test_a_wrong_result_is_found(change: str) -> None:
    """In what runs and in the reference, which the array layer feeds alike."""
    model = Draft(Random(0), "float32")
    y = model.line(f"xp.tanh({model.start((3, 4, 5))})")
    right = model.model((y,))
    wrong = Model(right.text.replace("(x)", f"(x){change}"), right.arguments, right.dtype, right.expected)
    assert wrong_with(right, "jit") is None
    assert wrong_with(wrong, "jit") is not None
