"""From Python functions on arrays to graphs: tracing, their arguments, and what they capture."""
