"""How diskcache writes in a row what kind of value it has."""

MODE_RAW: int
UNKNOWN: object
