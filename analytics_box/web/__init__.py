"""The web mechanism, which knows no room: requests in, identity checked, answers and pages out."""
