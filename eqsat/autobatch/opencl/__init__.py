"""Compiles a lowered program to one OpenCL kernel, in which every work-item runs members of the batch one after another."""
