"""The audit log as people and programs read it; analytics_box.base.audit writes it."""
