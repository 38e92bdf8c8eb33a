#pragma once

// librsvg and cairo, loaded when they are first needed: only users who attach pictures to posts need them.
//
// The few functions that are used are declared in loader.c, so that building needs no headers of either.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads the library, such as "librsvg-2.so.2", with the cairo that it uses. To be called with success before `crsvg_png`, and by one thread
/// at a time. Returns NULL, or why it cannot be loaded.
const char *crsvg_load(const char *name);

/// Draws an SVG document as a PNG file of `width` times `height` pixels. Returns false and a text in `reason` on failure.
///
/// The document is of this program: librsvg reads nothing from elsewhere for it, as it has no base address.
bool crsvg_png(const uint8_t *svg, size_t length, int width, int height, uint8_t **png, size_t *size, char *reason, size_t room);
