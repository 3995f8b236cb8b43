"""Folders and domains of short links, and addresses that lead nowhere."""

import re

from tests.products.links.world import GOOGLEBOT, PageWorld


def test_the_folders_are_made_renamed_and_deleted(pages: PageWorld) -> None:
    assert pages.sent("/links/folders", {"name": "Print"}).status == 303
    page = pages.seen("/links/folders?done=folder-made")
    folder = re.findall(r'/links\?folder=([^"]+)"><bdi>Print', page)[0]
    again = pages.sent("/links/folders", {"name": "print"})
    assert (again.status, b"A folder with this name already exists" in again.body) == (409, True)
    assert pages.sent("/links/folders/rename", {"id": folder, "name": "Posters"}).status == 303
    link_id = pages.made(name="In a folder", folderId=folder)
    assert "In a folder" in pages.seen(f"/links?folder={folder}")
    assert "In a folder" not in pages.seen("/links?folder=none")
    assert "Delete the folder Posters?" in pages.seen(f"/links/folders/delete?id={folder}")
    assert pages.sent("/links/folders/delete", {"id": folder}).status == 303
    assert "Posters" not in pages.seen("/links/folders")
    assert "In a folder" in pages.seen(f"/links/{link_id}")


def test_domains_of_short_links_are_served_changed_and_given_up(pages: PageWorld) -> None:
    pages.link_domain()
    assert "go.example.org" in pages.seen("/links/domains")
    saved = {"domain": "go.example.org", "homeUrl": "https://example.com/home", "notFoundUrl": ""}
    assert pages.sent("/links/domains/save", saved).status == 303
    assert pages.follow("", host="go.example.org").headers["location"] == "https://example.com/home"
    wrong = pages.sent("/links/domains/save", saved | {"homeUrl": "javascript:alert(1)"})
    assert wrong.status == 400
    assert b'id="homeUrl-go.example.org-error"' in wrong.body
    assert "Remove go.example.org from links?" in pages.seen("/links/domains/remove?domain=go.example.org")
    assert pages.sent("/links/domains/remove", {"domain": "go.example.org"}).status == 303
    page = pages.seen("/links/domains")
    assert "<option>go.example.org</option>" in page
    assert pages.sent("/links/domains", {"domain": "go.example.org"}).status == 303
    assert pages.sent("/links/domains/remove", {"domain": "go.example.org"}).status == 303


def test_orphan_address_can_be_created_as_a_link(pages: PageWorld) -> None:
    pages.follow("never-was")
    pages.follow("only-a-bot", user_agent=GOOGLEBOT)
    page = pages.seen("/links/domains")
    assert 'href="/links/new?slug=never-was"' in page
    assert "only-a-bot" not in page
    assert 'value="never-was"' in pages.seen("/links/new?slug=never-was")
