"""Functions as someone writes them who has not read the manual, with inputs; each computes what Python computes for each member.

`python -m tests.autobatch.frontend.outsiders` compares their kernels with the interpreter.
"""

import numpy as np

import eqsat as eq
from eqsat.autobatch.batch_program import BatchProgram
from tests.autobatch.frontend import outsiders_flow, outsiders_values

CASES = outsiders_values.CASES + outsiders_flow.CASES


def main():
    """Compares the kernels with the interpreter, and says where they differ."""
    from tests.autobatch.agreement import differences

    wrong = 0
    with np.errstate(all="ignore"):
        for function, inputs in CASES:
            program = BatchProgram(function.program(*inputs), eq.Plan(strict=True), function.source.name)
            for line in differences(program, function.inputs(*inputs)):
                wrong += 1
                print(f"{function.source.name}: {line}")
    print(f"{len(CASES)} functions, {wrong} differences")


if __name__ == "__main__":
    main()
