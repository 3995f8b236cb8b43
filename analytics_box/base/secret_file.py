"""Files whose first line is a secret that a setting names: a password or a token."""

from pathlib import Path

from analytics_box.base.settings import Settings, SettingsError


def first_line(setting: str, file: str) -> str:
    """Return the first line of the file, or an empty string if none is named. The setting's name is for errors.

    Raises SettingsError for a file that cannot be read or is not UTF-8.
    """
    if not file:
        return ""
    try:
        # Some editors begin a file with a byte order mark, which is no part of the secret.
        return Path(file).expanduser().read_text("utf-8-sig").partition("\n")[0].rstrip("\r")
    except UnicodeDecodeError as broken:
        raise SettingsError(f"{setting}: {file} is not UTF-8. Save it as UTF-8") from broken
    except (OSError, RuntimeError) as broken:  # RuntimeError: ~ of a user without a home directory
        reason = broken.strerror if isinstance(broken, OSError) else str(broken)
        raise SettingsError(f"{setting}: {file} cannot be read: {reason}") from broken


def check(settings: Settings) -> None:
    """Raises SettingsError for a secret that is used and cannot be read, or is empty."""
    used = {
        "smtp_password_file": bool(settings.smtp_host and settings.smtp_user),
        "metrics_token_file": settings.metrics == "on",
        "clickhouse_password_file": settings.columnar == "clickhouse",
    }
    for setting in (name for name, is_used in used.items() if is_used):
        file = getattr(settings, setting)
        if file and not first_line(setting, file).strip():
            raise SettingsError(f"{setting}: the first line of {file} is empty")
