"""Named items of a website, private or shared with the organization: segments, saved questions."""
