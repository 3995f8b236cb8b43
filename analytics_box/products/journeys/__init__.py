"""Journeys: the pages and events that sessions go through, drawn as a flow from step to step."""
