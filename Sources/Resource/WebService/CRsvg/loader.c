#include "CRsvg.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* As the libraries declare them (librsvg 2.46, cairo 1.0, GLib 2.0), as far as they are used: types that are only passed on stay opaque. */
struct g_error { uint32_t domain; int code; char *message; };
struct rsvg_rectangle { double x, y, width, height; };
typedef int (*write_function)(void *closure, const unsigned char *data, unsigned int length);
enum { format_argb32 = 0, status_success = 0, status_no_memory = 1 };

static struct functions {
    void *(*rsvg_handle_new_from_data)(const uint8_t *, size_t, struct g_error **);
    int (*rsvg_handle_render_document)(void *, void *, const struct rsvg_rectangle *, struct g_error **);
    void *(*cairo_image_surface_create)(int, int, int);
    int (*cairo_surface_status)(void *);
    int (*cairo_surface_write_to_png_stream)(void *, write_function, void *);
    void (*cairo_surface_destroy)(void *);
    void *(*cairo_create)(void *);
    void (*cairo_destroy)(void *);
    const char *(*cairo_status_to_string)(int);
    void (*g_object_unref)(void *);
    void (*g_error_free)(struct g_error *);
} library;

const char *crsvg_load(const char *name) {
    /* Never closed: GLib cannot be unloaded. */
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    struct functions found;
    /* dlsym finds the functions of the libraries that librsvg is linked with, too. */
#define FIND(function) \
    { \
        void *address = dlsym(handle, #function); \
        if (!address) return dlerror(); \
        memcpy(&found.function, &address, sizeof address); \
    }
    FIND(rsvg_handle_new_from_data)
    FIND(rsvg_handle_render_document)
    FIND(cairo_image_surface_create)
    FIND(cairo_surface_status)
    FIND(cairo_surface_write_to_png_stream)
    FIND(cairo_surface_destroy)
    FIND(cairo_create)
    FIND(cairo_destroy)
    FIND(cairo_status_to_string)
    FIND(g_object_unref)
    FIND(g_error_free)
    library = found;
    return NULL;
}

struct output { uint8_t *bytes; size_t size; };

/* A picture of a day has some 50 kB. */
static const size_t most_bytes = 8 << 20;

static int append(void *closure, const unsigned char *data, unsigned int length) {
    struct output *output = closure;
    if (length > most_bytes - output->size) return status_no_memory;
    uint8_t *bytes = realloc(output->bytes, output->size + length);
    if (!bytes) return status_no_memory;
    memcpy(bytes + output->size, data, length);
    output->bytes = bytes;
    output->size += length;
    return status_success;
}

static void report(char *reason, size_t room, const char *text) {
    if (!room) return;
    strncpy(reason, text ? text : "no reason given", room - 1);
    reason[room - 1] = 0;
}

static void report_error(struct g_error *error, char *reason, size_t room) {
    report(reason, room, error ? error->message : NULL);
    if (error) library.g_error_free(error);
}

bool crsvg_png(const uint8_t *svg, size_t length, int width, int height, uint8_t **png, size_t *size, char *reason, size_t room) {
    struct g_error *error = NULL;
    void *document = library.rsvg_handle_new_from_data(svg, length, &error);
    if (!document) {
        report_error(error, reason, room);
        return false;
    }
    void *surface = library.cairo_image_surface_create(format_argb32, width, height);
    void *context = library.cairo_create(surface);
    const struct rsvg_rectangle whole = {0, 0, width, height};
    struct output output = {NULL, 0};
    bool is_drawn = false;
    int status = library.cairo_surface_status(surface);
    if (status != status_success) {
        report(reason, room, library.cairo_status_to_string(status));
    } else if (!library.rsvg_handle_render_document(document, context, &whole, &error)) {
        report_error(error, reason, room);
    } else {
        status = library.cairo_surface_write_to_png_stream(surface, append, &output);
        is_drawn = status == status_success;
        if (!is_drawn) report(reason, room, library.cairo_status_to_string(status));
    }
    library.cairo_destroy(context);
    library.cairo_surface_destroy(surface);
    library.g_object_unref(document);
    if (!is_drawn) {
        free(output.bytes);
        return false;
    }
    *png = output.bytes;
    *size = output.size;
    return true;
}
