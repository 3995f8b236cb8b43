"""What is to become of flags at set times: switching on, switching off, and rollouts in steps."""
