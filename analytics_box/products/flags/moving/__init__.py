"""Import and export of flags: files of this box, Unleash, GrowthBook, LaunchDarkly and flagd."""
