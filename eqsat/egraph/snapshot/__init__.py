"""The e-graph as plain Python values: the frozen e-graph that theories read between two runs, and the snapshot that extraction reads."""
