"""Feature flags in the palette."""

from collections.abc import Sequence

from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.page_frame import HOME
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def flags(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Flags of the organization and its websites by name and key; of several environments each."""
    person = call.identity.person
    if person is None or not asked.words:
        return ()
    return [
        PaletteHit(
            "flag", flag.definition.name or flag.key, f"{HOME}/{flag.id}", "flag", _detail(flag.key, flag.environment)
        )
        for scope in call.parts[Flags].of(person.organization_id)
        for flag in scope.flags
        if asked.fits(flag.definition.name, flag.key, flag.environment or "")
    ]


def _detail(key: str, environment: str | None) -> str:
    return f"{key} · {environment}" if environment else key
