"""Import of status pages."""
