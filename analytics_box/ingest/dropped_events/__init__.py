"""Dropped traffic: how much, by site, UTC day and reason."""
