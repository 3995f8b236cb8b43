"""The pages of feature flags in the dashboard: what flags do in words, their forms, and target groups."""
