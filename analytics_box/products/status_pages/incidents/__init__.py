"""Incidents and maintenances of status pages: what people write of them, and what the clock does."""
