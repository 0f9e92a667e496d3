"""Applies rules to a congruence closure: which side of a rule is matched, where it matches, and what that adds."""
