"""How UOps are stored in egglog: the tables, the syntax of commands, the encoder, and the Python functions that rules call."""
