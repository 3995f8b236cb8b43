"""The current state of a status page, as visitors may see it."""
