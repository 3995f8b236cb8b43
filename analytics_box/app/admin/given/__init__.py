"""What commands are given, apart from what carries them out: the command line loads no more beside a running box."""
