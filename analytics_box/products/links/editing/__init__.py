"""Creating, changing and deleting a link: what may be said of it, checked, stored and answered."""
