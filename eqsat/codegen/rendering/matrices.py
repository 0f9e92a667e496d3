"""Instructions for products of matrices: PTX inside OpenCL C, which NVIDIA's compiler accepts.

Values of half precision are held in floats, one lane in each. Two of them are packed into a register, the lane with the lower number in its
lower half (PTX ISA, "mma", "cvt"). All threads of a warp must reach the instruction together.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.codegen.dialects import Dialect
from eqsat.fragments import OPERANDS, Instruction

_PACK = {"float16": "cvt.rn.f16x2.f32", "bfloat16": "cvt.rn.bf16x2.f32", "float32": "cvt.rna.tf32.f32"}


def function_name(row: Instruction) -> str:
    """The name of the function around an instruction.

    >>> from eqsat.fragments import INSTRUCTIONS
    >>> function_name(INSTRUCTIONS[0])
    'mma_m16n8k16_f16'
    """
    _, _, _, shape, _, _, _, kind, *_ = row.text.split(".")
    return f"mma_{shape}_{kind}"


def function(row: Instruction, dialect: Dialect) -> str:
    """The text of a function that takes a thread's fragments of a, b and c, and returns its fragment of a @ b + c."""
    held = [fragment.held for fragment in row.fragments]
    types = [dialect.value_type(row.made.vec(lanes)) for lanes in held]
    numbers = iter(range(held[2], held[2] + sum(held)))
    operands = [[f"%{next(numbers)}" for _ in range(lanes)] for lanes in held]
    packed = [_packed(row, name, lanes) for name, lanes in zip("ab", operands, strict=False)]
    registers = ", ".join(register for group, _ in packed for register in group)
    results = ", ".join(f"%{lane}" for lane in range(held[2]))
    groups = ", ".join(f"{{{', '.join(group)}}}" for group in (packed[0][0], packed[1][0], operands[2]))
    lines = [
        "{",
        f".reg .b32 {registers};",
        *(line for _, texts in packed for line in texts),
        f"{row.text} {{{results}}}, {groups};",
        "}",
    ]
    scalar = dialect.value_type(row.made)
    outputs = [f"d{lane}" for lane in range(held[2])]
    inputs = [
        f"{name}.s{lane:x}" for name, lanes in zip(OPERANDS, held, strict=True) for lane in range(lanes)
    ]
    parameters = ", ".join(f"const {kind} {name}" for kind, name in zip(types, OPERANDS, strict=True))
    body = "\n".join(f'        "{line}\\n"' for line in lines)
    return (
        f"{dialect.inline} {types[2]} {function_name(row)}({parameters}) {{\n"
        f"    {scalar} {', '.join(outputs)};\n"
        f"    asm volatile(\n{body}\n"
        f"        : {_constraints('=f', outputs)}\n"
        f"        : {_constraints('f', inputs)});\n"
        f"    return ({types[2]})({', '.join(outputs)});\n"
        "}"
    )


def _packed(row: Instruction, name: str, lanes: Sequence[str]) -> tuple[list[str], list[str]]:
    """The registers that hold a fragment, and the statements that pack its lanes into them."""
    pack = _PACK[row.given.name]
    each = 4 // row.given.itemsize  # lanes of a register
    registers = [f"{name}{number}" for number in range(len(lanes) // each)]
    texts = [
        f"{pack} {register}, {', '.join(reversed(lanes[number * each : (number + 1) * each]))};"
        for number, register in enumerate(registers)
    ]
    return registers, texts


def _constraints(kind: str, names: Sequence[str]) -> str:
    return ", ".join(f'"{kind}"({name})' for name in names)
