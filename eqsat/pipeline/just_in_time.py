"""Functions on arrays, which are traced and compiled when they are called."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MethodType
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from eqsat.array import Array, placeholder
from eqsat.array.data import as_host, is_host
from eqsat.dtype import from_numpy
from eqsat.errors import BuildError, brief
from eqsat.pipeline.compilation import compile_for_calls
from eqsat.pipeline.functions.captured import Read, reads_of, unchanged_by
from eqsat.pipeline.functions.dynamic import DynamicAxes
from eqsat.pipeline.functions.fingerprints import fingerprint, print_of_constant
from eqsat.pipeline.functions.nested import Place, has_arrays, leaves_of, mapped, reader_of, structure_of
from eqsat.pipeline.functions.tracing import Slots, rebuild, trace_results
from eqsat.pipeline.functions.views import View, view_of
from eqsat.pipeline.planning.plan import Plan
from eqsat.pipeline.programs.program import Program
from eqsat.runtime.device import Direct
from eqsat.shape import Shape

_SHAPE = object()  # stands in a key where a shape will be
# Most signatures for which a function caches compiled programs, about half a MiB each. Beyond that, the oldest is dropped.
_MOST_SIGNATURES = 512
# Most programs whose direct calls are tried before signatures are looked up. A call that refuses takes 0.1 µs.
_MOST_QUICK = 4
_MOST_STATES = 32  # most compiled programs for one signature, each for other values that the function reads


def jit(
    function: Callable[..., Any] | None = None,
    *,
    plan: Plan | None = None,
    dynamic: Mapping[str | int, Mapping[int, int]] | None = None,
) -> Callable[..., Any]:
    """Turns a function on eqsat arrays into a function on NumPy arrays.

    The function is traced and compiled once for each combination of shapes, dtypes and strides. An array that is not contiguous, such as `x.T` or
    `x[::2]`, is read in place. It is copied first if it is small, or if its elements lie further apart than cache lines. NumPy arrays and scalars,
    and objects that convert to them, are data, also inside tuples, lists and dicts. All other arguments are constants of the program: Python numbers,
    strings, None, functions and objects, also inside tuples, lists, dicts and sets. Another value, or the same value of another type, compiles
    another program; so pass numbers that change as NumPy arrays or scalars. Globals, closure cells and attributes that the function reads are
    constants, too, and so are those that functions read which it calls. Each call compares them (arrays by their bytes), and a change compiles
    again. Called on eqsat arrays, for example inside another traced function, the function is only traced. Results have the structure of tuples,
    lists and dicts that the function returns.

    With `dynamic`, one program serves all extents of some axes, within the bounds of their dims. `dynamic={"x": {0: eqsat.dim("n", 1, 4096)}}`
    makes axis 0 of the argument `x` such an axis. An argument may be named by its position, too. Arrays inside a tuple, list or dict are named
    by their places: `dynamic={"batch": {"x": {0: n}, "y": {0: n}}}`.

    Raises:
        BuildError: the function does not return arrays, or reads an array of another traced function, or of an earlier call; `dynamic` names no
            argument, or gives an axis something else than a dim.
        DTypeError: eqsat has no such dtype.
        ExtentError: (when the result is called) an extent is out of bounds, or two arrays that share a dim disagree.

    >>> import numpy as np
    >>> import eqsat as eq
    >>> n = eq.dim("n", 1, 4096)
    >>> centred = eq.jit(lambda x: x - eq.mean(x, axis=0), dynamic={"x": {0: n}})
    >>> [centred(np.arange(count, dtype=np.float32)).tolist() for count in (1, 2, 3)]
    [[0.0], [-0.5, 0.5], [-1.0, 0.0, 1.0]]
    """
    if function is None:
        return functools.partial(jit, plan=plan, dynamic=dynamic)
    if not callable(function):
        raise BuildError(
            f"jit makes a function of a function, and {brief(function)} is none; give one to it, or write @jit"
        )
    return _Jitted(function, plan, DynamicAxes.of(function, dynamic))


@dataclass(frozen=True, slots=True)
class _State:
    """A compiled program, and the values that the function read besides its arguments."""

    reads: tuple[Read, ...]
    held: tuple[Any, ...]  # constants; keys have the identities of some, so they must live as long
    program: Program
    structure: Any

    def is_current(self) -> bool:
        return _are_unchanged(self.reads)


def _are_unchanged(reads: Sequence[Read]) -> bool:
    for read in reads:  # a generator would take longer than most reads  # noqa: SIM110
        if not read.is_unchanged():
            return False
    return True


_Quick = Callable[[Sequence[Any]], Any]  # returns None if anything about the arguments differs
_Quicks = tuple[tuple[_State, _Quick], ...]


def _quick(key: Sequence[Any], state: _State, arguments: Sequence[Any]) -> _Quick | None:
    """The direct call of a program for arrays like these, in the same containers, with the very same constants; None if there is none.

    `key` is the key of a call with these arguments. It was made before the function was traced, which may have changed an object.
    """
    direct, structure, reads = state.program.direct, state.structure, state.reads
    read = reader_of(arguments)
    leaves = read(arguments) or ()
    kinds = [cast("type[Any]", type(value)) for value in leaves]
    scalars: dict[int, Any] = {
        place: kind for place, kind in enumerate(kinds) if issubclass(kind, np.generic)
    }
    is_data = [kind is np.ndarray or place in scalars for place, kind in enumerate(kinds)]
    objects = [
        value
        for value, kind, is_array in zip(leaves, kinds, is_data, strict=True)
        if not is_array and print_of_constant(kind) is None
    ]
    if direct is None or any(is_host(value) or fingerprint(value) not in key for value in objects):
        return None
    reads += tuple(Read.of(lambda value=value: value) for value in objects)
    among = getattr(direct, "among", None) or functools.partial(_among, direct)
    places = [None if is_array else (value,) for value, is_array in zip(leaves, is_data, strict=True)]
    call = among(tuple(places), structure is None)
    if scalars or leaves is not arguments:
        call = _of_leaves(call, read, scalars)
    is_tuple = type(structure) is tuple and all(item is None for item in structure)  # pyright: ignore[reportUnknownVariableType]
    is_rebuilt = structure is not None and not is_tuple
    if not reads and not is_rebuilt:
        return call

    def checked(given: Sequence[Any]) -> Any:
        if not _are_unchanged(reads):
            return None
        results = call(given)
        return rebuild(structure, iter(results)) if is_rebuilt and results is not None else results

    return checked


def _of_leaves(
    call: _Quick, read: Callable[[Sequence[Any]], Sequence[Any] | None], scalars: Mapping[int, Any]
) -> _Quick:
    """A call on arguments with containers, whose leaves it passes to `call`. At the places in `scalars` it takes NumPy scalars of these types."""

    def with_leaves(given: Sequence[Any]) -> Any:
        leaves = read(given)
        if leaves is None:
            return None
        if scalars:
            leaves = list(leaves)
            if len(leaves) <= max(scalars):
                return None
            for place, kind in scalars.items():
                if type(leaves[place]) is not kind:
                    return None
                leaves[place] = np.asarray(leaves[place])
        return call(tuple(leaves))

    return with_leaves


def _among(direct: Direct, constants: Sequence[tuple[Any] | None], single: bool) -> _Quick:
    """Fallback for a Direct without a method `among`; see `runtime.device.Direct`."""
    count, numbered = len(constants), list(enumerate(constants))
    checked = [(place, constant[0]) for place, constant in numbered if constant is not None]
    of_arrays = _items([place for place, constant in numbered if constant is None])

    def call(given: Sequence[Any]) -> Any:
        if checked:
            if len(given) != count:
                return None
            for place, value in checked:
                if given[place] is not value:
                    return None
            given = of_arrays(given)
        results = direct(given)
        return results[0] if single and results is not None else results

    return call


def _items(places: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function that takes the items at these ascending places from a sequence, faster than a loop does."""
    first, count = (places[0] if places else 0), len(places)
    if list(places) == list(range(first, first + count)):
        return itemgetter(slice(first, first + count))
    return itemgetter(*places)


