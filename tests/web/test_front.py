"""One table decides which requests pass the framework by: its lines are walked, on every kind of host."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from analytics_box.products.links.domains.lookup import LinkDomain, LinkDomains
from analytics_box.web.asgi import Receive, Scope, Send, respond
from analytics_box.web.front import Front, HotHosts, HotPath, paths_by_folder
from tests.cases import each
from tests.inprocess import WholeBox, whole_box

DOMAIN, CLOSED = "go.example", "closed.example"


def at_stats(settings: Settings) -> Settings:
    return replace(settings, base_url="https://stats.example")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A box whose hot paths and framework only say that they were asked, with a custom domain."""
    with whole_box(tmp_path_factory.mktemp("front") / "data", adjust=at_stats) as made:
        front = made.box.application
        assert isinstance(front, Front)
        for key, line in front._paths.items():
            front._paths[key] = line._replace(answer=named(line.path))
        front._app = named("framework")
        front._domains = (HotHosts({DOMAIN, CLOSED}, lambda host: named(host) if host == DOMAIN else None),)
        yield made


def named(name: str) -> Any:
    """An application that answers with its name, or with what the front refused."""

    async def answer(scope: Scope, _: Receive, send: Send) -> None:
        refused = scope.get("refused")
        await respond(send, refused.status if refused is not None else 200, [], name.encode())

    return answer


def asked(box: WholeBox, path: str, host: str = "stats.example", method: str = "POST") -> tuple[int, str]:
    answer = box.ask(method, path, headers={"host": host})
    return answer.status, answer.body.decode() if answer.status == 200 else ""


def lines(box: WholeBox) -> list[HotPath]:
    front = box.box.application
    assert isinstance(front, Front)
    return list(front._paths.values())


def test_every_line_answers_on_the_hosts_of_the_box_and_on_no_other(box: WholeBox) -> None:
    paths = {line.path for line in lines(box)}
    assert {"/", "/track", "/batch", "/px.jpg", "/l/", "/status/", "/public/v1/flags", "/live/"} <= paths
    for line in lines(box):
        for path in (line.path,) if line.is_whole else (line.path, f"{line.path}one", f"{line.path}/one/two"):
            assert asked(box, path) == (200, line.path)
            assert asked(box, path, "STATS.example:443") == (200, line.path)
            assert asked(box, path, DOMAIN) == (200, DOMAIN)
            assert asked(box, path, "other.example")[0] == (200 if line.any_host else 421)
            assert asked(box, path, CLOSED)[0] == (200 if line.any_host else 421)


def test_whole_path_does_not_answer_for_what_is_below_or_beside_it(box: WholeBox) -> None:
    for line in lines(box):
        if line.is_whole and line.path != "/":
            for path in (f"{line.path}/", f"{line.path}/one", f"{line.path}x", f"/{line.path}"):
                assert asked(box, path) == (200, "framework")


@each(
    ("path", "answered"),
    [
        ("/l", "framework"),
        ("//l/one", "framework"),
        ("/L/one", "framework"),
        ("/status", "framework"),
        ("/public/", "framework"),
        ("/public/v1/flag", "framework"),
        ("/public/v2/flags", "framework"),
        ("/l/../track", "/l/"),
        ("/%6C/one", "/l/"),
        ("/./l/one", "framework"),
        ("/l%2Fone", "/l/"),
        ("/rpc/l/", "framework"),
        ("//", "framework"),
        ("*", "framework"),
        ("https://stats.example/l/one", "framework"),
    ],
)
def test_only_the_first_folder_decides(box: WholeBox, path: str, answered: str) -> None:
    assert asked(box, path) == (200, answered)


def test_get_of_the_root_is_a_page_and_post_an_event(box: WholeBox) -> None:
    assert asked(box, "/", method="GET") == (200, "framework")
    assert asked(box, "/", method="POST") == (200, "/")


def test_files_of_pages_are_served_on_custom_domains(box: WholeBox) -> None:
    assert asked(box, "/static/app.css", DOMAIN, "GET") == (200, "framework")


def test_two_lines_that_are_looked_up_alike_are_refused() -> None:
    with pytest.raises(ValueError, match="/public/"):
        paths_by_folder([HotPath(f"/public/{name}", named(name), is_whole=False) for name in ("flags", "links")])


def test_custom_domain_is_served_from_its_commit_until_it_is_removed(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=at_stats) as made:
        domains = made.box.parts[LinkDomains]
        assert asked(made, "/", DOMAIN, "GET")[0] == 421
        domains.remember(LinkDomain(DOMAIN, "1", made.organization_id, "https://example.com/", None, 0))
        assert asked(made, "/", DOMAIN, "GET")[0] == 302
        assert asked(made, "/track", DOMAIN)[0] == 404
        domains.forget(DOMAIN)
        assert asked(made, "/", DOMAIN, "GET")[0] == 421
