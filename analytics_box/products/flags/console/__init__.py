"""The pages of feature flags in the dashboard: flags in words, their forms, and target groups."""
