"""The API's document says what short addresses answer: every status of theirs, and no page where it says redirect."""

from typing import Any

import pytest

from tests.inprocess import Answer, whole_box
from tests.products.links.world import ANDROID, GOOGLEBOT, SLACKBOT, World

OFFICE = {"user_agent": "Mozilla/4.0 (compatible; ms-office; MSOffice 16)"}
OVER = {"expiresAt": "2020-01-01T00:00:00Z"}
LINKS: dict[str, dict[str, Any]] = {
    "plain": {},
    **{str(status): {"redirectStatus": status} for status in (301, 302, 307, 308)},
    "over": OVER,
    "over elsewhere": OVER | {"expiredRedirectUrl": "https://example.com/over"},
    "app": {"deepLinkApp": "youtube", "targetUrl": "https://www.youtube.com/watch?v=1"},
    "protected": {"password": "hush hush"},
    "protected and over": OVER | {"password": "hush hush"},
    "shared": {"ogTitle": "Look"},
}


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The document, which every box makes anew."""
    with whole_box(tmp_path_factory.mktemp("document") / "data") as box:
        found: dict[str, Any] = box.get("/openapi.json").json
        return found


@pytest.mark.parametrize("name", [*LINKS, "unknown"])
def test_every_answer_of_a_short_address_is_described(world: World, document: dict[str, Any], name: str) -> None:
    slug = world.link(**LINKS[name])["slug"] if name in LINKS else "never-was"
    asked: list[tuple[str, str, Answer]] = []
    for agent in ({}, {"user_agent": ANDROID}, {"user_agent": GOOGLEBOT}, {"user_agent": SLACKBOT}, OFFICE):
        for method in ("GET", "HEAD"):
            answer = world.follow(slug, method=method, **agent)
            asked.append((method, "/l/{slug}", answer))
            if "etag" in answer.headers:
                again = world.follow(slug, method=method, if_none_match=answer.headers["etag"], **agent)
                assert again.status == 304
                asked.append((method, "/l/{slug}", again))
    asked += [("POST", "/l/{slug}", world.unlock(slug, password)) for password in ("wrong", "hush%20hush", "x" * 5000)]
    asked.append(("GET", "/l/{slug}/preview", world.follow(f"{slug}/preview")))
    for method, path, answer in asked:
        described = document["paths"][path][method.lower()]["responses"]
        assert str(answer.status) in described, (method, path, answer.status)
        if 301 <= answer.status <= 308 and answer.status != 304:
            assert "Location" in described[str(answer.status)]["headers"]
            assert answer.headers["location"]
