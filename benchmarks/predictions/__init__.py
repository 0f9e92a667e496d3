"""How well times of programs are predicted: predicted over measured seconds under the loops that are chosen."""
