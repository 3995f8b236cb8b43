"""What the box says of itself under /docs: the manual, the API, and all query types."""
