"""Which of its own targets a link chooses for a visit, and what a target may be."""
