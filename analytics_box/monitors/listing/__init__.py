"""The list of monitors."""
