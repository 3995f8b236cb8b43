"""Daily history of components. Past days are stored, and never change again."""
