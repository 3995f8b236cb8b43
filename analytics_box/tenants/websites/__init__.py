"""Websites: their names, tracking settings and readers."""
