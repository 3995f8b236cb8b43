"""Domains with short links at their root, the target policy that they are part of, and orphan clicks there."""
