"""Funnels over RPC (wire 10.5). Keys need read:data to read, manage:websites to write."""

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.products.funnels import change, lookup
from analytics_box.products.funnels.figures import BY, TOTALS, FunnelQuery, duration_text, figures_of, rate_of
from analytics_box.products.funnels.lookup import FUNNELS, find_funnel
from analytics_box.products.funnels.messages import (
    AnalyzedFunnel,
    ChangedFunnel,
    FunnelAnalytics,
    FunnelReferrer,
    FunnelReferrers,
    FunnelShown,
    ListFunnels,
    NewFunnel,
    OneFunnel,
    ReferrerShown,
    funnel_answer,
)
from analytics_box.products.funnels.rules import steps_of
from analytics_box.products.goals.figures import given_period
from analytics_box.products.goals.messages import GoalStep
from analytics_box.query.catalog.funnels import REACHED
from analytics_box.query.catalog.types import Record
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call
from analytics_box.web.recognition import source


async def list_funnels(call: Call, given: ListFunnels) -> list[FunnelShown]:
    """funnels.list: list funnels, oldest first. Raises NotFound."""
    website = own(call, given.websiteId)
    return [funnel_answer(funnel) for funnel in await call.read(lambda db: lookup.of_website(db, website.id))]


async def get_by_id(call: Call, given: OneFunnel) -> FunnelShown:
    """funnels.getById: get a funnel. Raises NotFound."""
    _website, funnel = await find_funnel(call, given.id, given.websiteId)
    return funnel_answer(funnel)


async def create(call: Call, given: NewFunnel) -> FunnelShown:
    """funnels.create: create a funnel. Raises NotFound, BadRequest or Conflict."""
    website = own(call, given.websiteId)
    return funnel_answer(
        await call.parts.box_db.write(lambda db: change.create(db, call.by, website, given), adds=True),
    )


async def update(call: Call, given: ChangedFunnel) -> FunnelShown:
    """funnels.update: update a funnel. Raises NotFound or BadRequest.

    Omitted fields keep their values.
    """
    website, _funnel = await find_funnel(call, given.id, given.websiteId)
    return funnel_answer(await call.write(lambda db: change.update(db, call.by, website, given)))


async def delete(call: Call, given: OneFunnel) -> Success:
    """funnels.delete: delete a funnel. Raises NotFound."""
    website, _funnel = await find_funnel(call, given.id, given.websiteId)
    await call.write(lambda db: FUNNELS.remove(db, call.by, website.organization_id, FUNNELS.existing(db, given.id)))
    return Success()


async def get_analytics(call: Call, given: AnalyzedFunnel) -> FunnelAnalytics:
    """funnels.getAnalytics: return the steps of a funnel with their conversions. Raises NotFound, BadRequest or
    Unavailable."""
    website, funnel = await find_funnel(call, given.funnelId, given.websiteId)
    period = given_period(call, given.startDate, given.endDate)
    steps = steps_of(funnel.definition)
    asked = FunnelQuery(call.parts[QueryRunner], website.site, steps, period.zone, period.now)
    found = await asked.rows(period.days, [TOTALS])
    if isinstance(found, str):
        raise errors.Unavailable(found)
    known = figures_of(found[0][0], steps.names)
    payments = await asked.payments(period.days)
    if payments is None:
        raise errors.Unavailable(_("The revenue of the funnel could not be loaded"))
    return FunnelAnalytics(
        overall_conversion_rate=known.rate,
        total_users_entered=known.starts,
        total_users_completed=known.conversions,
        avg_completion_time=round((known.mean or 0) / 1000, 2),
        avg_completion_time_formatted=duration_text(known.mean or 0),
        biggest_dropoff_step=known.biggest_drop["step_number"],
        biggest_dropoff_rate=known.biggest_drop["dropoff_rate"],
        steps_analytics=[GoalStep(**{name: step[name] for name in GoalStep.__struct_fields__}) for step in known.steps],
        payments=payments,
    )


async def get_analytics_by_referrer(call: Call, given: AnalyzedFunnel) -> FunnelReferrers:
    """funnels.getAnalyticsByReferrer: return the conversions of a funnel by source. Raises NotFound, BadRequest or
    Unavailable."""
    website, funnel = await find_funnel(call, given.funnelId, given.websiteId)
    period = given_period(call, given.startDate, given.endDate)
    steps = steps_of(funnel.definition)
    asked = FunnelQuery(call.parts[QueryRunner], website.site, steps, period.zone, period.now)
    found = await asked.rows(period.days, [BY["source"]])
    if isinstance(found, str):
        raise errors.Unavailable(found)
    return FunnelReferrers([_referrer(row, len(steps.names)) for row in found[0]])


def _referrer(row: Record, steps: int) -> FunnelReferrer:
    name = row["source"]
    domain = source.domain_of(name)
    address = f"https://{domain}" if domain else ""
    return FunnelReferrer(
        referrer=address,
        referrer_parsed=ReferrerShown(name, source.kind_of(name), domain, address),
        total_users=row[REACHED[0]],
        completed_users=row[f"step_{steps}"],
        conversion_rate=rate_of(row, steps),
    )
