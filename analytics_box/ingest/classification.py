"""Per-website bot settings, cached in memory because every event needs them."""

from collections.abc import Mapping

from msgspec.structs import replace

from analytics_box.ingest.bot_rules import Bot, Wishes
from analytics_box.ingest.enrich import EventSender
from analytics_box.web.recognition import hosting
from analytics_box.web.recognition.bots import DATA_CENTRE

NOTHING = Wishes()


class Classification:
    """Settings for bots by the number of the site. After a change, call `remember` once it is committed."""

    def __init__(self, wishes: Mapping[int, Wishes]) -> None:
        self.replace(wishes)

    def replace(self, wishes: Mapping[int, Wishes]) -> None:
        """Replace the settings of all sites."""
        self._wishes = {site: wanted for site, wanted in wishes.items() if wanted != NOTHING}

    def of(self, site: int) -> Wishes:
        """A website's settings for bots."""
        return self._wishes.get(site, NOTHING)

    def sites(self) -> list[int]:
        """The sites that count some bots as people."""
        return [site for site, wanted in self._wishes.items() if wanted.people]

    def remember(self, site: int, wanted: Wishes) -> None:
        """Use a website's changed settings."""
        if wanted == NOTHING:
            self._wishes.pop(site, None)
        else:
            self._wishes[site] = wanted

    def classify(self, sender: EventSender, site: int) -> EventSender:
        """The sender as this website sees it. Servers with an API key are not classified."""
        wanted = self._wishes.get(site)
        if wanted is None or sender.by_key:
            return sender
        seen = Bot(sender.bot, sender.bot_name)
        if not seen.reason and wanted.data_centres:
            seen = Bot(DATA_CENTRE, hosting.provider_of(sender.network))
            if not seen.agent:
                return sender
        if seen.reason and wanted.has(seen):
            seen = Bot("", "")
        if seen.reason == sender.bot:
            return sender
        return replace(sender, bot=seen.reason, bot_name=seen.agent)
