"""Making, changing and deleting flags, and their folders."""
