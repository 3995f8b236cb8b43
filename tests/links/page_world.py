"""What tests of the pages of links do: open them, send their forms, read what came back."""

from urllib.parse import urlencode

from tests.inprocess import Answer
from tests.links.world import TARGET, World

HOSTILE = '"><script>alert(1)</script>'
SHEET = "name,targetUrl,slug,folder\nOne,https://example.com/1,one1,Sheet\nTwo,javascript:alert(1),two2,\n,https://example.com/3,one1,\n"


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
        raise AssertionError(page)
