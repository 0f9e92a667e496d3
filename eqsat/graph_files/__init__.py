"""Graph files: documents of JSON that hold graphs.

`serialize` writes graphs and reads them back, with `arguments` for the arguments of their nodes. `reading` reads whole files, which may come from
anybody. `inputs` finds or draws the arrays that a graph takes.
"""
