"""Passes that know no level: canonicalisation, common subexpressions, dead code, code motion."""
