"""The steps that programs are made of: one table for each kind, a row for each operation.

A new function is a row: `Operation("cbrt", unary("cbrt", "f"), TWO_ULPS)` where NumPy has it too; where NumPy lacks it,
`oracle` needs a method of that name. `forms` has the ways to draw operands and arguments, and `step` says what a row holds.
"""

from tests.drawn_arrays.operations.conversion import CONVERSION
from tests.drawn_arrays.operations.creation import CREATION
from tests.drawn_arrays.operations.elementwise import ELEMENTWISE
from tests.drawn_arrays.operations.functions import FUNCTIONS
from tests.drawn_arrays.operations.indexing import INDEXING
from tests.drawn_arrays.operations.movement import MOVEMENT
from tests.drawn_arrays.operations.neural import NEURAL
from tests.drawn_arrays.operations.products import PRODUCTS
from tests.drawn_arrays.operations.reductions import REDUCTIONS
from tests.drawn_arrays.operations.sorting import SORTING
from tests.drawn_arrays.operations.step import Choice, Operation
from tests.drawn_arrays.operations.windows import WINDOWS

POLYNOMIAL = frozenset(
    {
        *("add", "subtract", "multiply", "+", "-", "*", "negative", "positive", "square"),
        *("sum", "mean", "matmul", "vecdot", "outer", "tensordot", "einsum"),
        *("[:]", "[[]]", "take"),
    }
)  # sums, differences and products of elements whose places depend on no value
KINDS: dict[str, tuple[Operation, ...]] = {
    "exact": ELEMENTWISE,
    "movement": MOVEMENT,
    "indexing": INDEXING,
    "sorting": SORTING,
    "reduction": REDUCTIONS,
    "conversion": CONVERSION,
    "creation": CREATION,
    "products": PRODUCTS,
    "windows": WINDOWS,
    "function": FUNCTIONS,
    "neural": NEURAL,
    "polynomial": tuple(
        row
        for table in (ELEMENTWISE, REDUCTIONS, PRODUCTS, INDEXING)
        for row in table
        if row.name in POLYNOMIAL
    ),
}
WEIGHTS = {
    "exact": 10,
    "movement": 6,
    "indexing": 2,
    "sorting": 1,
    "reduction": 5,
    "conversion": 3,
    "creation": 1,
    "products": 3,
    "windows": 1,
    "function": 3,
    "neural": 2,
    "polynomial": 10,
}  # how often a kind is drawn
EVERY_KIND = tuple(kind for kind in KINDS if kind != "polynomial")  # whose rows are in others
__all__ = ["EVERY_KIND", "KINDS", "WEIGHTS", "Choice", "Operation"]
