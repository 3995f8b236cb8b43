"""Whether a database file is sound."""

from pathlib import Path

import apsw

from analytics_box.store.trouble import words


def integrity(path: Path) -> str:
    """What SQLite says of a file, "ok" if it is sound; it may be in use by a running server."""
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            rows = db.execute("pragma integrity_check(10)").fetchall()
        finally:
            db.close()
    except apsw.Error as broken:
        if isinstance(broken, apsw.CorruptError | apsw.NotADBError):
            return f"damaged ({broken}): restore a backup of both files"
        return words(broken, path.parent) or f"cannot be read: {broken}"
    return "; ".join(str(row[0]) for row in rows)
