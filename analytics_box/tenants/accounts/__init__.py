"""People's accounts: setting up, signing in, passwords, second factors, sessions, and what each person prefers."""
