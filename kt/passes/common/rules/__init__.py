"""Canonicalization patterns: one module per dialect, imported when the dialect occurs."""
