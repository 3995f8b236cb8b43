"""Maintenance windows, once or repeatedly in a time zone: checks go on, and alerts are muted."""
