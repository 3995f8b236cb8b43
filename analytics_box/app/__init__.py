"""The process and its literal tables: server, box, routes, procedures, jobs, removals, and the command line."""
