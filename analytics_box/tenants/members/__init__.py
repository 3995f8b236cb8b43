"""Members of an organization, and invitations: the one way, after setup, in which a person gets into one."""
