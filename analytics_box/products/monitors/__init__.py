"""Uptime monitors: what is watched, how it is asked, when, and what its answers mean (wire 8, monitors)."""
