"""Programs from Python functions, and programs built by hand."""
