"""From a graph to instructions in order, with loops and sizes of the launch."""
