#include "CForeign.h"

/* As SQLite declares it (sqlite3.h); Swift cannot call functions with a variable number of arguments. */
extern int sqlite3_db_config(void *, int, ...);
enum { enable_trigger = 1003, enable_load_extension = 1005, defensive = 1010, writable_schema = 1011, enable_view = 1015 };

void cforeign_harden(void *database) {
    sqlite3_db_config(database, enable_trigger, 0, (int *)0);
    sqlite3_db_config(database, enable_view, 0, (int *)0);
    sqlite3_db_config(database, enable_load_extension, 0, (int *)0);
    sqlite3_db_config(database, writable_schema, 0, (int *)0);
    sqlite3_db_config(database, defensive, 1, (int *)0);
}
