#include "CZlib.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* As zlib 1.x declares it (zlib.h), so that building needs no header of it. */
struct z_stream {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned int, unsigned int);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};
enum { z_no_flush = 0, z_ok = 0, z_stream_end = 1, z_buf_error = -5 };

static int (*inflate_init)(struct z_stream *, int, const char *, int);
static int (*inflate_run)(struct z_stream *, int);
static int (*inflate_end)(struct z_stream *);
static unsigned long (*crc32_run)(unsigned long, const uint8_t *, unsigned int);

const char *czlib_load(void) {
    if (inflate_end) return NULL;
    void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    void *init = dlsym(handle, "inflateInit2_"), *run = dlsym(handle, "inflate"), *end = dlsym(handle, "inflateEnd");
    void *crc = dlsym(handle, "crc32");
    if (!init || !run || !end || !crc) return "libz.so.1 does not have inflate and crc32";
    memcpy(&inflate_init, &init, sizeof init);
    memcpy(&inflate_run, &run, sizeof run);
    memcpy(&crc32_run, &crc, sizeof crc);
    memcpy(&inflate_end, &end, sizeof end);
    return NULL;
}

void *czlib_inflate_start(void) {
    struct z_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    /* Negative: raw deflate data, without a header. */
    if (inflate_init(stream, -15, "1.2.0", (int)sizeof *stream) != z_ok) {
        free(stream);
        return NULL;
    }
    return stream;
}

int czlib_inflate(void *handle, const uint8_t *input, size_t *input_size, uint8_t *output, size_t *output_size) {
    struct z_stream *stream = handle;
    stream->next_in = input;
    stream->avail_in = (unsigned int)*input_size;
    stream->next_out = output;
    stream->avail_out = (unsigned int)*output_size;
    int result = inflate_run(stream, z_no_flush);
    *input_size -= stream->avail_in;
    *output_size -= stream->avail_out;
    if (result == z_stream_end) return 1;
    return result == z_ok || result == z_buf_error ? 0 : -1;
}

void czlib_inflate_end(void *handle) {
    inflate_end(handle);
    free(handle);
}

uint32_t czlib_crc32(uint32_t crc, const uint8_t *bytes, size_t size) {
    return (uint32_t)crc32_run(crc, bytes, (unsigned int)size);
}
