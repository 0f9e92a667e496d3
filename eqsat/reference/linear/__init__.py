"""The interpreter of linear programs: its instructions, the work-items of a launch, and their memories."""
