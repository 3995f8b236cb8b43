"""Many monitors at once: written to a file, and read from one of this box, of Uptime Kuma or of Gatus."""
