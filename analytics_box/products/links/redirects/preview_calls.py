"""The target that a visit would be redirected to, over RPC: `links.preview`."""

from msgspec import Struct

from analytics_box.products.links.lookup import find_link
from analytics_box.products.links.messages import Id
from analytics_box.products.links.redirects.live import redirected_to
from analytics_box.products.links.targeting.rules import TargetVisit
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.web.call import Call
from analytics_box.web.recognition import countries


class GivenVisit(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.preview: the visitor. Variants are assigned by `person`."""

    id: Id
    country: Text = ""
    region: Text = ""
    city: Text = ""
    device: Text = ""
    system: Text = ""
    browser: Text = ""
    language: Text = ""
    query: Text = ""
    person: Text = ""
    organizationId: Id | None = None


class ChoiceShown(Struct, frozen=True):
    """The target of a visit, what chose it, and what would come before: that the link has ended, or a password."""

    url: str
    rule: str
    variant: str
    app: str
    expired: bool
    password: bool


async def preview(call: Call, given: GivenVisit) -> ChoiceShown:
    """links.preview: return the destination for a given visitor. Raises Forbidden or NotFound.

    Counts nothing.
    """
    link = await find_link(call, given.id, given.organizationId)
    code, name = _country(given.country)
    visit = TargetVisit(
        person=given.person,
        country=name,
        country_code=code,
        region=given.region,
        city=given.city,
        device=given.device,
        system=given.system,
        browser=given.browser,
        language=given.language,
    )
    choice = redirected_to(link, visit, given.query)
    over = link.expires_at is not None and link.expires_at <= call.now
    return ChoiceShown(choice.url, choice.rule, choice.variant, choice.app, over, link.password is not None)


def _country(given: str) -> tuple[str, str]:
    """The code and the English name of a country that is given by either."""
    name = countries.name_of(given)
    if name:
        return given.upper(), name
    return next((code for code, known in countries.names().items() if known.lower() == given.lower()), ""), given
