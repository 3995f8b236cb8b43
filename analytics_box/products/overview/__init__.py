"""The dashboard of a website, and the list of all websites with their last seven days."""
