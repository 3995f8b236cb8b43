"""Named filters of a website, private or shared with the organization."""
