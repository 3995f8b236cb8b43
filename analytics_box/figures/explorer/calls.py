"""The procedures `questions.*`. Keys need read:data to read and manage:websites to write, and see shared ones only."""

from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.question import QUESTIONS, Question, content_of, query_of
from analytics_box.query.request import GivenQuery
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.tenancy.messages import Success, Text, date
from analytics_box.tenants.websites.messages import ByWebsite
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call


class OneQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a saved question."""

    id: Text


class NewQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of questions.create. `query` is the body of POST /v1/query with one type, and with filters of which all
    or any must hold. Without `isShared` only who saves it sees it."""

    websiteId: Text
    name: Text
    query: GivenQuery
    isShared: bool = False


class ChangedQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of questions.update; what is not given stays."""

    id: Text
    name: Text | UnsetType = UNSET
    query: GivenQuery | UnsetType = UNSET
    isShared: bool | UnsetType = UNSET


class QuestionShown(Struct, frozen=True):
    """A saved question. `query` can be sent to POST /v1/query as it is; `url` shows it in the API explorer."""

    id: str
    websiteId: str
    name: str
    query: dict[str, Any]
    url: str
    isShared: bool
    createdAt: datetime
    updatedAt: datetime


def question_answer(kept: Question, box_url: str) -> QuestionShown:
    """A saved question for an answer."""
    tried = view.read_query(view.path_of(kept.website_id), kept.content)
    return QuestionShown(
        id=kept.id,
        websiteId=kept.website_id,
        name=kept.name,
        query=query_of(kept.content),
        url=f"{box_url}{view.address(tried)}",
        isShared=kept.is_shared,
        createdAt=date(kept.created_at),
        updatedAt=date(kept.updated_at),
    )


async def list_questions(call: Call, given: ByWebsite) -> list[QuestionShown]:
    """questions.list: list the caller's and shared questions by name. Raises NotFound."""
    return [_question_list(call, one) for one in await verbs.visible(call, QUESTIONS, own(call, given.websiteId))]


async def get_by_id(call: Call, given: OneQuestion) -> QuestionShown:
    """questions.getById: get a question. Raises NotFound."""
    _, found = await verbs.find_visible(call, QUESTIONS, given.id)
    return _question_list(call, found)


async def create(call: Call, given: NewQuestion) -> QuestionShown:
    """questions.create: save a question. Raises NotFound, BadRequest or Conflict."""
    content = content_of(given.query, call.now)
    made = await verbs.create(call, QUESTIONS, given.websiteId, given.name, content, is_shared=given.isShared)
    return _question_list(call, made)


async def update(call: Call, given: ChangedQuestion) -> QuestionShown:
    """questions.update: update a question. Raises NotFound, BadRequest or Conflict.

    Omitted fields keep their values.
    """
    content = UNSET if given.query is UNSET else content_of(given.query, call.now)
    changed = await verbs.update(call, QUESTIONS, given.id, name=given.name, content=content, is_shared=given.isShared)
    return _question_list(call, changed)


async def delete(call: Call, given: OneQuestion) -> Success:
    """questions.delete: delete a question. Raises NotFound."""
    await verbs.delete(call, QUESTIONS, given.id)
    return Success()


def _question_list(call: Call, kept: Question) -> QuestionShown:
    return question_answer(kept, call.parts.settings.public_url)
