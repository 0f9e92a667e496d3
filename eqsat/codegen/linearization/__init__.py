"""Puts the nodes of a kernel's graph in order as instructions, with loops and the sizes of the launch."""
