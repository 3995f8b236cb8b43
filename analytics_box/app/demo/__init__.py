"""The box of `analytics-box demo`: an account, made-up visits up to now, links and clicks, monitors of a tiny shop."""
