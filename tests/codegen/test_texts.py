"""Names of kernels and variables, and one text of several."""

import pytest

from eqsat.codegen import render_source
from eqsat.codegen.linearization.older_forms import modernize
from eqsat.codegen.rendering.code import Code, Level
from eqsat.codegen.rendering.join import join
from eqsat.codegen.rendering.names import Names, kernel_name
from eqsat.dtype import bool_, float32, index, int64, void
from eqsat.ops import ALU, TABLE, AxisType, Op, Stage
from eqsat.uop import UOp
from tests.forms import instructions
from tests.forms.form import Runs, after, argument, at, i, load, node, program, store

CALLED_SO_IN_OPENCL = (
    "as_float", "async_work_group_copy", "atom_add", "atomic_add", "bit_reverse", "bitfield_insert", "capture_event_profiling_info",
    "cl_khr_fp64", "clk_local", "commit_read_pipe", "convert_float4_rte", "create_user_event", "dot_acc_sat", "enqueue_kernel",
    "get_global_id", "half_cos", "intel_sub_group_shuffle", "is_valid_event", "lgamma_r", "mem_fence", "native_sin", "read_imagef",
    "release_event", "reserve_read_pipe", "retain_event", "set_user_event_status", "sub_group_all", "to_global", "vload_half",
    "vload_half4_rte", "vloada_half4_rte", "vstore_half4_rte", "vstorea_half4_rte", "wait_group_events", "work_group_barrier", "write_imagef",
    "abs_diff", "add_sat", "fast_distance", "fast_length", "fast_normalize", "mad_hi", "mad_sat", "mul_hi", "sub_sat",
    "vec_step", "size_t", "event_t", "kernel_exec",
)  # fmt: skip


@pytest.mark.parametrize("name", CALLED_SO_IN_OPENCL)
def test_no_kernel_has_the_name_of_something_in_opencl(name):
    assert kernel_name(name) not in (name, "kernel_exec")


@pytest.mark.parametrize(
    "name",
    [
        "matrix_product",
        "max_exp2_4096x1024",
        "a_b",
        "kernel_a",
        f"a_{'b' * 78}",
        "shuffle_rows",
        "as_rows",
        "abs_diff_x",
    ],
)
def test_other_names_are_kept(name):
    assert kernel_name(name) == name


@pytest.mark.parametrize(
    "name", ["max_float", "divide_int4", "a_uchar", "a_", "x", f"a_{'b' * 79}", "A_b", "kernel_float"]
)
def test_names_that_codegen_gives_itself_are_kept_free(name):
    assert kernel_name(name) != name
    assert kernel_name(name).startswith("kernel_")


def test_long_names_end_with_a_digest():
    assert kernel_name("A" * 40) == f"kernel_{'A' * 40}"
    assert kernel_name("A" * 41).startswith(f"kernel_{'A' * 40}_")
    assert len(kernel_name("A" * 41)) == len("kernel_") + 40 + 1 + 8


@pytest.mark.parametrize("op", sorted(ALU, key=lambda op: op.name), ids=lambda op: op.name)
def test_variables_are_named_by_what_they_hold(op):
    """A word of its own for each operation on floats; comparisons are conditions, and operations on bits just values."""
    sources = (UOp.const(float32, 1.0),) * TABLE[op].arity[0]
    name = Names(()).of(UOp(op, float32, sources))
    assert name.removesuffix("0").isalpha()
    assert (name == "value0") == (op in (Op.XOR, Op.OR, Op.AND, Op.CMPLT, Op.CMPNE))
    assert Names(()).of(UOp(op, bool_, sources)) == "condition0"
    assert Names(()).of(UOp(op, index, sources)) == "offset0"


def test_what_joins_or_takes_lanes_has_a_word() -> None:
    vector = UOp(Op.VCONST, float32.vec(2), (), (1.0, 2.0))
    one = UOp(Op.GEP, float32, (vector,), (0,))
    made = [UOp(Op.VECTORIZE, float32.vec(2), (one, one)), UOp(Op.CAT, float32.vec(4), (vector, vector)), one]
    names = Names(())
    assert [names.of(each) for each in made] == ["vector0", "vector1", "part0"]


def test_names_that_come_up_again_are_numbered():
    names = Names(())
    total = UOp(Op.ADD, float32, (UOp.const(float32, 1.0),) * 2)
    assert [names.of(total) for _ in range(3)] == ["sum0", "sum1", "sum2"]


def test_definitions_that_share_lines_stay_whole():
    """Only a definition as a whole stands once."""
    one, other = "int f(\n    int x);", "int g(\n    int x);"
    assert join([one, other]) == f"{one}\n{other}\n"
    assert join([f"{one}\n{other}", one]) == f"{one}\n{other}\n"
    one, other = "int f(int x)\n{\n    return x;\n}", "int g(int x)\n{\n    return x;\n}"
    assert join([one, other]) == f"{one}\n{other}\n"


def test_braces_and_ends_in_comments_are_no_code():
    one = "// f {\nint f(int x); // one }\n#define A 1\nint a[] = {\n    1, 2, // };\n};"
    assert join([one, one]) == f"{one}\n"
    assert join(["#define A 1\nint f();", "#define A 1\nint g();"]) == "#define A 1\nint f();\nint g();\n"


