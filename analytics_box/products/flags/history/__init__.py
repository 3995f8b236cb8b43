"""The version history of flags: differences between two versions, and restoring one."""
