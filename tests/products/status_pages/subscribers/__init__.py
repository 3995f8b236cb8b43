"""Subscribers of status pages."""
