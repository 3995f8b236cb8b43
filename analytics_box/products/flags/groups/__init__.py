"""Target groups: rules under a name, for many flags."""
