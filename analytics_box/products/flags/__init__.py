"""Feature flags: who gets what of a product, decided from memory for every request (wire 6)."""
