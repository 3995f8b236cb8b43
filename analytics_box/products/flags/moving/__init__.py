"""Import and export: flags written to a file, and read from one of this box, Unleash, GrowthBook, LaunchDarkly or
flagd.
"""
