"""Rewrite rules of the frontend, one subject per file."""
