"""What is stored, as text again: the rows of events.db by column."""

from typing import Any

from tests.inprocess import WholeBox

TEXTS = {  # columns that hold numbers of strings, in any table
    *("name", "namespace", "profile", "path", "query_string", "title", "bot", "agent", "origin", "client_session"),
    *("entry", "referrer", "source", "channel", "click_id", "utm_source", "utm_medium", "utm_campaign", "utm_term"),
    *("utm_content", "country", "region", "city", "browser", "browser_version", "system", "system_version", "device"),
    *("language", "time_zone", "viewport", "screen", "connection"),
    *("type", "message", "filename", "stack", "release", "fingerprint", "href", "text", "domain"),
    *("flag", "variant", "provider", "payment_type", "payment_status", "currency", "lifecycle", "attribution"),
    *("unmatched_reason", "transaction_id", "product_id", "product_name", "failure_reason"),
    *("first_source", "first_channel", "first_campaign", "first_entry"),
    *("ai_agent", "product", "purpose", "format", "report", "signature"),
    *("exit_type", "rage_target", "dead_target", "last_field"),
    *("tool", "error", "error_group", "client_name", "client_version", "server_name", "server_version", "environment"),
    "user_agent",
}


def rows(box: WholeBox, table: str, *columns: str) -> list[tuple[Any, ...]]:
    """These columns of every row, in the order of arrival."""
    shown = ", ".join(
        f"(select value from strings where strings.id = {column})" if column in TEXTS else column for column in columns
    )
    return [
        tuple(row)
        for row in box.box.events.db.read_now(
            lambda db: db.execute(f"select {shown} from {table} order by id").fetchall()
        )
    ]


def count(box: WholeBox, table: str) -> int:
    """How many rows there are."""
    return len(rows(box, table, "id"))
