"""The files of the box: SQLite, their schemas, and what follows their commits in memory."""

import apsw

# SQLite adds up the memory it takes, under one lock for all threads, which nobody asks for: of queries side by side it
# took a quarter of the time. It can be switched off only before the library is first used.
apsw.shutdown()
apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, False)
apsw.initialize()
