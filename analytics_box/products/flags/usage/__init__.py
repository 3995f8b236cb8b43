"""How often flags gave what, when last, and which flags are stale."""
