"""The read API of Atlassian Statuspage, version 2, so that existing status clients understand a page."""
