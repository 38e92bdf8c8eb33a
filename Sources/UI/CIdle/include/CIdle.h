#ifndef CIDLE_H
#define CIDLE_H

/// Has Swift's tasks run on threads that libdispatch does not keep watch over, for a process that stays and is idle most of the time.
///
/// To be called once, on the main thread, before any task has left the main actor.
void run_tasks_unwatched(void);

/// Has malloc(3) use one arena in place of one for each of a dozen threads: a sync takes 2 MB less.
///
/// To be called once, before any other thread is started.
void use_one_arena(void);

/// Gives memory that was freed back to the system, where the C library can.
void release_free_memory(void);

#endif