class _Jitted:
    """A function that is compiled when it is called. In a class it works as a method."""

    def __init__(
        self, function: Callable[..., Any], plan: Plan | None, dynamic: DynamicAxes | None = None
    ) -> None:
        functools.update_wrapper(self, function)
        self._dynamic = dynamic
        self._function = function
        self._plan = plan
        # The direct calls used last. Those with arguments by name are stored by the number of other arguments and the names.
        self._quick: _Quicks = ()
        self._named: dict[Any, _Quicks] = {}
        self._states: dict[Any, tuple[_State, ...]] = {}  # for each signature, the newest first

    def __getstate__(self) -> dict[str, Any]:
        """The state without compiled programs, which belong to their process."""
        return self.__dict__ | {"_quick": (), "_named": {}, "_states": {}}

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Pickles it by its name, as Python pickles functions, if its module has it under that name."""
        name: str = getattr(self, "__qualname__", "")  # partial functions lack it
        found = functools.reduce(_member, name.split("."), sys.modules.get(self.__module__))
        return name if found is self else super().__reduce_ex__(protocol)

    def __deepcopy__(self, memo: dict[int, Any]) -> _Jitted:
        return self  # as `deepcopy` does with functions

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if not options:
            for _, quick in self._quick:
                made = quick(arguments)
                if made is not None:
                    return made
        elif self._named and (made := self._of_named(arguments, options)) is not None:
            return made
        arrays: list[Any] = []
        key: list[Any] = [len(arguments), *options]
        for value in (*arguments, *options.values()) if options else arguments:
            leaves: list[Any]
            if isinstance(value, (tuple, list, dict)) and has_arrays(value):
                key.append(structure_of(value))
                leaves = [leaf for _, leaf in leaves_of(value)]
            else:
                leaves = [value]
            for leaf in leaves:
                if isinstance(leaf, Array):
                    return self._function(*arguments, **options)
                self._take(leaf, arrays, key)
        if self._dynamic is not None:
            shapes = iter(self._dynamic.shapes(arguments, options))
            key = [next(shapes) if each is _SHAPE else each for each in key]
        known = tuple(key)
        for state in self._states.get(known, ()):
            if state.is_current():
                break
        else:
            state = self._compiled(arguments, options)
            self._states[known] = (state, *self._states.get(known, ())[: _MOST_STATES - 1])
            if len(self._states) > _MOST_SIGNATURES:
                self._states.pop(next(iter(self._states)), None)
        if state.program.direct is not None and not _has_views(known):
            self._remember(known, state, arguments, options)
        results = state.program.run_on(arrays)  # their shapes are in the key, so they fit
        return results[0] if state.structure is None else rebuild(state.structure, iter(results))

    def _of_named(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """The result of a direct call with arguments by name; None if there is no such call."""
        values = (*arguments, *options.values())
        for _, quick in self._named.get((len(arguments), *options), ()):
            made = quick(values)
            if made is not None:
                return made
        return None

    def _remember(
        self, key: Sequence[Any], state: _State, arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> None:
        """From now on, calls like this one, whose key is given, try its direct call first."""
        quick = _quick(key, state, (*arguments, *options.values()))
        if quick is None:
            return
        names = (len(arguments), *options)
        known = self._named.get(names, ()) if options else self._quick
        known = ((state, quick), *[each for each in known if each[0] is not state][: _MOST_QUICK - 1])
        if not options:
            self._quick = known
        else:
            others = {} if len(self._named) > _MOST_QUICK else self._named
            self._named = others | {names: known}

    def _take(self, value: Any, arrays: list[Any], key: list[Any]) -> None:
        """Adds data to `arrays`, and everything that a program depends on to `key`."""
        kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is np.ndarray:
            self._take_array(value, arrays, key)
        elif (printed := print_of_constant(kind)) is not None:
            key.append(printed(value))
        elif is_host(value):
            self._take_array(as_host(value), arrays, key)
        else:
            key.append(fingerprint(value))

    def _take_array(self, value: NDArray[Any], arrays: list[Any], key: list[Any]) -> None:
        view = None if value.flags.c_contiguous or self._dynamic is not None else view_of(value)
        arrays.append(value if view is None else view.memory(value))
        key.append(value.shape if self._dynamic is None else _SHAPE)
        key.append(value.dtype)
        if view is not None:
            key.append(view)

    def _compiled(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> _State:
        slots, axes = Slots(), self._dynamic
        shapes: list[Shape] = []  # shapes of the arrays as they lie in memory

        def stand_in(place: Place, value: Any) -> Any:
            if not is_host(value):
                return value
            array = as_host(value)
            view = None if axes is not None else view_of(array)
            if view is not None:
                shapes.append(view.memory(array).shape)
                return view.stand_in(slots.next(), array)
            shapes.append(array.shape if axes is None else axes.shape(place, array.shape))
            return placeholder(slots.next(), shapes[-1], from_numpy(array.dtype))

        def with_stand_ins(place: str | int, value: Any) -> Any:
            return mapped(value, stand_in, (place,)) if has_arrays(value) else stand_in((place,), value)

        positional = [with_stand_ins(place, value) for place, value in enumerate(arguments)]
        named = {name: with_stand_ins(name, value) for name, value in options.items()}
        given = (*arguments, *options.values())
        reads = reads_of(self._function, given)
        sink, structure = trace_results(self._function, positional, named)
        sink = slots.numbered(sink, _name(self._function)).replace(arg=tuple(shapes))
        held = tuple(constant for value in given for constant in _constants_in(value))
        program = compile_for_calls(sink, self._plan)
        if axes is not None:
            program.label_arguments(axes.labels(arguments, options))
        return _State(unchanged_by(reads), held, program, structure)


def _member(owner: Any, name: str) -> Any:
    return getattr(owner, name, None)


def _has_views(key: Sequence[Any]) -> bool:
    """Whether a key has arrays that are not contiguous and are read in place."""
    return any(type(each) is View for each in key)


def _constants_in(value: Any) -> Iterator[Any]:
    """The constants in an argument; a container without arrays is one."""
    leaves = (leaf for _, leaf in leaves_of(value)) if has_arrays(value) else (value,)
    return (leaf for leaf in leaves if not is_host(leaf))


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", brief(function))
