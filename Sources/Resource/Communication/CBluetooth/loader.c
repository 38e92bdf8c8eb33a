#include "CBluetooth.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static __typeof__(&hci_devinfo) devinfo;
static __typeof__(&ba2str) text;
static const char *problem;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    /* Never closed. */
    void *library = dlopen("libbluetooth.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library) {
        devinfo = (__typeof__(devinfo))dlsym(library, "hci_devinfo");
        text = (__typeof__(text))dlsym(library, "ba2str");
    }
    if (devinfo && text) return;
    const char *reason = dlerror();
    /* The text of dlerror ends with the next call of this thread, and with the thread. */
    problem = reason ? strdup(reason) : NULL;
    if (!problem) problem = "libbluetooth.so.3 cannot be loaded";
}

const char *cbluetooth_problem(void) {
    pthread_once(&once, load);
    return problem;
}

int hci_devinfo(int device, struct hci_dev_info *info) {
    if (!cbluetooth_problem()) return devinfo(device, info);
    errno = ENOSYS;
    return -1;
}

int ba2str(const bdaddr_t *address, char *string) {
    if (!cbluetooth_problem()) return text(address, string);
    string[0] = 0;
    return -1;
}
