"""Targeting: the destination that a link chooses for a visit, and valid destinations."""
