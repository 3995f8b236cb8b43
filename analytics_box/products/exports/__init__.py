"""Everything that a website has recorded, as files by month, and loading these files into another server."""
