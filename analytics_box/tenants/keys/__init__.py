"""API keys: made once, kept as hashes, limited in rate and scope (spec 2)."""
