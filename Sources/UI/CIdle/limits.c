// libdispatch tries to create a thread again and again where none may be created, so that a program hangs, and ends by an invalid instruction
// where it gets no file descriptor. So both are tried before it is used.

#include "CIdle.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    // Threads beside the first one: those of Swift's tasks, of libdispatch's own events, and of work that blocks.
    THREADS = 6,
    // Descriptors: of the history and its log, the buses, the events of libdispatch, a local server, a web request.
    FILES = 32,
    MOST_THREADS = 64,
};
// Bytes of memory that a command needs beside the stacks of its threads.
static const size_t MEMORY = 48 << 20;

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_gate(void *unused) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return unused;
}

// Whether this many threads can exist beside this one, and this much memory can be had beside their stacks.
static int can_run(int threads, size_t memory) {
    pthread_t created[MOST_THREADS];
    int count = 0;
    pthread_mutex_lock(&gate);
    while (count < threads && pthread_create(&created[count], NULL, wait_for_gate, NULL) == 0) count++;
    int is_enough = count == threads;
    if (is_enough && memory > 0) {
        void *reserved = mmap(NULL, memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        is_enough = reserved != MAP_FAILED;
        if (is_enough) munmap(reserved, memory);
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < count; i++) pthread_join(created[i], NULL);
    return is_enough;
}

// Without a limit, which is looked at first, the search would take long.
static int has_free_descriptors(rlim_t limit) {
    int missing = FILES;
    for (int descriptor = 0; missing > 0 && (rlim_t)descriptor < limit; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0) missing--;
    }
    return missing == 0;
}

static unsigned long value(int resource) {
    struct rlimit limit;
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? 0 : limit.rlim_cur;
}

struct resource_shortage find_resource_shortage(void) {
    struct resource_shortage shortage = {RESOURCE_NONE, 0};
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && !has_free_descriptors(files.rlim_cur)) {
        shortage.resource = RESOURCE_FILES;
        shortage.limit = files.rlim_cur;
        return shortage;
    }
    unsigned long memory = value(RLIMIT_AS);
    if (can_run(THREADS, memory ? MEMORY : 0)) return shortage;
    // A thread needs memory for its stack: where that is limited, it is not known which of the two is short.
    shortage.resource = memory ? RESOURCE_MEMORY : RESOURCE_THREADS;
    shortage.limit = memory ? memory : value(RLIMIT_NPROC);
    return shortage;
}
