"""eqsat's names for other libraries: each name is the quickest way that the library offers its users.

Workloads are written once, with eqsat's names. A module here defines the names that its library spells differently or lacks; the library has the
others.
"""
