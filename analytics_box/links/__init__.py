"""Short links: what they are, where they lead, and who followed them (wire 7)."""
