"""Auto-batched programs: functions with control flow and recursion, run over a batch whose members take different paths."""
