"""Usage of flags: evaluation counts for each outcome, the last evaluation, and stale flags."""
