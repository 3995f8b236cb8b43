"""Goals: what a website wants its visitors to do, and how many of them did."""
