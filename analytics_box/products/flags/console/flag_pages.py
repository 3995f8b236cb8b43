"""A flag's own page under /flags/{id}: what it decides, in sentences, and the buttons that change its status."""

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base.texts import FlagPage, figures
from analytics_box.products.flags.console.list_pages import stale_said
from analytics_box.products.flags.console.typed import json_text
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.page_frame import HOME, Opened, called, opened
from analytics_box.products.flags.sentences import Said, flag_lines, percent, weights
from analytics_box.products.flags.usage.reading import Used, used
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Page, Visitor


class VariantShown(Struct, frozen=True):
    """A variant with its value as text; `bar` is the class that draws its share."""

    key: str
    value: str
    share: str
    bar: str
    description: str


class Other(Struct, frozen=True):
    """Another flag to go to."""

    name: str
    href: str


class FlagShown(Struct, frozen=True):
    """A flag on its own page."""

    description: str
    lines: tuple[Said, ...]
    variants: tuple[VariantShown, ...]
    payload: str
    needed_by: tuple[Other, ...]
    facts: tuple[tuple[str, str], ...]
    stale: str
    status: str
    dependent: bool  # whether it draws by the hash whose draws depend on each other


async def flag_page(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}. Raises NotFound or Forbidden."""
    page = await opened(visit, flag_id)
    found = await used(visit.parts, page.scope, (page.flag,))
    return page.show("flag.html", "now", flag=_shown(page, found[page.flag.id]))


def needed_by(page: Opened) -> list[Flag]:
    """The flags beside it that need it, in the same environment."""
    own = page.flag
    return [
        one
        for one in page.scope.flags
        if one.environment == own.environment
        and one.id != own.id
        and (own.key in one.definition.dependencies or own.key in {each.key for each in one.definition.prerequisites})
    ]


def _shown(page: Opened, uses: Used) -> FlagShown:
    flag, given = page.flag, page.flag.definition
    return FlagShown(
        description=given.description,
        lines=flag_lines(given, page.groups, user_id=flag.user_id),
        variants=_variants(flag),
        payload=json_text(given.payload),
        needed_by=tuple(Other(called(one), f"{HOME}/{one.id}") for one in needed_by(page)),
        facts=_facts(page, uses),
        stale=stale_said(uses, page.visit.person),
        status=given.status,
        dependent=_draws(flag) and given.bucketing.algorithm == "default",
    )


def _variants(flag: Flag) -> tuple[VariantShown, ...]:
    given = flag.definition.variants
    if flag.definition.type != "multivariant" or not given:
        return ()
    return tuple(
        VariantShown(
            key=figures.visible(one.key),
            value=one.value if isinstance(one.value, str) and one.type == "string" else json_text(one.value),
            share=percent(round(weight, 2)),
            bar=figures.bar_width(weight, 100),
            description=figures.visible(one.description),
        )
        for one, weight in zip(given, weights(given), strict=True)
    )


def _facts(page: Opened, uses: Used) -> tuple[tuple[str, str], ...]:
    flag, person, words = page.flag, page.visit.person, FlagPage
    facts = [
        (words.evaluated, dates.moment(uses.last_at, person) if uses.last_at is not None else words.never),
        (words.changed, dates.moment(flag.updated_at, person)),
        (words.created, dates.moment(flag.created_at, person)),
        (words.history, words.version.format(number=figures.count(flag.version))),
    ]
    if _draws(flag):
        facts.append((words.bucketing, words.algorithms[flag.definition.bucketing.algorithm]))
    return tuple(facts)


def _draws(flag: Flag) -> bool:
    """Whether the flag draws users by its own bucketing."""
    given = flag.definition
    return given.type in {"rollout", "multivariant"} or any(one.percentage is not None for one in given.rules)
