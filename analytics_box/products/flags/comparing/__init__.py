"""Who would get something else by a change of a flag, among people whom the website has named of late."""
