"""Several machines that take events: what ingest machines learn from the primary, and what they tell it."""
