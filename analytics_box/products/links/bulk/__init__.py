"""Many links at once: exported as a file, and imported from one."""
