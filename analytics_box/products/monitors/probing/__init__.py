"""Checks of monitors: the request and the evaluation of its answer (wire 8.4, monitors)."""
