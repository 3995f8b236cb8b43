"""The forms of the API explorer that save a question and forget one. Members may; viewers look at what is there."""

from urllib.parse import parse_qsl, urlencode

from litestar.params import FromPath

from analytics_box.http.page.visit import Again, Answer, Page, Visit, Visitor
from analytics_box.query_pages import saved, view
from analytics_box.query_pages.pages import page_of, path_of
from analytics_box.query_pages.view import Tried
from analytics_box.websites.reach import own
from analytics_box.websites.rules import Website


async def save(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/queries/saved: keep the query of `question` (as in an address) under a name. Raises NotFound."""
    website, form = own(visit.call, website_id), await visit.form()
    tried = _tried(website, form)

    async def keep() -> str:
        question = view.parameters(tried)
        await visit.call.write(
            lambda db: saved.save(
                db,
                website,
                visit.person,
                visit.call.by,
                form.get("name", ""),
                question,
                shared="shared" in form,
            )
        )
        return _back(tried, "saved")

    async def page(again_visit: Visit, again: Again) -> Page:
        return await page_of(again_visit, website, tried, again)

    return await visit.submit(keep, page, values=form)


async def forget(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/queries/saved/delete: forget a saved question, which stays in the form. Raises NotFound."""
    website, form = own(visit.call, website_id), await visit.form()
    gone = await visit.call.write(lambda db: saved.forget(db, website, visit.person, visit.call.by, form.get("id", "")))
    return visit.go(_back(view.read(path_of(website), gone.question), "deleted"))


def _tried(website: Website, form: dict[str, str]) -> Tried:
    return view.read(path_of(website), dict(parse_qsl(form.get("question", "")))).kept()


def _back(tried: Tried, done: str) -> str:
    return f"{tried.path}?{urlencode({**view.parameters(tried), 'done': done}, safe='/')}#saved"
