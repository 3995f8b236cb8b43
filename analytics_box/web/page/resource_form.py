"""The pages of a resource's form, declared once: creating one, editing one, and deleting one after a question."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import NotFound
from analytics_box.base.translation import _
from analytics_box.web.page.edits import check_version
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

Owner = TypeVar("Owner")
Row = TypeVar("Row")
Form = Mapping[str, str]


class DeleteQuestion(NamedTuple):
    """The question before a row is deleted; `back` is where cancel leads, `facts` fill in its text, and its answer has
    the `fields`."""

    texts: ConfirmationTexts
    shell: Shell
    name: str
    back: str
    facts: Mapping[str, str] = {}
    fields: Mapping[str, str] = {}


class DeletePages(Struct, Generic[Owner, Row], frozen=True, kw_only=True):
    """The handlers that delete a row after a question. `find` returns the owner of what the address names, such as a
    website, with the row, and raises NotFound; `delete` deletes the row, and `after` is the address of the next page.
    """

    find: Callable[[PageRequest], Awaitable[tuple[Owner, Row | None]]]
    question: Callable[[PageRequest, Owner, Row], DeleteQuestion]
    delete: Callable[[PageRequest, Owner, Row], Awaitable[object]]
    after: Callable[[Owner, Form], str]

    async def show_question(self, visit: Visitor) -> Page:
        """GET: confirm the deletion. Raises NotFound."""
        question = self.question(visit, *await self._existing(visit))
        texts, shell, name, back, facts, fields = question
        return ask(visit, shell, texts, name, action=visit.request.url.path, back=back, fields={**fields}, **facts)

    async def submit_deletion(self, visit: Visitor) -> Answer:
        """POST: delete the row. Raises NotFound, BadRequest or Conflict."""
        owner, row = await self._existing(visit)
        form = await visit.form()
        await self.delete(visit, owner, row)
        return visit.go(self.after(owner, form))

    async def _existing(self, visit: PageRequest) -> tuple[Owner, Row]:
        owner, row = await self.find(visit)
        if row is None:
            raise NotFound(_("This page does not exist"))
        return owner, row


class FormPages(Struct, Generic[Owner, Row], frozen=True, kw_only=True):
    """The handlers of a form. A resource has its own functions for what they do:

    `find` returns what the address names: the owner, and the row or None for a new one; it raises NotFound. `fill`
    returns the values of the inputs, `show` the page with the form. `save` stores a form and returns the address of
    the next page; it raises BadRequest or Conflict. `press` answers buttons of the form that do not save it, and
    returns None for the others. `clean` drops fields that are not the form's. Fields in `unversioned` change by use,
    so that they cause no edit conflict. `names` are those of the inputs that differ from the procedure's fields.
    """

    find: Callable[[PageRequest], Awaitable[tuple[Owner, Row]]]
    fill: Callable[[PageRequest, Owner, Row], Form]
    show: Callable[[PageRequest, Owner, Row, Again], Awaitable[Page]]
    save: Callable[[PageRequest, Owner, Row, Form], Awaitable[str]]
    clean: Callable[[dict[str, str]], Form] = dict
    press: Callable[[PageRequest, Owner, Row, Form], Awaitable[Page | None]] | None = None
    unversioned: tuple[str, ...] = ()
    names: Mapping[str, str] = {}
    deletion: DeletePages[Any, Any] | None = None

    async def show_form(self, visit: Visitor) -> Page:
        """GET: the form of a new row, or of the one in the address. Raises NotFound."""
        owner, row = await self.find(visit)
        return await self.show(visit, owner, row, Again(values=self.fill(visit, owner, row)))

    async def submit_form(self, visit: Visitor) -> Answer:
        """POST: store the form, or show it again with what is wrong or with what one of its buttons does. Raises
        NotFound."""
        owner, row = await self.find(visit)
        form = self.clean(await visit.form())
        pressed = await self.press(visit, owner, row, form) if self.press is not None else None
        if pressed is not None:
            return pressed

        async def save() -> str:
            if row is not None:
                check_version(form, row, without=self.unversioned)
            return await self.save(visit, owner, row, form)

        async def show(to: PageRequest, again: Again) -> Page:
            wrong = {self.names.get(name, name): message for name, message in again.wrong.items()}
            return await self.show(to, owner, row, replace(again, wrong=wrong))

        return await visit.submit(save, show, values=form)
