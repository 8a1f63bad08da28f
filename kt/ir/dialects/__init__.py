"""One file per dialect: structure, assembly format, verification."""
