"""Compiled graphs, which are called on NumPy arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from math import prod
from typing import Any, NamedTuple, NoReturn, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from eqsat.array.data import as_host, collect_params, is_host
from eqsat.codegen import RenderedKernel
from eqsat.dtype import DType, to_numpy
from eqsat.errors import DeviceError, ExecutionError, brief, shortened
from eqsat.extents import Extent, capacity
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning.place import suited
from eqsat.pipeline.planning.planned import Compilation
from eqsat.pipeline.programs.known import MOST_KNOWN, Items, KnownCalls
from eqsat.pipeline.programs.saving import PartToSave, document, write
from eqsat.runtime import Device, Executable
from eqsat.runtime.device import Direct, Signature
from eqsat.runtime.executable import NONE, require_dtype
from eqsat.schedule.kernel import Schedule
from eqsat.shape import Shape
from eqsat.specialization.binding import Binding
from eqsat.uop import UOp
from eqsat.uop.limits import is_size


class Call(NamedTuple):
    """A resolved call of a program with dims: the program for its extents, the executable, the values of all variables, and the result shapes."""

    program: Program
    executable: Executable
    values: Mapping[str, int]
    shapes: tuple[Shape, ...]


class Program:
    """A compiled graph. Call it on NumPy arrays, and on values of its variables by name.

    Attributes:
        kernels: the rendered kernels, with `.name`, `.source`, `.global_size`, `.local_size`, in the order they run.
        schedule: the kernels and buffers as planned.
        device: the device that it runs on.
        variables: the integers of the graph to which each call gives values, by name.
    """

    _binding: Binding | None = None  # how calls find the extents that only they know
    direct: Direct | None = None  # the direct call for arrays like those of earlier calls, after many calls

    def __init__(self, closed: Closed, compilation: Compilation, device: Device) -> None:
        self.device = device
        self._compilation = compilation
        self.schedule = compilation.schedule
        self.kernels = compilation.kernels
        self._shapes = compilation.shapes
        self._arguments = compilation.arguments
        self._closed = closed
        self.variables = closed.variables
        self._bind(closed.binding)
        self._reads_all_in_order = self._arguments == tuple(range(len(closed.shapes)))
        self._executables: dict[Device, Executable] = {}
        self._executable = self._on(suited(device, self.schedule))

    def __repr__(self) -> str:
        names = ", ".join(kernel.name for kernel in self.kernels)
        return f"Program(kernels=[{shortened(names)}], device={self.device.name!r})"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise ExecutionError(
            "a compiled program is not pickled; save it by program.save(path), or pickle its graph and compile that there"
        )

    def __copy__(self) -> Program:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Program:
        return self

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that compute a part of it."""
        return (self.device,)

    def __call__(self, *arrays: Any, **values: int) -> Any:
        """Runs the program. Returns one array, or a tuple if the graph has several outputs.

        Raises:
            ExecutionError: the arrays or the values of variables do not fit what was compiled.
        """
        made = None if self.direct is None or values else self.direct(arrays)
        results = self.run(arrays, values) if made is None else made
        return results[0] if len(results) == 1 else results

    def run(self, arrays: Sequence[Any], values: Mapping[str, int] = NONE) -> tuple[NDArray[Any], ...]:
        """Runs the program. Returns a tuple of all results."""
        if values is not NONE:
            self._require_values(values)
        return self.run_on(self._fitting(arrays), values)

    def run_on(
        self, arrays: list[NDArray[Any]], values: Mapping[str, int] = NONE
    ) -> tuple[NDArray[Any], ...]:
        """Runs the program on arrays whose number and shapes are known to fit."""
        if self.direct is not None and not values and (made := self.direct(arrays)) is not None:
            return made
        if values or self.variables:
            self._require_values(values)
        if self._binding is not None or values:
            return self._run_for(arrays, values)
        flat = self._executable(*self._inputs(arrays), values=values)
        if self._executable.is_called_often and self.direct is None:
            signature = Signature(arrays, self._closed.captured, self._arguments, self._shapes)
            self.direct = self._executable.direct(signature)
        return tuple(map(np.ndarray.reshape, flat, self._shapes))

    def _run_for(self, arrays: list[NDArray[Any]], values: Mapping[str, int]) -> tuple[NDArray[Any], ...]:
        """Runs the program for the extents of these arrays and these values of variables."""
        given, items = tuple([array.shape for array in arrays]), tuple(values.items())
        call = self._call(given, items)
        quicker = self._quicker(arrays, given, items, call)
        if quicker is not None and (made := quicker(arrays)) is not None:
            return made
        flat = call.executable(*call.program._inputs(arrays), values=call.values)
        return tuple(map(np.ndarray.reshape, flat, call.shapes))

    def _quicker(
        self, arrays: list[NDArray[Any]], given: tuple[Shape, ...], items: Items, call: Call
    ) -> Direct | None:
        """The direct call for these shapes and values, if the kernels were called often and there is one."""
        if (given, items) in self._known or not call.executable.is_called_often:
            return self._known.get((given, items))
        program = call.program
        signature = Signature(arrays, program._closed.captured, program._arguments, call.shapes, fit=True)
        found = call.executable.direct(signature, call.values)
        if found is not None or call.executable.has_direct:
            self._known.add((given, items), found)
            self.direct = self._known.direct
        return found

    def _on(self, device: Device) -> Executable:
        """The executable on a device, which is the program's device or its part that is faster for little work."""
        if device not in self._executables:
            self._executables[device] = _executable(device, self.device, self.schedule, self.kernels)
        return self._executables[device]

    def _suited(self, values: Mapping[str, int]) -> Executable:
        """The executable on the device that is fastest for these values of variables, by the share of the buffers' capacity that they use."""
        shapes = [spec.shape for spec in self.schedule.buffers]
        whole = sum(prod(map(capacity, shape)) for shape in shapes)
        used = sum(
            prod(extent.at(values) if isinstance(extent, Extent) else extent for extent in shape)
            for shape in shapes
        )
        return self._on(suited(self.device, self.schedule, used / max(1, whole)))

    def _bind(self, binding: Binding | None) -> None:
        """Sets how calls find the values of dims in the shapes of arrays. Forgets all calls so far."""
        self._binding = binding
        self._call = lru_cache(MOST_KNOWN)(self._found)
        self._known = KnownCalls()

    def _found(self, given: tuple[Shape, ...], values: Items) -> Call:
        """What a call on arrays of these shapes runs, with the values of variables that it gives by name.

        Raises:
            ExtentError: an extent is out of bounds, or two arrays disagree about one.
        """
        if self._binding is None:
            return Call(self, self._executable, dict(values), self._shapes)
        known = {**dict(values), **self._binding.values(given)}
        return self._prepared(known, self._binding.shapes(tuple(known.items())))

    def _prepared(self, values: Mapping[str, int], shapes: tuple[Shape, ...]) -> Call:
        """What a call with these values of all variables runs; its results have these shapes."""
        executable = self._executable if self._closed.dynamic is None else self._suited(values)
        return Call(self, executable, values, shapes)

    def profile(self, *arrays: Any, repeats: int = 5, values: Mapping[str, int] = NONE) -> tuple[float, ...]:
        """The seconds that each kernel takes on the device: the median of `repeats` runs."""
        if not is_size(repeats) or not repeats:
            raise ExecutionError(
                f"repeats says how many runs are timed, and {brief(repeats)} is no number from 1"
            )
        self._require_values(values)
        given = self._fitting(arrays)
        if self._binding is None:
            return self._executable.profile(*self._inputs(given), repeats=repeats, values=values)
        call = self._call(tuple([array.shape for array in given]), tuple(values.items()))
        return call.executable.profile(*call.program._inputs(given), repeats=repeats, values=call.values)

    def _of_all(self, arrays: list[NDArray[Any]], values: Mapping[str, int]) -> Mapping[str, int]:
        """The values of all variables: those that a call gives by name, and those found in the shapes of its arrays."""
        self._require_values(values)
        if self._binding is None:
            return values
        return {**values, **self._binding.values(tuple(array.shape for array in arrays))}

    @property
    def inputs(self) -> int:
        """The number of arrays that it is called on."""
        return len(self._closed.shapes)

    @property
    def uop(self) -> UOp:
        """The program as a UOp with everything that compilation made: `stage("binary")`."""
        return self.stage("binary")

    def stage(self, step: str) -> UOp:
        """The program at a step: "sink", "linear", "source" or "binary".

        The UOp is a SINK of the results, which are buffers AFTER CALLs of PROGRAMs, one for each kernel. Its PARAMs are the arguments of the program,
        followed by data of the graph. `print(program.stage("linear").pretty())` shows it; `evaluate` and `compile` take it, too.

        Raises:
            BuildError: there is no such step.
            ExecutionError: the program runs on several devices; look at its parts.
        """
        from eqsat.pipeline.planning.staging import called_programs  # imported here, since it is seldom used

        kernels = self.kernels
        if isinstance(step, str) and step == "binary":  # pyright: ignore[reportUnnecessaryIsInstance]
            pairs = zip(kernels, self._executable.binaries, strict=True)
            kernels = [replace(kernel, binary=binary) for kernel, binary in pairs]
        name = self.device.name
        return called_programs(self.schedule, kernels, self._arguments, self._shapes, name, step)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the program, with its binaries and the data of its graph, to a file. `eqsat.load` reads it without compiling.

        If the program is saved after a first run, the file also has what drivers compile at a launch.

        Raises:
            ExecutionError: the program runs on several devices; save its parts.
            GraphFileError: the file cannot be written.
        """
        write(self._document(), path)

    def _document(self) -> dict[str, Any]:
        """The program as JSON, for its file.

        Raises:
            ExecutionError: the program runs on several devices; save its parts.
        """
        return document(self._closed, self._parts_to_save(), self.device)

    def _parts_to_save(self) -> list[PartToSave]:
        """The parts of the program, which its file holds besides the graph."""
        return [PartToSave({}, self._compilation, self._executable)]

    def _repr_html_(self) -> str:
        from eqsat.show.summary import table_html

        titles = ("kernel", "work-items", "group", "predicted ms")
        pairs = zip(self.kernels, self.schedule.kernels, strict=True)
        return table_html(titles, [
            (kernel.name, str(kernel.global_size), str(kernel.local_size or "any"), f"{planned.predicted_seconds * 1e3:,.3g}")
            for kernel, planned in pairs
        ])  # fmt: skip

    def _require_values(self, values: Mapping[str, int]) -> None:
        """Checks that each variable has a value within its bounds, and that there are no other values."""
        if values is NONE and not self.variables:
            return
        if not isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ExecutionError(f"values are given by the names of variables, not as {brief(values)}")
        if strange := sorted(
            values.keys() ^ self.variables.keys(), key=lambda name: (name in self.variables, brief(name))
        ):  # a name that does not exist is told first: it may be a mistyped one
            given: Any = values.get(strange[0])
            if is_host(given) and np.ndim(given):
                raise ExecutionError(
                    f"array {brief(strange[0])} is given by name, and a compiled graph knows its {self.inputs} arrays by their order only; "
                    f"give them in order, or call the function that jit makes, which takes arrays by name"
                )
            if strange[0] in self._dims - self.variables.keys():
                raise ExecutionError(
                    f"dim {brief(strange[0])} takes its value from the shapes of the arrays; do not give it by name, or pass arrays of other shapes"
                )
            known = ", ".join(self.variables) or "none"
            raise ExecutionError(
                f"variable {brief(strange[0])} has {'no value' if strange[0] in self.variables else 'a value and is not in the program'}; "
                f"give values by name, as in program(x, n=3), of all its variables: {known}"
            )
        for name, variable in self.variables.items():
            value: Any = values[name]
            is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not is_whole or not variable.least <= value <= variable.greatest:
                raise ExecutionError(
                    f"variable {name!r} is {brief(value)} and must be an integer in {variable.least}..{variable.greatest}; "
                    "compile the program for other bounds, or give another value"
                )

    @property
    def _dims(self) -> set[str]:
        """The names of the dims. Shapes of arrays give them values, except to those that are variables, because no shape tells them."""
        dynamic = self._closed.dynamic
        return set() if dynamic is None else {dim.name for extent in dynamic.known for dim in extent.dims}

    def _inputs(self, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """The arrays that the kernels read, among the caller's arrays and the captured ones."""
        if self._reads_all_in_order:
            return arrays
        given = [*arrays, *self._closed.captured]
        return [given[slot] for slot in self._arguments]

    def _fitting(self, arrays: Sequence[Any]) -> list[NDArray[Any]]:
        """The arrays as NumPy arrays, after a check that their number and shapes are those of the program."""
        try:
            given = [array if type(array) is np.ndarray else _as_array(array) for array in arrays]
        except (TypeError, ValueError) as error:
            raise ExecutionError(
                f"{brief(arrays)} are no arrays that the program takes ({shortened(str(error))}); give NumPy arrays in a list"
            ) from error
        if self._binding is not None:
            self._require_number(given)
        elif tuple([array.shape for array in given]) != self._closed.shapes:
            self._require_shapes(given)
        if [array.dtype for array in given] != self._usual_dtypes:
            for position, array in enumerate(given):
                if position in self._dtypes:
                    require_dtype(f"argument {position} of the program", array, self._dtypes[position])
        return given

    @cached_property
    def _usual_dtypes(self) -> list[np.dtype | None]:
        """NumPy's dtypes of the caller's arrays, with which calls need no other check; None for an array that the graph does not read."""
        return [to_numpy(self._dtypes[slot]) if slot in self._dtypes else None for slot in range(self.inputs)]

    @cached_property
    def _dtypes(self) -> dict[int, DType]:
        """The dtypes of the arrays that the graph reads, by their places."""
        return dict(self._params())

    def _params(self) -> Iterable[tuple[int, DType]]:
        """The slot and the dtype of each array that is read."""
        buffers, inputs = self.schedule.buffers, self.schedule.inputs
        return zip(self._arguments, (buffers[number].dtype for number in inputs), strict=True)

    def _require_shapes(self, given: Sequence[NDArray[Any]]) -> None:
        """Checks the number of arrays, and their shapes where the program knows them."""
        self._require_number(given)
        wanted = self._closed.shapes
        for position, (shape, array) in enumerate(zip(wanted, given, strict=True)):
            # a flat array has the elements in row-major order, as the graph's PARAMs have
            if shape is not None and array.shape not in (shape, (prod(shape),)):
                raise ExecutionError(
                    f"argument {position} of the program has shape {array.shape} and must be {shape}; "
                    f"reshape it, or compile again"
                )

    def label_arguments(self, labels: Sequence[str]) -> None:
        """Sets the names by which messages about extents call the arguments."""
        if self._closed.dynamic is not None:
            self._bind(Binding(self._closed.shapes, self._closed.dynamic.outputs, labels))

    def _require_number(self, given: Sequence[NDArray[Any]]) -> None:
        wanted = len(self._closed.shapes)
        if len(given) != wanted:
            raise ExecutionError(
                f"the program takes {wanted} arrays and was given {len(given)}; pass one per input"
            )


def _executable(
    chosen: Device, device: Device, schedule: Schedule, kernels: Sequence[RenderedKernel]
) -> Executable:
    """The executable on the chosen device, which is `device` or a part of it.

    Binaries may be for either: if the part rejects them, `device` is used.
    """
    if chosen is device or all(kernel.binary is None for kernel in kernels):
        return Executable(chosen, schedule, kernels)
    try:
        return Executable(chosen, schedule, kernels)
    except DeviceError:
        return Executable(device, schedule, kernels)


def _as_array(value: Any) -> NDArray[Any]:
    return as_host(value) if is_host(value) else np.asarray(value)


def params_of(closed: Closed) -> Iterable[tuple[int, DType]]:
    """The slot and the dtype of each PARAM of a graph without functions."""
    for param in collect_params(closed.sink if closed.graph is None else closed.graph):
        yield param.arg[0], param.dtype.scalar
