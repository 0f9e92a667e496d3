"""Lowered programs as one OpenCL kernel: every work-item runs members of the batch, one after the other."""
