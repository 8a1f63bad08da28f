"""The machine that executes decoded binaries: engines as processes, with a clock."""
