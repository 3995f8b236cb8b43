"""Input and output of procedures of saved questions."""

from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.question import Question, query_of
from analytics_box.query.request import GivenQuery
from analytics_box.tenants.tenancy.messages import Text, date


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
