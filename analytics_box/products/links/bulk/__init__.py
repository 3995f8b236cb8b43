"""Many links: exported as a file, and imported from one."""
