#include "CSQLite.h"

/* As SQLite declares it (sqlite3.h). */
extern int sqlite3_config(int, ...);
extern int sqlite3_db_config(void *, int, ...);
enum { memory_statistics = 9 };
enum { enable_trigger = 1003, enable_load_extension = 1005, defensive = 1010, writable_schema = 1011, enable_view = 1015 };

/* Statistics that nobody reads take a lock for each allocation (https://www.sqlite.org/malloc.html). It has an effect only before the first
   connection. */
__attribute__((constructor)) static void configure(void) { sqlite3_config(memory_statistics, 0); }

void csqlite_harden(void *database) {
    sqlite3_db_config(database, enable_trigger, 0, (int *)0);
    sqlite3_db_config(database, enable_view, 0, (int *)0);
    sqlite3_db_config(database, enable_load_extension, 0, (int *)0);
    sqlite3_db_config(database, writable_schema, 0, (int *)0);
    sqlite3_db_config(database, defensive, 1, (int *)0);
}

void csqlite_set_triggers(void *database, int are_enabled) {
    sqlite3_db_config(database, enable_trigger, are_enabled, (int *)0);
}
