"""What flags were, version by version: what changed between two, and giving one back."""
