"""The procedures `boxSettings.*`: settings of the server, for its administrators and the command line."""

from pathlib import Path
from typing import Any

from msgspec import Struct

from analytics_box.base.backup.backups import Backups
from analytics_box.base.backup.failures import BackupFailed
from analytics_box.base.backup.places import S3, place_of
from analytics_box.base.errors import BadRequest, Forbidden
from analytics_box.base.settings import Settings
from analytics_box.base.stored_settings import SettingState, StoredSettings, Values
from analytics_box.base.translation import _
from analytics_box.tenants.configuration.channels import TESTS, TestEmailResult, send_test
from analytics_box.tenants.tenancy import members
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.web.call import Call

_OF_BACKUPS = ("backup_to", "s3_endpoint", "s3_region", "s3_access_key", "s3_secret_key")


class BoxSetting(Struct, frozen=True):
    """A setting of the server. `value` is null for a secret; `isSet` is whether it differs from the default.

    `source` is `default`, `stored`, or the environment variable, option or file that gives it; then it cannot be
    changed here. With `needsRestart` the value takes effect at the next start.
    """

    name: str
    value: Any
    isSet: bool
    source: str
    needsRestart: bool


class BoxSettings(Struct, frozen=True):
    """Output of boxSettings.get and boxSettings.update."""

    settings: list[BoxSetting]


class UpdateBoxSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of boxSettings.update: values by name. A value of null resets a setting to its default."""

    values: dict[str, Any]


async def get(call: Call) -> BoxSettings:
    """boxSettings.get: get the settings that administrators can change. Raises Forbidden."""
    await check_administrator(call)
    return BoxSettings([_setting(one) for one in call.parts[StoredSettings].all() if one.editable])


async def show_all(call: Call) -> list[BoxSetting]:
    """settings: all settings of the server, also those that only a file or the environment can change."""
    return [_setting(one) for one in call.parts[StoredSettings].all()]


async def update(call: Call, given: UpdateBoxSettings) -> BoxSettings:
    """boxSettings.update: change settings of the server. Raises Forbidden, or BadRequest for what cannot work."""
    await check_administrator(call)
    await change(call, given.values)
    return await get(call)


async def test_email(call: Call) -> TestEmailResult:
    """boxSettings.testEmail: send a test email to the caller. Raises Forbidden or RateLimited."""
    await check_administrator(call)
    call.parts.limits.take("test e-mail", call.identity.limit_name, TESTS)
    if call.identity.person is None:
        raise BadRequest(_("Sign in to get a test email"))
    return await send_test(call, call.identity.person.email)


async def back_up(call: Call) -> Success:
    """boxSettings.backUp: start a backup to the destination in the settings. Raises Forbidden or Conflict."""
    await check_administrator(call)
    call.parts[Backups].start()
    return Success()


async def check_administrator(call: Call) -> None:
    """Raises Forbidden unless the caller administers this box: a user who does, or its command line."""
    by = call.by
    if call.identity.operator is None and not await call.read(lambda db: members.administers(db, by)):
        raise Forbidden(_("Only administrators of this server can do this"))


async def change(call: Call, values: Values) -> None:
    """Store and apply settings. Raises BadRequest."""
    person = call.identity.person
    organization_id = person.organization_id if person is not None else ""
    await call.parts[StoredSettings].change(call.parts.box_db, call.by, organization_id, values, check_backups)


def check_backups(before: Settings, after: Settings) -> None:
    """Check that backups can be stored at a new destination. Raises BadRequest."""
    where = after.backup_to
    if not where or all(getattr(before, name) == getattr(after, name) for name in _OF_BACKUPS):
        return
    if not where.startswith((S3, "/", "~")):
        raise BadRequest.about("backup_to", _("Enter a full path, such as /var/backups, or s3://bucket/prefix"))
    try:
        place_of(where, after).look()
    except (BackupFailed, OSError) as failed:
        raise BadRequest.about("backup_to", str(failed)) from failed


def _setting(one: SettingState) -> BoxSetting:
    value = str(one.value) if isinstance(one.value, Path) else one.value
    return BoxSetting(one.name, value, one.is_set, one.source or "default", one.waits)
