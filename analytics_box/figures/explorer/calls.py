"""The procedures `questions.*`. Keys need read:data to read and manage:websites to write, and see shared ones only."""

from msgspec import UNSET

from analytics_box.figures.explorer import messages
from analytics_box.figures.explorer.messages import ChangedQuestion, NewQuestion, OneQuestion, QuestionShown
from analytics_box.figures.explorer.question import QUESTIONS, Question, content_of
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.messages import ByWebsite
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call


async def list_questions(call: Call, given: ByWebsite) -> list[QuestionShown]:
    """questions.list: the caller's own and the shared ones, by name. Raises NotFound."""
    return [_question_list(call, one) for one in await verbs.visible(call, QUESTIONS, own(call, given.websiteId))]


async def get_by_id(call: Call, given: OneQuestion) -> QuestionShown:
    """questions.getById. Raises NotFound."""
    _, found = await verbs.find_visible(call, QUESTIONS, given.id)
    return _question_list(call, found)


async def create(call: Call, given: NewQuestion) -> QuestionShown:
    """questions.create. Raises NotFound, BadRequest or Conflict."""
    content = content_of(given.query, call.now)
    made = await verbs.create(call, QUESTIONS, given.websiteId, given.name, content, is_shared=given.isShared)
    return _question_list(call, made)


async def update(call: Call, given: ChangedQuestion) -> QuestionShown:
    """questions.update: what is not given stays. Raises NotFound, BadRequest or Conflict."""
    content = UNSET if given.query is UNSET else content_of(given.query, call.now)
    changed = await verbs.update(call, QUESTIONS, given.id, name=given.name, content=content, is_shared=given.isShared)
    return _question_list(call, changed)


async def delete(call: Call, given: OneQuestion) -> Success:
    """questions.delete. Raises NotFound."""
    await verbs.delete(call, QUESTIONS, given.id)
    return Success()


def _question_list(call: Call, kept: Question) -> QuestionShown:
    return messages.question_answer(kept, call.parts.settings.public_url)
