"""Programs: what is held, who is people after all, and data centres."""
