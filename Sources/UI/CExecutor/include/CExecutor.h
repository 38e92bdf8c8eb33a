#ifndef CEXECUTOR_H
#define CEXECUTOR_H

/// Has Swift's tasks run on threads that libdispatch does not keep watch over, for a process that stays and is idle most of the time.
///
/// To be called once, on the main thread, before any task has left the main actor.
void run_tasks_unwatched(void);

#endif
