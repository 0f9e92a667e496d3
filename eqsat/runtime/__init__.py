"""Devices, memory and caches: the only part of eqsat that touches OpenCL and the disk."""
