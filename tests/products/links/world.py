"""What tests of links do to a box: make links, follow them, look at what was counted; open pages, send forms."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from tests.inprocess import Answer, KeyName, WholeBox

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)
ANDROID = (
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile "
    "Safari/537.36"
)
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
SLACKBOT = "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"
TARGET = "https://example.com/landing"
KINDS = {1: "click", 2: "bot", 3: "preview", 4: "prefetch", 5: "head"}
DOMAIN = "go.example.org"
HOSTILE = '"><script>alert(1)</script>'
SHEET = "name,targetUrl,slug,folder\nOne,https://example.com/1,one1,Sheet\nTwo,javascript:alert(1),two2,\n,https://example.com/3,one1,\n"


class World:
    """A box and the calls that tests of links make."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box

    def call(self, procedure: str, /, *, key: KeyName = "linking", **given: Any) -> Answer:
        """A procedure on the plain mirror."""
        return self.box.post("/" + procedure.replace(".", "/"), given, key=key)

    def link(self, **given: Any) -> dict[str, Any]:
        """A new link; its row."""
        answer = self.call("links.create", **({"name": "A link", "targetUrl": TARGET} | given))
        assert answer.status == 200, answer.body
        made: dict[str, Any] = answer.json
        return made

    def follow(self, slug: str, *, method: str = "GET", query: str = "", host: str = "", **headers: str) -> Answer:
        """Whatever this short address answers; on a link domain where `host` names one."""
        path = f"/{slug}" if host else f"/l/{slug}"
        given = {"host": host} if host else {}
        return self.box.ask(method, f"{path}{'?' if query else ''}{query}", headers=given | headers)

    def unlock(self, slug: str, password: str, **more: Any) -> Answer:
        """The answer to this password."""
        return self.box.ask(
            "POST",
            f"/l/{slug}",
            headers={"content_type": "application/x-www-form-urlencoded"},
            body=f"password={password}".encode(),
            **more,
        )

    def counted(self) -> list[str]:
        """The kinds of all visits that were written down, in their order."""
        return [KINDS[row[0]] for row in self.clicks("kind")]

    def clicks(self, columns: str) -> list[tuple[Any, ...]]:
        """These columns of all visits that were written down; texts by `name_of(column)`."""
        self.box.run(self.box.box.events.clicks.flush())
        return self.rows(f"select {columns} from link_clicks order by id")

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Rows of events.db."""
        found: list[tuple[Any, ...]] = self.box.box.events.db.read_now(lambda db: db.execute(statement).fetchall())
        return found

    def link_domain(self, domain: str = DOMAIN, **given: Any) -> None:
        """A domain of short links, as if its TXT record had been found."""
        organization_id, now = self.box.organization_id, self.box.clock.now()
        self.box.box.box_db.write_now(
            lambda db: (
                db.execute(
                    "insert into domains (id, organization_id, domain, token, created_at, proven_at, proven_by)"
                    " values (?, ?, ?, ?, ?, ?, 'dns')",
                    (f"dom-{domain}", organization_id, domain, "x" * 32, now, now),
                )
                and None
            )
        )
        answer = self.call("links.addDomain", domain=domain, **given)
        assert answer.status == 200, answer.body


class PageWorld(World):
    """A box whose pages the owner looks at, or whoever has another cookie."""

    def page(self, path: str, cookie: str = "") -> Answer:
        """Whatever this path answers."""
        return self.box.get(path, cookie=cookie or self.box.cookie, accept="text/html")

    def seen(self, path: str, cookie: str = "") -> str:
        """A page that is there."""
        answer = self.page(path, cookie)
        assert answer.status == 200, answer.body
        return answer.body.decode()

    def sent(self, path: str, fields: dict[str, str], cookie: str = "") -> Answer:
        """The answer to a form."""
        form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
        headers = form | {"cookie": cookie or self.box.cookie}
        return self.box.ask("POST", path, headers=headers, body=urlencode(fields).encode())

    def made(self, **fields: str) -> str:
        """The id of a link that the form has made; names have __ for a dot."""
        form = {"targetUrl": TARGET, "do": "save"} | {name.replace("__", "."): value for name, value in fields.items()}
        answer = self.sent("/links/new", form)
        assert answer.status == 303, answer.body.decode()
        return answer.headers["location"].removeprefix("/links/").partition("?")[0]

    def imported(self, content: str, cookie: str = "") -> str:
        """The path of an import whose check has begun."""
        answer = self.sent("/links/bulk/text", {"text": content}, cookie)
        assert answer.status == 303, answer.body.decode()
        return answer.headers["location"]

    def over(self, path: str, cookie: str = "") -> str:
        """The page of an import once nothing is at work."""
        for _ in range(200):
            page = self.seen(path, cookie)
            if "<progress" not in page:
                return page
            self.box.run(_until_files_are_read())
        raise AssertionError(page)


async def _until_files_are_read() -> None:
    """Let the box go on until the imports that it works on have ended: between requests its loop stands still."""
    at_work = [task for task in asyncio.all_tasks() if "ImportJobs" in getattr(task.get_coro(), "__qualname__", "")]
    if at_work:
        await asyncio.wait(at_work)


def name_of(column: str) -> str:
    """A column of link_clicks as its text."""
    return f"(select value from strings where id = {column})"
