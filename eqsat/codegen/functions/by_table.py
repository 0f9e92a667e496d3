"""GELU of float32 on processors, by polynomials that each lane picks from a table.

x·Φ(x) is the positive part of x less a·Φ(-a), where a is the size of x. Of that function, 16 polynomials of degree 7 about 16 centres have all
digits up to 5.3; they take neither an exponential nor a division. A coefficient of all polynomials fills one register of AVX-512, from which one
instruction picks that of each lane. Graphics cards, whose lanes would wait for each other's loads, use `error_function`.

Centres are near multiples of 11/32, where a·Φ(-a) is so close to a float that its rounding error is below 10⁻⁴ units (S. Gal's accurate tables,
1986). Polynomials are minimax, with coefficients rounded one after the other: 3e-8, relative and before rounding.
"""

from __future__ import annotations

from eqsat.codegen.functions.format import SIGNED, SIZE, function, literal
from eqsat.codegen.functions.function import Function
from eqsat.dtype import float32

ROWS = 16
_STEP = 11 / 32
_SHIFT = 12582912.0  # 1.5·2^23: in a sum with it, the low bits are a whole number

# a centre, then the coefficients of the polynomial in a less the centre, the constant first
_GELU = (
    (0.0, 0.0, 0.5, -0.3989423, 9.3133747e-07, 0.06646535, 0.00029660604, -0.011602761, 0.0035819395),
    (0.34368086, 0.12563019, 0.23629726, -0.353854, 0.08362018, 0.04993948, -0.018041162, -0.0063357563, 0.0034279122),
    (0.6873966, 0.16904211, 0.0293893, -0.24057592, 0.12729917, 0.012018117, -0.023489177, 0.0011366779, 0.002761504),
    (1.031358, 0.15592739, -0.09054885, -0.109727636, 0.11830144, -0.02260275, -0.014978216, 0.006264785, 0.0011765998),
    (1.3748026, 0.11630325, -0.12857279, -0.008521615, 0.07496278, -0.03655574, -0.0014652339, 0.0060314834, 0.00031197496),
    (1.7188919, 0.07359785, -0.11370581, 0.043462597, 0.027271193, -0.030172866, 0.0075636306, 0.0023661612, -0.0023057975),
    (2.0618203, 0.040437296, -0.07857268, 0.05359943, -0.0041089877, -0.015250381, 0.008739784, -0.00087785, -0.0008017699),
    (2.4064522, 0.019381942, -0.045008015, 0.04179583, -0.015838759, -0.0027579246, 0.0053540003, -0.00196738, 0.00042484325),
    (2.7497184, 0.008200553, -0.022041779, 0.025304012, -0.014851816, 0.0031254182, 0.0016810608, -0.0014608273, 0.00017062046),
    (3.093279, 0.0030616967, -0.009327915, 0.0126222465, -0.009575379, 0.0039711813, -0.00037497465, -0.00054707826, 0.00040321497),
    (3.4372065, 0.0010101044, -0.0034356539, 0.0053245323, -0.0048573203, 0.0027523476, -0.0008588296, -1.3108141e-06, 0.00013966796),
    (3.7812824, 0.00029498266, -0.001107094, 0.0019271953, -0.0020340483, 0.0014149118, -0.00064377714, 0.00015741512, 1.611584e-05),
    (4.1238303, 7.683179e-05, -0.00031511014, 0.0006072171, -0.0007234417, 0.00058721984, -0.000333845, 0.00012958316, -3.2154112e-05),
    (4.467651, 1.7665812e-05, -7.860231e-05, 0.00016593823, -0.00021959915, 0.00020222692, -0.00013537766, 6.678921e-05, -2.344172e-05),
    (4.8113623, 3.6062368e-06, -1.7296921e-05, 3.9663268e-05, -5.7596357e-05, 5.90421e-05, -4.496115e-05, 2.6324256e-05, -1.2231104e-05),
    (5.1558814, 6.50777e-07, -3.3472481e-06, 8.280711e-06, -1.3073539e-05, 1.47237315e-05, -1.251745e-05, 8.340953e-06, -4.1555636e-06),
)  # fmt: skip
END = 5.328  # just below 15.5 steps; from here on, the last digit of x is more than a·Φ(-a)

_PICK_TEXT = """\
// The element of a column that each lane of `row` names by its lowest bits.
$inline $T pick_$T(const $U row, ${in_table}const $S *column) {
$picked
}"""
_GELU_TEXT = f"""\
$table $S gelu_table_$T[] = {{$columns}};

$inline $T gelu_$T(const $T x) {{
$contracted
    {SIZE}
    const $U row = as_$U(size * $steps + $shift);
    const $T r = size - pick_$T(row, gelu_table_$T);
    $polynomial
    const $T line = x > 0.0f ? x : ($T)(0.0f);
    $T y = x > $end ? x : line - p;
    const $I far = x < -$end;
    if (any_lane_$T(far)) {{
        const $T tail = gelu_tail_$T(size);
        y = far ? tail : y;
    }}
    return {SIGNED};
}}"""


def _columns(rows: tuple[tuple[float, ...], ...]) -> str:
    return ",\n    ".join(
        ", ".join(literal(each, float32) for each in column) for column in zip(*rows, strict=True)
    )


def _picked_polynomial(name: str, degree: int) -> str:
    """Statements that declare `p`, the polynomial in `r` whose coefficients are the columns after the first."""
    column = [f"pick_$T(row, {name}_table_$T + {ROWS * (1 + power)})" for power in range(degree + 1)]
    first, *others = reversed(column)
    return "\n    ".join((f"$T p = {first};", *(f"p = p * r + {each};" for each in others)))


BY_TABLE: dict[str, Function] = {
    "pick": function(_PICK_TEXT, float32),
    "gelu": function(
        _GELU_TEXT, float32, ("pick", "any_lane", "gelu_tail"), columns=_columns(_GELU), steps=1 / _STEP, shift=_SHIFT,
        end=END, polynomial=_picked_polynomial("gelu", len(_GELU[0]) - 2),
    ),
}  # fmt: skip
"""Functions by name; each takes and returns float32. A name that `FUNCTIONS` has too is the same function, computed in another way."""
