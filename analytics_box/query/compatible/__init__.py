"""Read APIs of Plausible and Umami, answered by the query runner."""
