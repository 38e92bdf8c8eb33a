#pragma once

// Settings of SQLite whose functions have a variable number of arguments, which Swift cannot call.

/// Makes a connection refuse what a hostile file could misuse: triggers, views, changes of the schema table, loading of extensions.
/// - Parameter database: a `sqlite3 *`.
void csqlite_harden(void *database);

/// Switches the triggers of the statements of a connection off and on again. Statements that are prepared are prepared again.
/// - Parameter database: a `sqlite3 *`.
void csqlite_set_triggers(void *database, int are_enabled);
