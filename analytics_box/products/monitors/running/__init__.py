"""Monitors at work: when each is checked, what its results make of it, and how all that gets to disk."""
