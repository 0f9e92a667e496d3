"""The names of `eqsat` are there at once, and what they stand for is imported when it is first used."""

from __future__ import annotations

import ast
import copy
import importlib
import importlib.metadata
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path

import cloudpickle
import pytest

import eqsat as eq
from eqsat import array, dtype


def modules_after(code: str) -> set[str]:
    """What a new process has imported after running `code`."""
    script = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_public_names_are_those_that_type_checkers_see():
    stub = ast.parse(Path(eq.__file__).with_suffix(".pyi").read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    names = [alias.asname or alias.name for node in imports for alias in node.names]
    assert [node.module for node in imports if node.names[0].name == "*"] == ["eqsat.array"]
    names.remove("*")
    assert sorted([*names, *array.__all__, "__version__"]) == eq.__all__
    assert set(eq.__all__) <= set(dir(eq))


def test_a_public_name_stands_for_one_thing():
    assert len(set(eq.__all__)) == len(eq.__all__)
    submodules = {module.name for module in pkgutil.iter_modules(eq.__path__)}
    assert submodules & set(eq.__all__) == {"autobatch", "spec"}
    of_autobatch = {module.name for module in pkgutil.iter_modules(eq.autobatch.__path__)}
    assert not of_autobatch & set(eq.autobatch._HOMES)


def test_star_brings_every_public_name():
    names = {}
    exec("from eqsat import *", names)
    assert set(eq.__all__) <= set(names)
    assert (names["sin"], names["float32"]) == (array.sin, dtype.float32)


def test_importing_eqsat_imports_none_of_its_parts():
    loaded = modules_after("import eqsat")
    assert {name for name in loaded if name.startswith("eqsat.")} == set()
    assert not {"numpy", "egglog", "pyopencl", "rich"} & loaded


def test_tracing_imports_neither_egglog_nor_pyopencl():
    loaded = modules_after("import eqsat as eq; eq.trace(eq.exp, eq.spec(3, eq.float32))")
    assert "numpy" in loaded
    assert not {"egglog", "pyopencl", "diskcache"} & loaded


@pytest.mark.parametrize("before", ["", "import eqsat.spec", "import eqsat.pipeline", "eq.Plan"])
def test_spec_is_the_function_and_its_namesake_can_be_imported(before):
    code = f"import eqsat as eq; {before}\nassert eq.spec((2,), eq.int8).shape == (2,); from eqsat.spec import verify"
    assert "eqsat.spec" in modules_after(code)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dumps", [pickle.dumps, cloudpickle.dumps])
def test_the_package_is_pickled_by_its_name(dumps, protocol):
    assert pickle.loads(dumps({"package": eq}, protocol=protocol)) == {"package": eq}
    assert len(dumps(eq, protocol=protocol)) < 100


@pytest.mark.parametrize("function", [copy.copy, copy.deepcopy])
def test_a_copy_of_the_package_is_the_package(function):
    assert function(eq) is eq
    assert function([eq])[0] is eq


def test_functions_and_classes_of_a_script_that_mention_the_package_are_pickled():
    script = """
import cloudpickle, pickle
import eqsat as eq

class Model:
    package = eq
    def cost(self, node):
        return eq.OperationCount().cost(node)

again = pickle.loads(cloudpickle.dumps([lambda: eq.exp, Model, Model()]))
assert again[0]() is eq.exp and again[1].package is again[2].package is eq
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_submodules_are_attributes():
    assert eq.rules is importlib.import_module("eqsat.rules")


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'eqsat' has no attribute 'sofmax'; dir\(eqsat\) lists"):
        _ = eq.sofmax
    assert not hasattr(eq, "__wrapped__")


def test_version_is_that_of_the_installed_package():
    assert eq.__version__ == importlib.metadata.version("eqsat")
