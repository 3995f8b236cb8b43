"""The tables of both databases, step by step. A released step never changes; a new wish is a new step at the end."""
