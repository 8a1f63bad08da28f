"""From KTIR to naive pipelines: legality, normal form, programs, three stages."""
