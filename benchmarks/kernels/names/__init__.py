"""eqsat's names in other libraries: for each name the quickest way that the library offers its users.

Workloads are written once, in eqsat's names. A module here has those that its library spells differently or lacks; the library has the rest.
"""
