#include "CPostgres.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

const char *cpostgres_load(const char *name, struct cpostgres *functions) {
    /* Never closed: OpenSSL, which comes with it, has handlers at exit. */
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
#define FIND(name) \
    { \
        void *address = dlsym(handle, #name); \
        if (!address) return dlerror(); \
        memcpy(&functions->name, &address, sizeof address); \
    }
    CPOSTGRES_FUNCTIONS(FIND)
    return NULL;
}
