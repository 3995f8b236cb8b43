"""Bots: what is quarantined, which bots count as people, and data centres."""
