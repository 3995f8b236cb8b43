"""Ctrl-K: one field that finds websites, links, monitors, flags, status pages, pages of the box and actions."""
