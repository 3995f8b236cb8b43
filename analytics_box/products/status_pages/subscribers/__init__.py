"""Subscribers of a status page: they ask to be told, confirm it, hear each update once, and leave with one click."""
