"""Which of its own targets a link chooses for whoever clicks it, and what a target may be."""
