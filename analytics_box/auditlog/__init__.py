"""The audit log as people and programs read it; analytics_box.audit writes it."""
