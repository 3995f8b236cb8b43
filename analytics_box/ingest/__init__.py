"""Taking events in: parse, identify, limit, enrich, append; what is acknowledged is on disk."""
