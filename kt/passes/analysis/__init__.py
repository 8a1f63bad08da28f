"""What passes ask about the IR: loop nests, index maps, buffers, footprints."""
