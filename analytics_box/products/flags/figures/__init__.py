"""Results of flags: the split of their variants, and the result of an experiment as a page."""
