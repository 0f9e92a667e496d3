"""What a jitted function has compiled."""

from eqsat.pipeline.just_in_time import _Jitted


def count_programs(function: _Jitted) -> int:
    """The number of programs that a jitted function keeps."""
    return sum(map(len, function._states.values()))
