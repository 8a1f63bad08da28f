"""PDL patterns at work: matching, rewriting, and the patterns of a device as rules of the rewriter."""
