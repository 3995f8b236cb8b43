"""The form of a monitor: what is typed, what becomes of it, and trying it."""
