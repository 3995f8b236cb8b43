"""How a status page is now, as visitors may see it."""
