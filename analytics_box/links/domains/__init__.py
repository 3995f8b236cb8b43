"""Domains with short links at their root, what links may not lead to, and what is asked for there in vain."""
