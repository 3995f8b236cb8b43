"""An organization as every other room sees it: who belongs to it, who may do what, and what new things start with."""
