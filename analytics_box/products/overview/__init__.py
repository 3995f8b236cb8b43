"""How a website does: its overview, and the list of all with their last seven days."""
