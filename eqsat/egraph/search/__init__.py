"""The saturation loop, its budget, the engine that holds an egglog e-graph, and the reports."""
