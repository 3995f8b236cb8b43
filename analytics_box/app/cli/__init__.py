"""The command line: what can be called, and what it prints. What it does in a box is in `admin/`."""
