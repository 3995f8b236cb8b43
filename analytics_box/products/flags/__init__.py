"""Feature flags: targeting and rollout of features, evaluated from memory for every request (wire 6)."""
