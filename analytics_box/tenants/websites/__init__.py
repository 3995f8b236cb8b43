"""Websites: what they are called, how they are tracked, and who may read them."""
