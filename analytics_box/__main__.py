"""`python -m analytics_box` is the command `analytics-box`."""

from analytics_box.app.cli.main import main

main()
