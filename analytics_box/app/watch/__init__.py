"""Watching the box from outside: whether it can do its work, and figures for Prometheus."""
