"""Short links: what they are, where they redirect to, and the clicks on them (wire 7)."""
