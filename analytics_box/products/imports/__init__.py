"""Imports of analytics history from other products."""
