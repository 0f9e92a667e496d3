"""The elementary functions as C text: the same result on every device of a kind, in every number of lanes, in every lane.

The functions of drivers are not used: some are many units in the last place off, and in some one lane changes the result of another.
Each module holds one family. `FUNCTIONS` has all of them, by the lower-case name of the op and the dtype that they compute in.
"""

from eqsat.codegen.dialects import Dialect
from eqsat.codegen.functions.by_doubles import BY_DOUBLES
from eqsat.codegen.functions.by_table import BY_TABLE
from eqsat.codegen.functions.cancellation import CANCELLATION
from eqsat.codegen.functions.circular import CIRCULAR
from eqsat.codegen.functions.error_function import ERROR_FUNCTION
from eqsat.codegen.functions.error_table import ERROR_TABLE
from eqsat.codegen.functions.exponential import EXPONENTIAL
from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.codegen.functions.hyperbolic import HYPERBOLIC
from eqsat.codegen.functions.inverse_circular import INVERSE_CIRCULAR
from eqsat.codegen.functions.logaddexp import LOGADDEXP
from eqsat.codegen.functions.logarithm import LOGARITHM
from eqsat.codegen.functions.power import POWER
from eqsat.codegen.functions.relaxed import RELAXED
from eqsat.codegen.functions.relaxed_logarithm import RELAXED_LOGARITHM
from eqsat.codegen.functions.remainder import REMAINDER
from eqsat.dtype import DType, float32

FUNCTIONS: FunctionTable = {
    **EXPONENTIAL, **LOGARITHM, **POWER, **HYPERBOLIC, **CIRCULAR, **INVERSE_CIRCULAR, **ERROR_FUNCTION, **ERROR_TABLE, **REMAINDER,
    **CANCELLATION, **LOGADDEXP, **RELAXED, **RELAXED_LOGARITHM,
}  # fmt: skip


def found(name: str, dtype: DType, dialect: Dialect) -> Function | None:
    """The function of this name for values of `dtype`, in its number of lanes; None if there is none of that name.

    Args:
        name: the lower-case name of an op, of a form, or of a function that these call.
        dtype: the dtype of the operands, with lanes.
        dialect: the language. Where doubles are about half as fast as floats, some functions of float32 compute in doubles; where lanes are
            not work-items, some pick polynomials from a table.
    """
    ways = {
        **(BY_DOUBLES if dialect.doubles_are_fast else {}),
        **({} if dialect.items_are_lanes else BY_TABLE),
    }
    function = ways.get(name) if dtype.scalar == float32 else None
    function = function or FUNCTIONS.get((name, dtype.scalar))
    return function and function.of(dtype)


__all__ = ["FUNCTIONS", "Function", "FunctionTable", "found"]
