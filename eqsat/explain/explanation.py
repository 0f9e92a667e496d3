"""Explanations as values: two terms, the chain of steps between them, and their form as a JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from eqsat.errors import EqsatError, ExplanationError, brief
from eqsat.explain.replay import replay
from eqsat.explain.steps import Lemma, Step, StepKind
from eqsat.graph_files.arguments import decode_argument, encode_argument
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.rules.language.notation import term_text
from eqsat.rules.language.rule import RuleSet
from eqsat.rules.library import LIBRARY
from eqsat.uop import UOp

VERSION = 1


@dataclass(frozen=True, slots=True)
class Explanation:
    """A chain of steps that proves two graphs equal. `replay` checks it and trusts nothing but the rules.

    Attributes:
        before: the graph at the start of the chain.
        after: the graph at its end.
        steps: the steps from `before` to `after`.
        lemmas: the equalities that steps refer to by number. A lemma uses only lemmas before it.
        rules: the rules that steps refer to by name.
    """

    before: UOp
    after: UOp
    steps: tuple[Step, ...]
    lemmas: tuple[Lemma, ...] = ()
    rules: RuleSet = field(default=LIBRARY, compare=False, repr=False)

    def __post_init__(self) -> None:
        steps, lemmas, rules = cast("tuple[Any, Any, Any]", (self.steps, self.lemmas, self.rules))
        listed = all(isinstance(term, UOp) for term in cast("tuple[Any, ...]", (self.before, self.after)))
        listed = (
            listed and isinstance(steps, tuple) and all(isinstance(each, Step) for each in cast("Any", steps))
        )
        listed = (
            listed
            and isinstance(lemmas, tuple)
            and all(isinstance(each, Lemma) for each in cast("Any", lemmas))
        )
        if not listed or not isinstance(rules, RuleSet):
            raise ExplanationError(
                "an explanation has two UOps, a tuple of Steps, a tuple of Lemmas and a set of rules; eqsat.explain_simplify makes one"
            )

    def replay(self) -> UOp:
        """Carries out every step on `before`: matches terms and checks guards again. Returns the result, which is `after`.

        Raises:
            ReplayError: a step does not hold; the message names it.
        """
        return replay(self.before, self.after, self.steps, self.lemmas, self.rules)

    def __str__(self) -> str:
        lines: list[str] = []
        for number, lemma in enumerate(self.lemmas):
            lines += [f"lemma {number}: {lemma}", *(f"  {step}" for step in lemma.steps)]
        lines += [term_text(self.before), *(f"  {step}" for step in self.steps), term_text(self.after)]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The explanation as a document of lists, strings and numbers. Each term is a number that refers to one list of nodes.

        Raises:
            GraphFileError: a graph holds data that exists in this process only.
        """
        return _Writer(self).document()

    @staticmethod
    def from_json(document: Any, rules: RuleSet = LIBRARY) -> Explanation:
        """Reads an explanation from a document. Only the form is checked here; `replay` checks the steps.

        Raises:
            ExplanationError: the document is not an explanation.
        """
        try:
            return _Reader(document).explanation(rules)
        except ExplanationError:
            raise
        except (
            EqsatError,
            KeyError,
            IndexError,
            TypeError,
            ValueError,
            AttributeError,
            OverflowError,
        ) as error:
            raise ExplanationError(
                f"not an explanation: {type(error).__name__}: {error}; write it with to_json"
            ) from error


class _Writer:
    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        self.numbers: dict[UOp, int] = {}

    def document(self) -> dict[str, Any]:
        given = self.explanation
        body = {
            "before": self.term(given.before),
            "after": self.term(given.after),
            "lemmas": [self.lemma(lemma) for lemma in given.lemmas],
            "steps": [self.step(step) for step in given.steps],
        }
        return {"version": VERSION, "terms": to_json(list(self.numbers)), **body}

    def term(self, term: UOp) -> int:
        return self.numbers.setdefault(term, len(self.numbers))

    def lemma(self, lemma: Lemma) -> dict[str, Any]:
        assuming = [[self.term(condition), holds] for condition, holds in lemma.assumptions]
        steps = [self.step(step) for step in lemma.steps]
        return {
            "before": self.term(lemma.before),
            "after": self.term(lemma.after),
            "assuming": assuming,
            "steps": steps,
        }

    def step(self, step: Step) -> dict[str, Any]:
        bindings = {
            name: {"term": self.term(value)} if isinstance(value, UOp) else encode_argument(value)
            for name, value in step.bindings.items()
        }
        return {
            "kind": step.kind.value,
            "name": step.name,
            "forwards": step.forwards,
            "position": list(step.position),
            "before": self.term(step.before),
            "after": self.term(step.after),
            "bindings": bindings,
            "premises": list(step.premises),
            "lemma": step.lemma,
        }


class _Reader:
    def __init__(self, document: Any) -> None:
        self.document = document
        version = document["version"]
        if version != VERSION:
            raise ExplanationError(
                f"the explanation is written in version {brief(version)}, and this eqsat reads version {VERSION}; make it again"
            )
        self.terms: Sequence[UOp] = from_json(document["terms"])

    def term(self, number: Any) -> UOp:
        if not isinstance(number, int) or number < 0:
            raise ExplanationError(f"there is no term {brief(number)}; terms are numbered from 0")
        return self.terms[number]

    def explanation(self, rules: RuleSet) -> Explanation:
        document = self.document
        lemmas = tuple(self.lemma(lemma) for lemma in document["lemmas"])
        steps = tuple(self.step(step) for step in document["steps"])
        return Explanation(self.term(document["before"]), self.term(document["after"]), steps, lemmas, rules)

    def lemma(self, document: Any) -> Lemma:
        assumptions = tuple((self.term(condition), bool(holds)) for condition, holds in document["assuming"])
        steps = tuple(self.step(step) for step in document["steps"])
        return Lemma(self.term(document["before"]), self.term(document["after"]), steps, assumptions)

    def step(self, document: Any) -> Step:
        return Step(
            StepKind(document["kind"]),
            str(document["name"]),
            bool(document["forwards"]),
            tuple(int(place) for place in document["position"]),
            self.term(document["before"]),
            self.term(document["after"]),
            {name: self.binding(value) for name, value in document["bindings"].items()},
            tuple(int(number) for number in document["premises"]),
            None if document["lemma"] is None else int(document["lemma"]),
        )

    def binding(self, value: Any) -> Any:
        if isinstance(value, dict) and "term" in value:
            return self.term(value["term"])
        return decode_argument(value)
