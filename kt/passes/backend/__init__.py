"""From a concrete schedule to DataflowIR: engines, signals, one program per unit kind."""
