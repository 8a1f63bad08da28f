"""kt: compile KTIR kernels for scratchpad accelerators described in a file, and run the result."""
