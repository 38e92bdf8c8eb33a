#pragma once

// What reading files of other programs needs of C libraries.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads zlib. Returns NULL, or why it cannot be loaded.
const char *cforeign_load_zlib(void);

/// A stream of raw deflate data (RFC 1951); NULL without memory. zlib must be loaded.
void *cforeign_inflate_start(void);

/// Inflates as much as fits. Moves both positions forward.
/// Returns 0 if it can go on with more input or more room, 1 at the end of the stream, -1 for broken data.
int cforeign_inflate(void *stream, const uint8_t *input, size_t *input_size, uint8_t *output, size_t *output_size);

void cforeign_inflate_end(void *stream);

/// Makes a connection of SQLite refuse what a hostile file could misuse: triggers, views, changes of the schema table, loading of extensions.
/// - Parameter database: a `sqlite3 *`.
void cforeign_harden(void *database);
