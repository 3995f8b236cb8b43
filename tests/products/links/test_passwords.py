"""Protected links: the form, the right password, wrong ones, and too many of them."""

from pathlib import Path

from msgspec.structs import replace

from tests.inprocess import whole_box
from tests.products.links.world import TARGET, World


def test_the_right_password_leads_on_and_is_a_click(world: World) -> None:
    made = world.link(password="hush hush")
    assert made["hasPassword"] is True
    assert b"<form" in world.follow(made["slug"]).body
    answer = world.unlock(made["slug"], "hush+hush")
    assert (answer.status, answer.headers["location"]) == (303, TARGET)
    assert answer.headers["cache-control"] == "private, no-store"
    assert world.counted() == ["click"]


def test_a_wrong_password_stays_and_says_so(world: World) -> None:
    made = world.link(password="hush hush")
    answer = world.unlock(made["slug"], "guess")
    assert answer.status == 403
    assert b"Incorrect password" in answer.body
    assert "location" not in answer.headers
    assert TARGET.encode() not in answer.body
    assert world.counted() == []


def test_the_form_may_lead_to_any_target(world: World) -> None:
    """A browser applies form-action to what the answer of a form redirects to."""
    policy = world.follow(world.link(password="hush hush")["slug"]).headers["content-security-policy"]
    assert "form-action 'self' http: https:" in policy
    assert "default-src 'none'" in policy


def test_password_guesses_are_limited_per_address_and_in_total(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, limit_link_passwords=2)) as box:
        world = World(box)
        slug = world.link(password="hush hush")["slug"]
        assert [world.unlock(slug, "guess").status for _ in range(2)] == [403] * 2
        refused = world.unlock(slug, "hush+hush")
        assert (refused.status, "retry-after" in refused.headers) == (429, True)
        assert b"Too many" in refused.body
        assert world.unlock(slug, "hush+hush", address="198.51.100.9").status == 303
        for number in range(1, 20):  # each as often as it may: together with the three above 41
            for _ in range(2):
                world.unlock(slug, "x", address=f"192.0.2.{number}")
        assert world.unlock(slug, "hush+hush", address="198.51.100.10").status == 429


def test_no_answer_and_no_log_holds_the_password(world: World) -> None:
    made = world.link(password="hush hush")
    world.call("links.update", id=made["id"], password="other words")
    organization = world.box.organization_id
    found = world.box.box.box_db.read_now(
        lambda db: db.execute("select detail from audit where organization_id = ?", (organization,)).fetchall()
    )
    shown = world.call("links.get", id=made["id"])
    export = world.call("links.export")
    for text in (str(found), str(shown.body), str(export.body)):
        assert "hush" not in text
        assert "argon2" not in text
    assert "password" in str(found)
    assert world.call("links.update", id=made["id"], password=None).json["hasPassword"] is False
    assert world.follow(made["slug"]).status == 302
