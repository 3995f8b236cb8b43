"""Documentation under /docs: the manual, the API, and all query types."""
