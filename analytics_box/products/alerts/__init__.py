"""Alert rules: what people want to be told of, where to, and when (wire 10.5, monitors: alerts)."""