def test_text_after_the_last_definition_is_kept():
    assert join(["int f();\n// the end"]) == "int f();\n// the end\n"
    assert join(["", "int f();\n\n"]) == "int f();\n"


def test_blank_lines_between_definitions_are_dropped():
    assert join(["\n\nint f();\n\nint g();"]) == "int f();\nint g();\n"


LINEARS = [form for form in instructions.forms() if isinstance(form, Runs) and form.stage is Stage.LINEAR]


@pytest.mark.parametrize("form", LINEARS[::2], ids=lambda form: form.title)
def test_blocks_are_indented_by_four(form):
    depth = 0
    for line in render_source(modernize(form.graph), "some_form").splitlines():
        text = line.strip()
        depth -= text.startswith("}")
        if text and not text.startswith("#") and not line.startswith(" *"):
            assert len(line) - len(line.lstrip()) == 4 * depth, line
        depth += text.count("{") - text.count("}") + text.startswith("}")
    assert depth == 0


def test_addresses_that_follow_each_other_are_one_access():
    places = [at(argument(1, 4), i(lane)) for lane in range(4)]
    for order, accesses in (((0, 1, 2, 3), 1), ((3, 2, 1, 0), 4), ((0, 1, 3, 2), 4)):
        joined = node(Op.PTRCAT, float32.vec(4), *(places[lane] for lane in order))
        made = modernize(program(store(at(argument(0, 4), i(0)), load(joined)))).src
        assert sum(each.op is Op.LOAD for each in made) == accesses
        assert not any(each.op is Op.PTRCAT for each in made)
    moved = [node(Op.POINTER_INDEX, float32, each, i(0)) for each in places]
    made = modernize(
        program(store(at(argument(0, 4), i(0)), load(node(Op.PTRCAT, float32.vec(4), *moved))))
    ).src
    assert sum(each.op is Op.LOAD for each in made) == 4


def test_operators_of_one_level_need_no_parentheses():
    """What comes first is on the left; on the right they are asked for by a level above."""
    total = Code("a + b", Level.ADD)
    assert total.at(Level.ADD) == total.at(Level.TERNARY) == "a + b"
    assert total.at(Level.MULTIPLY) == total.at(Level.ATOM) == "(a + b)"


def test_what_a_load_waits_for_stays_among_its_sources():
    barrier = node(Op.BARRIER, void)
    address = at(argument(1, 4), i(0))
    made = modernize(program(barrier, store(at(argument(0, 4), i(0)), load(address, barrier)))).src
    (loaded,) = (each for each in made if each.op is Op.LOAD)
    assert loaded.src == (after(address, barrier),)
    (stored,) = (each for each in made if each.op is Op.STORE)
    assert stored.src[0].op is Op.INDEX, "it waits for nothing"


def test_a_clamped_row_has_a_pointer_of_its_own():
    """What a loop adds to it is an index; where nothing is added, or the sum has a variable, that is the index."""
    rows, columns = (node(Op.RANGE, index, i(4), arg=(number, AxisType.LOOP)) for number in (0, 1))
    row = node(Op.MIN, index, rows, i(3)) * 8

    def text(position: UOp, *others: UOp) -> str:
        """Of a kernel that stores what is at a position there and elsewhere."""
        value = load(at(argument(1, 32), position))
        stores = [store(at(argument(0, 99), place), value) for place in (columns, *others)]
        ends = [node(Op.END, void, stores[-1], loop) for loop in (columns, rows)]
        return render_source(program(rows, columns, *stores, *ends), "rows")

    assert "(in0 + min(i0, 3L) * 8)[i1]" in text(columns + row)
    assert "(in0 + min(i0, 3L) * 8)[i1 + 2]" in text(columns + row + 2)
    assert "in0[min(i0, 3L) * 8]" in text(row)
    assert "in0[offset0]" in text(columns + row, columns + row)


@pytest.mark.parametrize("lanes", [2, 4])
def test_of_two_scalars_in_all_lanes_c_widens_the_second(lanes):
    first, second = (load(at(argument(1, 8), i(number))) for number in (0, 1))
    left, right = (node(Op.VECTORIZE, float32.vec(lanes), *[each] * lanes) for each in (first, second))
    text = render_source(program(store(at(argument(0, 8), i(0)), left + right)), "both")
    assert f"= (float{lanes})(value0) + value1;" in text


@pytest.mark.parametrize("lanes", [2, 4])
def test_a_constant_index_beside_lanes_has_no_suffix(lanes):
    numbers = [load(at(argument(1, 8, int64), i(number))).cast(index) for number in range(lanes)]
    thrice = [node(Op.VECTORIZE, index.vec(lanes), *each) for each in (numbers, [i(3)] * lanes)]
    value = node(Op.CAST, int64.vec(lanes), thrice[0] * thrice[1])
    assert ") * 3;" in render_source(program(store(at(argument(0, 8, int64), i(0)), value)), "thrice")


def test_definitions_are_the_same_whatever_lines_are_before_them():
    one, other = "int f(int x) { return x; }", "int g();"
    assert join([f"{one}\n\n\n{other}", f"\n\n{one}\nint h();\n\n\n"]) == f"{one}\n{other}\nint h();\n"
