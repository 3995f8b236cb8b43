"""OpenFeature's remote evaluation protocol (OFREP 0.3): flags for every SDK that speaks it, and news of changes."""
