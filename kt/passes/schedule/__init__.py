"""From three naive stages to a concrete schedule: paths, plan, nests, buffers, addresses."""
