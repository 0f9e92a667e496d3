"""Cache keys of verdicts. A key covers the rule's declaration and the source of the verifier."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from eqsat.proof.proving.prover import prover_version
from eqsat.rules.language.notation import equation
from eqsat.rules.language.pattern import Constant, Node, Pattern
from eqsat.rules.language.rule import Rule
from eqsat.rules.language.scalar import Call, Operation, Pure, Scalar
from eqsat.runtime.cache import digest

# The verifier: its own code, the meaning of operations, and the reading of rules.
_VERIFIER = (
    "proof/**/*.py", "reference/**/*.py", "dtype.py", "ops/*.py", "shape.py", "uop/*.py", "rules/conversions/lossless.py",
    "rules/language/inference.py", "rules/language/instantiate.py", "rules/language/pattern.py", "rules/language/scalar.py",
)  # fmt: skip


_ROOT = Path(__file__).parents[1]


@cache
def verifier_fingerprint() -> str:
    """A digest of all code that decides about a rule, and of the version of Z3."""
    return digest(prover_version(), *(path.read_bytes() for path in _verifier_files()))


def _verifier_files() -> list[Path]:
    return sorted(path for pattern in _VERIFIER for path in _ROOT.glob(pattern))


@cache
def _verifier_modules() -> frozenset[str]:
    """The names of the verifier's modules. `verifier_fingerprint` covers their code, so a rule's fingerprint leaves it out."""
    names = [path.relative_to(_ROOT.parent).with_suffix("").parts for path in _verifier_files()]
    return frozenset(".".join(parts) for parts in names)


def rule_fingerprint(rule: Rule) -> str:
    """A digest of a rule's declaration: its equation, domain and class, and the code of the functions that it calls."""
    variables = [f"{name}: {variable.__class__.__name__}" for name, variable in rule.variables.items()]
    domain = sorted(dtype.name for dtype in rule.domain)
    functions = [_code_text(function.function) for function in _functions(rule)]
    return digest(rule.name, *variables, *domain, rule.soundness.value, equation(rule), *functions)


def _functions(rule: Rule) -> list[Pure]:
    """The functions that a rule's guard, constants and arguments call, in order of appearance."""
    found: dict[Pure, None] = {}
    stack: list[Pattern | Scalar] = [rule.left, rule.right, *([] if rule.where is None else [rule.where])]
    while stack:
        match stack.pop():
            case Call(function, operands):
                found[function] = None
                stack.extend(operands)
            case Operation(_, operands):
                stack.extend(operands)
            case Constant(value):
                stack.append(value)
            case Node(_, src, fields, dtype):
                stack.extend((*src, *fields, *([] if dtype is None else [dtype])))
            case _:
                continue
    return list(found)


def _code_text(function: Callable[..., Any]) -> str:
    """The code of a function and of the functions outside the verifier that it calls, and the globals that it reads."""
    parts: list[str] = []
    seen: set[int] = set()
    stack: list[Any] = [function]
    while stack:
        value = stack.pop()
        value = value.function if isinstance(value, Pure) else value
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType) and value.__module__ not in _verifier_modules():
            parts.append(value.__qualname__)
            stack.extend(cell.cell_contents for cell in value.__closure__ or ())
            stack.append(value.__code__)
            stack.extend(_globals_read(value))
        elif isinstance(value, CodeType):
            parts.append(f"{value.co_code!r} {value.co_names}")
            stack.extend(value.co_consts)
        else:
            parts.append(value.__qualname__ if isinstance(value, FunctionType) else repr(value))
    return "\n".join(parts)


def _globals_read(function: FunctionType) -> list[Any]:
    names: list[str] = []
    stack = [function.__code__]
    while stack:
        code = stack.pop()
        names += code.co_names
        stack += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [function.__globals__[name] for name in names if name in function.__globals__]
