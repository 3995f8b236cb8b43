"""Notes on the charts of a website: a deployment, a campaign, a day without power (wire 10.5)."""
