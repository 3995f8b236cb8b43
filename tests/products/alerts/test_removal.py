"""What goes with a website and with an organization."""

from analytics_box.app.jobs import purge_organizations, purge_websites
from analytics_box.base.clock import DAY
from tests.products.alerts.world import World

TABLES = ("alarms", "alarm_channels", "alarm_topics", "alarm_episodes", "alarm_held")


def left(world: World) -> dict[str, int]:
    """How many rows each table has."""

    def count(table: str) -> int:
        found = world.box.box.box_db.read_now(lambda db: db.execute(f"select count(*) from {table}").fetchall())
        return int(str(found[0][0]))

    return {table: count(table) for table in TABLES}


def filled(world: World) -> None:
    """An alarm of all and one of a website, with something of each that goes on and is held back."""
    hook = world.channel()
    quiet = {"quietHours": {"start": "00:00", "end": "00:00"}}
    for site, conditions in ((None, {}), (world.box.sites["shop"], quiet)):
        alarm = world.alarm(hook)
        world.call("alarms.update", alarmId=alarm, websiteId=site, triggerConditions=conditions)
    world.happens("down", website_id=world.box.sites["shop"])


def test_alarms_of_a_website_go_with_it(world: World) -> None:
    filled(world)
    assert left(world) == dict.fromkeys(TABLES, 2) | {"alarm_held": 1}
    world.call("websites.delete", id=world.box.sites["shop"])
    assert len(world.call("alarms.list")) == 2  # it may be restored
    world.box.clock.advance(seconds=8 * DAY / 1000)
    world.box.run(purge_websites(world.box.box))
    assert left(world) == dict.fromkeys(TABLES, 1) | {"alarm_held": 0}


def test_alarms_of_an_organization_go_with_it(world: World) -> None:
    filled(world)
    world.people.join("ada", "owner", world.box.foreign_organization_id)
    world.call("organizations.delete", organizationId=world.box.organization_id)
    assert world.after(0) == 0
    world.box.clock.advance(seconds=31 * DAY / 1000)
    world.box.run(purge_organizations(world.box.box))
    assert left(world) == dict.fromkeys(TABLES, 0)
