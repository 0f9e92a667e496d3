"""Matrix instructions in PTX: their text does to the registers of 32 threads what the manual says, and is written only where it may be.

No card was at hand: the text is read and carried out here, with the layouts of the PTX ISA.
"""

import re

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, OPENCL_NVIDIA, render
from eqsat.codegen.linearization.matrices import cycles_of_multiply_adds, instruction_for
from eqsat.dtype import float32
from eqsat.fragments import Product
from eqsat.machine import price
from eqsat.ops import Op
from eqsat.uop import toposort
from tests.fragments import CASES, NVIDIA, PLAIN, Case, drawn, in_fragments, kernel


def admitted(name: str) -> Case:
    case = NVIDIA[name]
    return case._replace(arg=("tf32", *case.arg[1:])) if "tf32" in name else case


CONVERT = re.compile(r"cvt\.(?:rn|rna)\.(?:f16x2|bf16x2|tf32)\.f32 (\w+), ([%\d, ]+);")
MULTIPLY = re.compile(r"(mma\.\S+) \{(.*?)\}, \{(.*?)\}, \{(.*?)\}, \{(.*?)\};")
OUTPUTS, INPUTS = re.compile(r'"=f"\((\w+)\)'), re.compile(r'"f"\((\w)\.s([0-9a-f])\)')


def carried_out(source: str, case: Case, fragments: list[np.ndarray]) -> np.ndarray:
    """The fragments of the result, from what each thread holds: (32, lanes) of a, b and c."""
    outputs, inputs = OUTPUTS.findall(source), INPUTS.findall(source)
    operand = {
        f"%{len(outputs) + place}": ("abc".index(name), int(lane, 16))
        for place, (name, lane) in enumerate(inputs)
    }
    # The operand of the lower half of a register comes last.
    packed = {
        name: [operand[each] for each in reversed(given.split(", "))]
        for name, given in CONVERT.findall(source)
    }
    ((text, made, a, b, c),) = MULTIPLY.findall(source)
    lanes = [[lane for register in each.split(", ") for lane in packed[register]] for each in (a, b)]
    lanes.append([operand[each] for each in c.split(", ")])
    columns, rows, inner = case.arg[1]
    assert f"m{rows}n{columns}k{inner}" in text
    matrices = []
    for number, (shape, places) in enumerate(
        zip(((rows, inner), (inner, columns), (rows, columns)), case.places, strict=True)
    ):
        matrix = np.full(shape, np.nan)
        for thread in range(32):
            for position, (which, lane) in enumerate(lanes[number]):
                assert which == number
                matrix[places(thread, position)] = fragments[number][thread, lane]
        matrices.append(matrix)
    result = matrices[0] @ matrices[1] + matrices[2]
    order = [
        f"%{outputs.index(name)}" for name in re.search(r"return \(float4\)\((.*?)\)", source)[1].split(", ")
    ]
    places = [made.split(", ").index(each) for each in order]
    return np.array([[result[case.places[2](thread, place)] for place in places] for thread in range(32)])


@pytest.mark.parametrize("name", NVIDIA)
def test_text_multiplies_the_fragments_of_a_warp(name: str):
    case = admitted(name)
    source = render(kernel(case), OPENCL_NVIDIA).source
    inputs, expected = drawn(case)
    fragments = [inputs[slot].reshape(32, lanes) for slot, lanes in enumerate(case.lanes)]
    np.testing.assert_array_equal(carried_out(source, case, fragments).reshape(-1), expected)


@pytest.mark.parametrize("name", NVIDIA)
def test_sum_over_a_range_accumulates_in_the_instruction(name: str):
    linear = render(kernel(admitted(name), steps=3), OPENCL_NVIDIA).linear
    (product,) = (node for node in linear.src if node.op is Op.WMMA)
    assert product.src[2].op is Op.LOAD
    assert not any(node.op is Op.DEFINE_LOCAL for node in linear.src)


def test_instruction_is_no_part_of_a_gated_statement():
    source = render(kernel(admitted("m16n8k16 f16")), OPENCL_NVIDIA).source
    assert len(re.findall(r"const float4 \w+ = mma_m16n8k16_f16\(", source)) == 1


@pytest.mark.parametrize("dialect", [OPENCL_CPU, OPENCL_GPU], ids=lambda each: each.name)
@pytest.mark.parametrize("name", NVIDIA)
def test_other_devices_multiply_and_add(name: str, dialect):
    linear = render(kernel(admitted(name)), dialect).linear
    assert not any(node.op is Op.WMMA for node in linear.src)


@pytest.mark.parametrize("case", [NVIDIA["m16n8k8 tf32"], *PLAIN.values()], ids=["floats, not tf32", *PLAIN])
def test_instruction_is_written_only_where_it_is_meant(case: Case):
    linear = render(kernel(case), OPENCL_NVIDIA).linear
    assert not any(node.op is Op.WMMA for node in linear.src)


def test_instruction_is_chosen_by_its_price(monkeypatch):
    case = admitted("m16n8k16 f16")
    (product,) = (node for node in toposort([kernel(case)]) if node.op is Op.WMMA)
    assert instruction_for(product, OPENCL_NVIDIA.matrices)
    monkeypatch.setattr("eqsat.codegen.linearization.matrices.cycles_of_multiply_adds", lambda product: 3.0)
    assert not instruction_for(product, OPENCL_NVIDIA.matrices)


def test_more_to_multiply_costs_more():
    small, large = (
        cycles_of_multiply_adds(Product.of(CASES[name].arg)) for name in ("m16n8k8 f16", "m16n8k16 f16")
    )
    assert 0 < small < large


def test_fragments_of_the_manual_cover_the_matrices():
    for case in NVIDIA.values():
        matrix = np.arange(case.arg[1][1] * case.arg[1][0]).reshape(case.arg[1][1], case.arg[1][0])
        assert sorted(in_fragments(case, 2, matrix)) == sorted(matrix.reshape(-1))


def test_one_thread_holds_all_and_only_multiplies():
    alone = Product("mma", 2, 3, 4, float32, float32, "HOST", 1)
    assert cycles_of_multiply_adds(alone) == 2 * 3 * 4 * price(Op.MULACC, float32).cycles
