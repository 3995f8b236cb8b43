"""Invitations: the one way, after setup, in which a person gets into an organization."""
