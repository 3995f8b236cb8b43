"""Creating, changing, pausing, moving and deleting a monitor: what may be said of it, checked, stored and answered."""
