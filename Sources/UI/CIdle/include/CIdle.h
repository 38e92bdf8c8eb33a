#ifndef CIDLE_H
#define CIDLE_H

/// Makes Swift run tasks on the overcommit queues of libdispatch, which are not checked every second: for a process that is mostly idle.
///
/// Call it once, on the main thread, before any task has left the main actor.
void run_tasks_unwatched(void);

/// Makes malloc(3) use one arena for all threads: `istep serve` with six browsers at once uses 4 of 38 MB less.
///
/// Call it once, before any other thread is started.
void use_one_arena(void);

/// Whether a time server has set this machine's clock since it was started, whichever program does that: adjtimex(2). Where a service may not
/// ask the kernel, systemd-timesyncd's mark decides, and without that program the clock counts as set.
int is_clock_synchronized(void);

/// What this process may use too little of.
enum resource { RESOURCE_NONE, RESOURCE_THREADS, RESOURCE_FILES, RESOURCE_MEMORY };

struct resource_shortage {
    enum resource resource;
    /// The limit, in processes and threads of the user, descriptors, or bytes: setrlimit(2). 0 if it is not such a limit, but one of the system
    /// or of a control group.
    unsigned long limit;
};

/// Tries whether the threads, descriptors and memory can be had that a command needs.
///
/// Call it before anything uses libdispatch, which hangs without threads, and ends the process without descriptors.
struct resource_shortage find_resource_shortage(void);

/// Returns freed memory to the system, if the C library supports it.
void release_free_memory(void);

#endif
