"""Questions about events: request, ranges, plan, engine, answer (wire 2 and 3)."""
