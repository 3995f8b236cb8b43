"""Backups: both databases as they were at one moment, in one file, and how they come back."""
