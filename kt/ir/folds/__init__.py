"""How ops fold: one module per dialect, imported when an op of the dialect is met."""
