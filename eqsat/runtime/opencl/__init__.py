"""Devices through OpenCL: the only part of eqsat that knows pyopencl and PoCL.

pyopencl is imported when a device is first looked for.
"""

from eqsat.runtime.opencl.device import OpenCLDevice, advice, discover

__all__ = ["OpenCLDevice", "advice", "discover"]
