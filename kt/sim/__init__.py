"""Running IR of any level, and decoded binaries, on simulated memories."""
