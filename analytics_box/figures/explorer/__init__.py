"""Trying query types on a page: the question, its rows, and the same as a command."""
