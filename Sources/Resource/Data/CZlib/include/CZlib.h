#pragma once

// zlib, loaded when the first compressed file is read.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads zlib. Returns NULL, or why it cannot be loaded.
const char *czlib_load(void);

/// A stream of raw deflate data (RFC 1951); NULL without memory. zlib must be loaded.
void *czlib_inflate_start(void);

/// Inflates as much as fits. Moves both positions forward.
/// Returns 0 if it can go on with more input or more room, 1 at the end of the stream, -1 for broken data.
int czlib_inflate(void *stream, const uint8_t *input, size_t *input_size, uint8_t *output, size_t *output_size);

void czlib_inflate_end(void *stream);

/// The CRC-32 of some bytes after others with this one; 0 for none. zlib must be loaded.
uint32_t czlib_crc32(uint32_t crc, const uint8_t *bytes, size_t size);
