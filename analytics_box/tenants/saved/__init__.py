"""What people keep of a website under a name, their own or shared with the organization: segments, saved questions."""
