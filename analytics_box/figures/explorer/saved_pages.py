"""The forms of the API explorer that save a question and delete one. Members may; viewers look at what is there."""

from urllib.parse import parse_qsl

from litestar.params import FromPath

from analytics_box.base.translation import _
from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.pages import page_of
from analytics_box.figures.explorer.question import QUESTIONS
from analytics_box.figures.explorer.view import TypedQuery
from analytics_box.tenants.saved import change, verbs
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.questions import ConfirmationTexts, ask, back_of
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


async def delete_form(visit: Visitor, website_id: FromPath[str], question_id: FromPath[str]) -> Page:
    """GET /sites/{id}/queries/saved/{question}/delete: are you sure? Raises NotFound."""
    website, kept = await verbs.find_visible(visit.call, QUESTIONS, question_id)
    home = view.path_of(website_id)
    back = back_of(visit.asked("back"), home) or home
    return ask(
        visit,
        site_shell(visit, "queries", website),
        _DELETE_QUESTION,
        kept.name,
        action=f"{home}/saved/{kept.id}/delete",
        back=f"{back}#saved",
        fields={"back": back},
    )


async def delete(visit: Visitor, website_id: FromPath[str], question_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/queries/saved/{question}/delete: forget it, and go back to the page. Raises NotFound."""
    form, home = await visit.form(), view.path_of(website_id)
    await verbs.delete(visit.call, QUESTIONS, question_id)
    return visit.go(_redirect_after(back_of(form.get("back", ""), home) or home, "deleted"))


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
