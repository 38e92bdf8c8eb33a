// Swift runs tasks on the global queues of libdispatch, which have as many threads as there are CPUs. On Linux, once such a queue is used,
// libdispatch checks every second whether these threads are blocked (_dispatch_workq_monitor_pools in src/event/workqueue.c). So an idle
// program wakes 86,400 times a day. The overcommit queues are not checked: libdispatch starts a thread for each ready job. For a few tasks
// this is sufficient.
//
// swift_task_enqueueGlobal_hook of the Swift runtime (include/swift/Runtime/Concurrency.h in its sources) replaces the global executor. It is
// set from C, because Swift code cannot declare a pointer to functions with Swift's calling convention (swiftcall). Jobs that still use the
// checked queues, such as Task.sleep, work as before, but start the check.

#include "CIdle.h"
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timex.h>
#include <unistd.h>

#define SWIFT __attribute__((swiftcall))

// Of libdispatch (dispatch/queue.h), whose headers a package's C does not see.
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern void dispatch_async_f(void *queue, void *context, void (*work)(void *context));
static const uintptr_t OVERCOMMIT = 2;

// Of the Swift runtime. Two null words stand for the global executor.
typedef struct { void *identity; uintptr_t implementation; } executor;
extern SWIFT void swift_job_run(void *job, executor executor);
typedef SWIFT void enqueue_hook(void *job, void *original);
extern enqueue_hook *swift_task_enqueueGlobal_hook;

static void run(void *job) { swift_job_run(job, (executor){0, 0}); }

static SWIFT void enqueue(void *job, void *original) {
    (void)original;
    dispatch_async_f(dispatch_get_global_queue(0, OVERCOMMIT), job, run);
}

void run_tasks_unwatched(void) { swift_task_enqueueGlobal_hook = enqueue; }

void use_one_arena(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

int is_clock_synchronized(void) {
    struct timex state = {0};
    if (adjtimex(&state) >= 0) return !(state.status & STA_UNSYNC);
    // Forbidden, as by ProtectClock= of the service of the whole machine: then only systemd-timesyncd's own mark is known. Of another program
    // for the time nothing is known here, and those start early.
    return access("/run/systemd/timesync", F_OK) != 0 || access("/run/systemd/timesync/synchronized", F_OK) == 0;
}

void release_free_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
