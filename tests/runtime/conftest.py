"""Fixtures of several files."""

from __future__ import annotations

import pytest

from eqsat.runtime.opencl import extension


@pytest.fixture(params=["extension", "python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """All holds with the extension, where it was built, and without."""
    monkeypatch.setenv(extension.VARIABLE, request.param)
    if request.param == "extension" and extension.call_type() is None:
        pytest.skip("the extension was not built")
    return request.param
