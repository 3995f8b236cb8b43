"""All flags of a website or of an organization at one instant, which are evaluated together."""

from msgspec import Struct

from analytics_box.products.flags.flag import Flag, TargetGroup


class FlagScope(Struct, frozen=True):
    """The living flags and the target groups of a website, or of an organization where `website_id` is None.

    `id` is the `clientId` of public routes. `revision` grows with each change and is 0 before the first; `updated_at`
    is UTC ms. Flags are in the order of their keys.
    """

    id: str
    organization_id: str
    website_id: str | None
    revision: int = 0
    updated_at: int = 0
    flags: tuple[Flag, ...] = ()
    groups: tuple[TargetGroup, ...] = ()
