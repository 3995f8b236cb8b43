"""Filters of a website under a name: somebody's own, or shared with the organization."""
