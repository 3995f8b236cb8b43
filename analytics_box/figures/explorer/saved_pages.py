"""The forms of the API explorer that save a question and delete one. Members may; viewers look at what is there."""

from typing import Final
from urllib.parse import parse_qsl

from litestar.params import FromPath

from analytics_box.base.errors import NotFound
from analytics_box.base.translation import _
from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.pages import page_of
from analytics_box.figures.explorer.question import QUESTIONS, Question
from analytics_box.figures.explorer.view import TypedQuery
from analytics_box.tenants.saved import change, verbs
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.questions import ConfirmationTexts, back_of
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion, Form
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DELETE_QUESTION = ConfirmationTexts(
    _("Delete the question {name}?"),
    _("People and API clients that use it will no longer find it."),
    _("Delete {name}"),
)


async def save(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/queries/saved: keep the query of `question` (as in an address) under a name, in the place of
    one's own of this name. Raises NotFound."""
    website, form = own(visit.call, website_id), await visit.form()
    tried = view.read_query(view.path_of(website.id), dict(parse_qsl(form.get("question", "")))).kept()

    async def keep() -> str:
        await _keep(visit, website, tried, form.get("name", ""), is_shared="shared" in form)
        return _redirect_after(view.address(tried), "saved")

    async def page(again_visit: PageRequest, again: Again) -> Page:
        return await page_of(again_visit, website, tried, again)

    return await visit.submit(keep, page, values=form)


async def _find(visit: PageRequest) -> tuple[Website, Question]:
    website, kept = await verbs.find_visible(visit.call, QUESTIONS, visit.path("question_id"))
    if website.id != visit.path("website_id"):
        raise NotFound.of("question", kept.id)
    return website, kept


def _question(visit: PageRequest, website: Website, kept: Question) -> DeleteQuestion:
    home = view.path_of(website.id)
    back = back_of(visit.asked("back"), home) or home
    shell = site_shell(visit, "queries", website)
    return DeleteQuestion(_DELETE_QUESTION, shell, kept.name, f"{back}#saved", fields={"back": back})


def _after(website: Website, form: Form) -> str:
    home = view.path_of(website.id)
    return _redirect_after(back_of(form.get("back", ""), home) or home, "deleted")


DELETION: Final = DeletePages(
    find=_find,
    question=_question,
    delete=lambda visit, _website, kept: verbs.delete(visit.call, QUESTIONS, kept.id),
    after=_after,
)


async def _keep(visit: PageRequest, website: Website, tried: TypedQuery, name: str, *, is_shared: bool) -> None:
    """Raises BadRequest or Conflict."""
    content, clean = view.parameters(tried), change.clean_name(QUESTIONS, name)
    for one in await verbs.visible(visit.call, QUESTIONS, website):
        if one.name == clean and one.is_of(visit.person.user_id):
            await verbs.update(visit.call, QUESTIONS, one.id, content=content, is_shared=is_shared)
            return
    await verbs.create(visit.call, QUESTIONS, website.id, clean, content, is_shared=is_shared)


def _redirect_after(address: str, done: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}done={done}#saved"
