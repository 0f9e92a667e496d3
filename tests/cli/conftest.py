"""What the tests of commands share."""

import pytest

from eqsat import cli


@pytest.fixture
def run(capsys):
    """Runs `eqsat …`; gives the exit code, what it printed, and its errors."""

    def run_command(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command
