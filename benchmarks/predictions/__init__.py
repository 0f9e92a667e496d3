"""How well kernels' times are predicted: predicted over measured seconds, and how schedules of one kernel rank."""
