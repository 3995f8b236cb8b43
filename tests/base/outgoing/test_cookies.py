"""Cookies within one chain of redirects: a host gets back what it sets, others never do."""

from analytics_box.base.outgoing.client import Cookies, OutgoingRequest
from analytics_box.base.outgoing.target import target
from tests.base.outgoing.places import OPEN, client_of, plain, web
from tests.base.outgoing.test_client import ask, run
from tests.cases import each


def test_redirect_to_the_same_address_ends_once_its_cookie_comes_back() -> None:
    def reply(request: bytes) -> bytes:
        if b"\r\nCookie: own=2; sid=1\r\n" in request:
            return plain(b"welcome")
        return plain(b"", "302 Found", "Location: /", "Set-Cookie: sid=1; Path=/; HttpOnly; SameSite=Lax")

    answer, server = run(ask(reply, headers=(("cookie", "own=2; sid=0"),)))
    assert (answer.body, answer.redirects, len(server.heard)) == (b"welcome", 1, 2)
    assert b"sid=0" in server.heard[0]


def test_another_host_gets_no_cookie() -> None:
    async def heard() -> bytes:
        async with web() as first, web("127.0.0.98") as second:
            first.reply = lambda _: plain(
                b"", "302 Found", f"Location: http://127.0.0.98:{second.port}/", "Set-Cookie: sid=1; Domain=127.0.0.98"
            )
            await client_of(allowed=("127.0.0.0/8",)).fetch(OutgoingRequest(f"http://{OPEN}:{first.port}/"))
            return second.heard[0]

    assert b"ookie" not in run(heard())


def test_the_next_request_begins_without_cookies() -> None:
    async def heard() -> list[bytes]:
        async with web() as server:
            server.reply = lambda _: plain(b"", "200 OK", "Set-Cookie: sid=1")
            client = client_of()
            for _ in range(2):
                await client.fetch(OutgoingRequest(f"http://{OPEN}:{server.port}/"))
            return server.heard

    assert all(b"ookie" not in one for one in run(heard()))


@each(
    ("setting", "url", "sent"),
    [
        (["a=1"], "https://one.test/in/page", "a=1"),
        (["a=1"], "https://one.test/in", "a=1"),
        (["a=1"], "https://one.test/inside", ""),
        (["a=1"], "https://one.test/", ""),
        (["a=1; Path=/"], "https://one.test/?x", "a=1"),
        (["a=1; path=/in/"], "https://one.test/in/page", "a=1"),
        (["a=1; Path=/"], "https://www.one.test/", ""),
        (["a=1; Path=/"], "http://one.test/", "a=1"),
        (["a=1; Path=/; Secure"], "https://one.test/", "a=1"),
        (["a=1; Path=/; Secure"], "http://one.test/", ""),
        (["a=1; Path=/", "b=x=y ; Path=/", "a=2; Path=/"], "https://one.test/", "b=x=y; a=2"),
        (["a=1; Path=/", "a=; Path=/; Max-Age=0"], "https://one.test/", ""),
        (["a=1; Path=/", "a=; Path=/; Max-Age=-1"], "https://one.test/", ""),
        (["a=1; Path=/", "a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "https://one.test/", ""),
        (["a=1; Path=/", "a=; Path=/; Expires=Thu, 01-Jan-1970 00:00:01 GMT"], "https://one.test/", ""),
        (["a=1; Path=/; Expires=Thu, 01 Jan 2099 00:00:00 GMT"], "https://one.test/", "a=1"),
        (["a=1; Path=/; Expires=soon"], "https://one.test/", "a=1"),
        (
            ["a=1\x01; Path=/", "\xe4=1; Path=/", "nothing; Path=/", "=1; Path=/", "a=" + "x" * 5_000],
            "https://one.test/",
            "",
        ),
    ],
)
def test_cookie_goes_where_a_browser_sends_it(setting: list[str], url: str, sent: str) -> None:
    cookies = Cookies()
    cookies.hear(target("https://one.test/in/"), tuple(("set-cookie", value) for value in setting))
    assert cookies.headers(target(url), ()) == ((("Cookie", sent),) if sent else ())


def test_cookies_are_few_and_short_whatever_a_server_sets() -> None:
    cookies = Cookies()
    place = target("https://one.test/")
    cookies.hear(place, tuple(("set-cookie", f"n{number}={'x' * 1_000}") for number in range(500)))
    ((_, value),) = cookies.headers(place, ())
    assert len(value) <= 8_192
    assert "n450=" in value
