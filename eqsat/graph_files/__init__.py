"""Graph files: documents of JSON that hold graphs.

`serialize` writes graphs and reads them back, with `arguments` for the arguments of their nodes. `inputs` reads whole files, which may come from
anybody, and finds or draws the arrays that a graph takes.
"""
