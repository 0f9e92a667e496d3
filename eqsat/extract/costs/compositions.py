"""Cost models that combine other cost models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, ClassVar

from eqsat.errors import ExtractionError, brief
from eqsat.extract.costs.protocol import CostModel, Node, cost_of


def with_parts(model: CostModel) -> Iterator[CostModel]:
    """Yields a model and, if it combines others, all models in it."""
    yield model
    if isinstance(model, WeightedSum | Lexicographic):
        for part in model.models:
            yield from with_parts(part)


@dataclass(frozen=True)
class WeightedSum:
    """The sum of the models' costs, each times its weight. The weights also convert between the models' units.

    >>> from eqsat.extract import CodeSize, Roofline
    >>> both = WeightedSum((Roofline(), CodeSize()), (1.0, 1e-9))  # an instruction is worth a nanosecond

    Attributes:
        models: the models to add.
        weights: one weight for each model, finite and not negative; with weight 0, a model only forbids nodes.

    Raises:
        ExtractionError: there is no model, the numbers of models and weights differ, or a weight is negative, infinite or NaN.
    """

    models: tuple[CostModel, ...]
    weights: tuple[float, ...]
    name: ClassVar[str] = "weighted-sum"
    unit: ClassVar[str] = "weighted units"

    def __post_init__(self) -> None:
        _require_models(self.models, "a weighted sum")
        if not isinstance(self.weights, list | tuple) or len(self.models) != len(self.weights):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ExtractionError(
                f"a weighted sum of {len(self.models)} models with the weights {brief(self.weights)}; give one weight for each model"
            )
        if not all(_is_finite(weight) and weight >= 0 for weight in self.weights):
            raise ExtractionError(f"weights are finite and not negative, got {brief(self.weights)}")

    def cost(self, node: Node) -> float:
        """The weighted sum; `inf` if any model forbids the node."""
        costs = [cost_of(model, node) for model in self.models]
        if inf in costs:
            return inf
        return sum(weight * cost for weight, cost in zip(self.weights, costs, strict=True))


@dataclass(frozen=True)
class Lexicographic:
    """The first model decides; if it gives two programs the same cost, the next model decides, and so on.

    Extraction minimizes one number, so the costs are added with falling weights: one unit of a model weighs as much as `ratio` units
    of the next. This is exactly the lexicographic order if the costs of earlier models differ by whole units, the totals of later ones
    stay below `ratio` units, and the numbers fit into the 53 bits of a double. With the default ratio, that holds for two models and
    programs of up to a million units. Put a model that counts something first, such as operations or instructions; a model in seconds
    needs a ratio of its own.

    >>> from eqsat.extract import CodeSize, OperationCount
    >>> fewest_then_shortest = Lexicographic((OperationCount(), CodeSize()))

    Attributes:
        models: the models, the most important one first.
        ratio: the number of units of a model that weigh as much as one unit of the model before it; above 1.

    Raises:
        ExtractionError: there is no model, or the ratio is not above 1.
    """

    models: tuple[CostModel, ...]
    ratio: float = float(1 << 20)
    name: ClassVar[str] = "lexicographic"
    unit: ClassVar[str] = "units of the first model"

    def __post_init__(self) -> None:
        _require_models(self.models, "a lexicographic order")
        if not (_is_finite(self.ratio) and self.ratio > 1):
            raise ExtractionError(
                f"the ratio of a lexicographic order must be above 1, got {brief(self.ratio)}"
            )

    def cost(self, node: Node) -> float:
        """The models' costs with falling weights; `inf` if any model forbids the node."""
        return sum(cost_of(model, node) / self.ratio**place for place, model in enumerate(self.models))


def is_cost_model(value: object) -> bool:
    """Whether a value has the method of a cost model; a class of models does not."""
    return callable(getattr(value, "cost", None)) and not isinstance(value, type)


def _require_models(models: Any, combination: str) -> None:
    """Checks that a combination consists of one or more cost models.

    Raises:
        ExtractionError: there is no model, or something that is not a model.
    """
    if not isinstance(models, list | tuple) or not models:
        raise ExtractionError(
            f"{combination} of {brief(models)}; give a tuple of one or more cost models, such as (eqsat.Latency(),)"
        )
    for model in models:  # pyright: ignore[reportUnknownVariableType]
        if not is_cost_model(model):  # pyright: ignore[reportUnknownArgumentType]
            raise ExtractionError(
                f"{combination} of cost models, and {brief(model)} is none; try eqsat.Latency()"
            )


def _is_finite(value: Any) -> bool:
    """Whether the value is a number that a double holds, and finite."""
    try:
        return isinstance(value, int | float) and isfinite(value)
    except OverflowError:
        return False
