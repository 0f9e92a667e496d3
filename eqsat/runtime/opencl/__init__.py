"""Devices through OpenCL: the only part of eqsat that knows pyopencl and PoCL.

pyopencl is imported when a device is first looked for.
"""

from eqsat.runtime.opencl.device import INSTALL, OpenCLDevice, discover

__all__ = ["INSTALL", "OpenCLDevice", "discover"]
