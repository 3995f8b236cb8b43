"""Whoever changes something has a name on the page of the audit log."""

import pytest

from analytics_box.tenants.audit_log.pages import who

# actor, the name that the box has for it, what the page says
ACTORS = [
    ("user:U1", "grace@example.com", "grace@example.com"),
    ("user:U1", "", "Deleted user"),
    ("apikey:K1", "Nightly", "API key Nightly"),
    ("apikey:K1", "", "API key K1"),
    ("invitation:I1", "", "Invitation"),
    ("command line", "", "Command line"),
    ("setup link", "", "Setup"),
    ("forgotten password", "", "Password reset request"),
    ("reset link", "", "Password reset"),
    ("the box", "", "System"),
    ("something new", "", "something new"),
]


@pytest.mark.parametrize(("actor", "name", "shown"), ACTORS, ids=[f"{actor} {name}" for actor, name, _ in ACTORS])
def test_an_actor_is_named_as_people_know_them(actor: str, name: str, shown: str) -> None:
    assert who(actor, name) == shown
