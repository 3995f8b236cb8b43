"""Retention: cohorts of visitors who come back, how active they are, and how many of them can be recognized at all."""
