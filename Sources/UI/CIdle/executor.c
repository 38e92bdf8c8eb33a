// Swift runs tasks on the queues of libdispatch that keep to as many threads as there are CPUs. On Linux libdispatch looks once a
// second, from the first such job on and for ever, whether those threads are blocked (_dispatch_workq_monitor_pools in its
// src/event/workqueue.c): a program that only waits wakes 86,400 times a day. Its other queues ("overcommit") are not looked after, and
// begin a thread for whatever is ready. For a handful of tasks that is as good.
//
// Swift's runtime lets a program take the place of its global executor (swift_task_enqueueGlobal_hook, include/swift/Runtime/Concurrency.h
// of its sources). Only C can say so: the functions have Swift's calling convention. Where something still gets to the watched queues, such
// as Task.sleep, it works as ever, and the second's tick begins.

#include "CIdle.h"
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>

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

void release_free_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
