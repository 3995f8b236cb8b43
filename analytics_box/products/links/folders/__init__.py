"""Folders that keep the links of an organization together."""
