"""How components were, day by day. Days that are over are stored, and never change again."""
