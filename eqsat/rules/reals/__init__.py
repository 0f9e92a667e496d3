"""Rules about floats: exact rules, rules that hold over the real numbers, and rules of elementary functions."""
