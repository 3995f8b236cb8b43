"""One check of one monitor: asking, and finding out whether the answer is what it should be (wire 8.4, monitors)."""
