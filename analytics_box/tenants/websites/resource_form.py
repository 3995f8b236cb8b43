"""The form of a website's resource, such as a goal: its addresses, its page, and its procedures."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.call import Call
from analytics_box.web.page.edits import shown_version
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion, Form, FormPages
from analytics_box.web.page.shell import Here
from analytics_box.web.page.visit import Again, Page, PageRequest


class FormRow(Protocol):
    """A row with an id and a name."""

    @property
    def id(self) -> str:
        """The id."""

    @property
    def name(self) -> str:
        """The name that people gave it."""


Row = TypeVar("Row", bound=FormRow)
# A procedure of the resource and its input.
Operation = tuple[Callable[[Call, Any], Awaitable[Any]], type[Struct]]


class WebsiteForm(Struct, Generic[Row], frozen=True, kw_only=True):
    """The page with the form, at /sites/{id}/{path}/new and /sites/{id}/{path}/{row}.

    With `has_page` each row has a page, and its form is at /edit behind it. With `has_anchors` the list shows
    the row that was saved. `home` is the path of the list, if it is elsewhere. `context` returns what the template
    needs in addition.
    """

    path: str
    template: str
    here: Here
    labels: Mapping[str, str]
    context: Callable[[PageRequest, Website, Row | None, Form], Awaitable[Mapping[str, Any]]]
    has_page: bool = False
    has_anchors: bool = False
    home: str = ""

    def list_address(self, website: Website) -> str:
        """The address of the list."""
        return f"/sites/{website.id}/{self.home or self.path}"

    def address(self, website: Website, row: Row | None) -> str:
        """The address of the form."""
        name = "new" if row is None else f"{row.id}/edit" if self.has_page else row.id
        return f"/sites/{website.id}/{self.path}/{name}"

    async def show(
        self, visit: PageRequest, website: Website, row: Row | None, again: Again, **context: object
    ) -> Page:
        """The page with the form as filled in, or as it came back."""
        home = self.list_address(website)
        shown: dict[str, Any] = {
            "site": website,
            "home": home,
            "action": self.address(website, row),
            "back": f"{home}/{row.id}" if row is not None and self.has_page else home,
            "is_new": row is None,
            "version": shown_version(row, again.values) if row is not None else "",
            "labels": self.labels,
        }
        shown |= await self.context(visit, website, row, again.values)
        return visit.show(self.template, site_shell(visit, self.here, website), again, **{**shown, **context})

    def pages(
        self,
        *,
        parameter: str,
        find: Callable[[Call, str, str], Awaitable[tuple[Website, Row]]],
        fill: Callable[[PageRequest, Website, Row | None], Form],
        message: Callable[[PageRequest, Website, Row | None, Form], Awaitable[Mapping[str, Any]]],
        create: Operation,
        update: Operation,
        delete: Operation,
        question: ConfirmationTexts,
        press: Callable[[PageRequest, Website, Row | None, Form], Awaitable[Page | None]] | None = None,
    ) -> FormPages[Website, Row | None]:
        """The handlers. `parameter` names the row in addresses, `message` returns the fields of the procedures that
        create and update one, and `fill` the values of the inputs."""

        async def find_row(visit: PageRequest) -> tuple[Website, Row | None]:
            website_id, row_id = visit.path("website_id"), visit.path(parameter)
            return await find(visit.call, row_id, website_id) if row_id else (own(visit.call, website_id), None)

        async def run(visit: PageRequest, operation: Operation, given: Mapping[str, Any]) -> Any:
            procedure, kind = operation
            return await procedure(visit.call, message_of(given, kind))

        async def save(visit: PageRequest, website: Website, row: Row | None, form: Form) -> str:
            given = await message(visit, website, row, form)
            if row is None:
                created = await run(visit, create, {"websiteId": website.id, **given})
                return self._saved_address(website, created.id, "created")
            await run(visit, update, {"id": row.id, **given})
            return self._saved_address(website, row.id, "saved")

        deletion = DeletePages(
            find=find_row,
            question=lambda visit, website, row: DeleteQuestion(
                question, site_shell(visit, self.here, website), row.name, self.address(website, row)
            ),
            delete=lambda visit, _website, row: run(visit, delete, {"id": row.id}),
            after=lambda website, _form: f"{self.list_address(website)}?done=deleted",
        )
        return FormPages(find=find_row, fill=fill, show=self.show, save=save, press=press, deletion=deletion)

    def _saved_address(self, website: Website, row_id: str, done: str) -> str:
        home, anchor = self.list_address(website), f"#{row_id}" if self.has_anchors else ""
        return f"{home}/{row_id}?done={done}" if self.has_page else f"{home}?done={done}{anchor}"
