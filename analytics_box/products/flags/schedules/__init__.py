"""Scheduled changes of flags: enabling, disabling, and rollouts in steps."""
