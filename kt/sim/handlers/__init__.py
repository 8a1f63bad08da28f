"""How operations run: one file per dialect. Ops with element-wise semantics need no entry here."""
