"""Events that look like a program's: held 30 days, shown by program, counted after all where people sent them."""
