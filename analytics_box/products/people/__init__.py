"""Identified people of a website: their traits and activity, export, and erasure."""
