"""The table of dialects: how each C-like language spells what differs between them."""

from eqsat.codegen.dialects.c import C
from eqsat.codegen.dialects.dialect import Dialect
from eqsat.codegen.dialects.matrix_registers import with_tiles
from eqsat.codegen.dialects.opencl import OPENCL_CPU, OPENCL_GPU, OPENCL_NVIDIA, with_sub_groups

__all__ = ["OPENCL_CPU", "OPENCL_GPU", "OPENCL_NVIDIA", "C", "Dialect", "with_sub_groups", "with_tiles"]
