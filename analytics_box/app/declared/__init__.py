"""Resources declared in a file: what a file can have, its plan, and how the plan is carried out by procedures."""
