// A wall clock that is $SHIFTED_CLOCK seconds ahead of the machine's, for programs that are started with this library in LD_PRELOAD.
//
// Only the wall clock and the times of files are shifted; time limits use the monotonic clock. Waits until a moment of the wall clock are
// shifted back for the kernel. libfaketime does more, but no Swift program that waits
// can run with it: of version 0.9.10, `try await Task.sleep(for: .milliseconds(100))` never ends with a shift of -3 days, -1 hour, +1 hour or +3
// days. libdispatch's timers are timerfds with an absolute time, and libfaketime shifts that time by another amount than the clock. Only a
// shift into the future with FAKETIME_DONT_FAKE_MONOTONIC=1 works. With this library all four end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static time_t shift;

__attribute__((constructor)) static void read_shift(void) {
    const char *text = getenv("SHIFTED_CLOCK");
    if (text) shift = atol(text);
}

static int is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI; }

// A moment of the wall clock is decades after 1970, one of a monotonic clock is not: this distinguishes them where a function does not get the clock.
static struct timespec unshifted(const struct timespec *moment) {
    struct timespec result = *moment;
    if (result.tv_sec > 1000000000) result.tv_sec -= shift;
    return result;
}

// The condition variables of the oldest version of glibc are another type.
static void *next(const char *name, const char *version) {
    void *function = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return function ? function : dlsym(RTLD_NEXT, name);
}

#define NEXT(name, version)                                                    \
    static __typeof__(name) *real;                                             \
    if (!real) real = (__typeof__(name) *)next(#name, version)

// MARK: The time

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    static __thread int is_searching;
    int result;
    if (!real && !is_searching) {
        is_searching = 1;
        real = (int (*)(clockid_t, struct timespec *))next("clock_gettime", NULL);
        is_searching = 0;
    }
    result = real ? real(clock, now) : (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && is_wall(clock)) now->tv_sec += shift;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec moment;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &moment);
    now->tv_sec = moment.tv_sec;
    now->tv_usec = moment.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    if (now) *now = moment.tv_sec;
    return moment.tv_sec;
}

int timespec_get(struct timespec *now, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

// MARK: Waits until a moment

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict moment) {
    NEXT(pthread_cond_timedwait, "GLIBC_2.3.2");
    struct timespec until = unshifted(moment);
    return real(condition, mutex, &until);
}

int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
                           const struct timespec *restrict moment) {
    NEXT(pthread_cond_clockwait, NULL);
    struct timespec until = unshifted(moment);
    return real(condition, mutex, clock, &until);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict moment) {
    NEXT(pthread_mutex_timedlock, NULL);
    struct timespec until = unshifted(moment);
    return real(mutex, &until);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict moment) {
    NEXT(sem_timedwait, NULL);
    struct timespec until = unshifted(moment);
    return real(semaphore, &until);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *moment, struct timespec *rest) {
    NEXT(clock_nanosleep, NULL);
    struct timespec until = unshifted(moment);
    return real(clock, flags, flags & TIMER_ABSTIME ? &until : moment, rest);
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *before) {
    NEXT(timerfd_settime, NULL);
    struct itimerspec until = *value;
    if (flags & TFD_TIMER_ABSTIME) until.it_value = unshifted(&value->it_value);
    return real(timer, flags, &until, before);
}

// MARK: Times of files

static int shifted(int result, struct stat *file) {
    if (result == 0) {
        file->st_atim.tv_sec += shift;
        file->st_mtim.tv_sec += shift;
        file->st_ctim.tv_sec += shift;
    }
    return result;
}

int stat(const char *restrict path, struct stat *restrict file) {
    NEXT(stat, NULL);
    return shifted(real(path, file), file);
}

int lstat(const char *restrict path, struct stat *restrict file) {
    NEXT(lstat, NULL);
    return shifted(real(path, file), file);
}

int fstat(int descriptor, struct stat *file) {
    NEXT(fstat, NULL);
    return shifted(real(descriptor, file), file);
}

int fstatat(int folder, const char *restrict path, struct stat *restrict file, int flags) {
    NEXT(fstatat, NULL);
    return shifted(real(folder, path, file, flags), file);
}

// The same functions under their names of systems where a file's size had 32 bits.
int stat64(const char *restrict path, struct stat64 *restrict file) { return stat(path, (struct stat *)file); }
int lstat64(const char *restrict path, struct stat64 *restrict file) { return lstat(path, (struct stat *)file); }
int fstat64(int descriptor, struct stat64 *file) { return fstat(descriptor, (struct stat *)file); }
int fstatat64(int folder, const char *restrict path, struct stat64 *restrict file, int flags) {
    return fstatat(folder, path, (struct stat *)file, flags);
}

int statx(int folder, const char *restrict path, int flags, unsigned int mask, struct statx *restrict file) {
    NEXT(statx, NULL);
    int result = real(folder, path, flags, mask, file);
    if (result == 0) {
        file->stx_atime.tv_sec += shift;
        file->stx_btime.tv_sec += shift;
        file->stx_ctime.tv_sec += shift;
        file->stx_mtime.tv_sec += shift;
    }
    return result;
}

static const struct timespec *unshifted_times(const struct timespec given[2], struct timespec result[2]) {
    if (!given) return NULL;
    for (int i = 0; i < 2; i++) {
        result[i] = given[i];
        if (given[i].tv_nsec != UTIME_NOW && given[i].tv_nsec != UTIME_OMIT) result[i].tv_sec -= shift;
    }
    return result;
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
    NEXT(utimensat, NULL);
    struct timespec own[2];
    return real(folder, path, unshifted_times(times, own), flags);
}

int futimens(int descriptor, const struct timespec times[2]) {
    NEXT(futimens, NULL);
    struct timespec own[2];
    return real(descriptor, unshifted_times(times, own));
}

// Foundation's way to set the date of a file.
int utimes(const char *path, const struct timeval times[2]) {
    NEXT(utimes, NULL);
    if (!times) return real(path, NULL);
    struct timeval own[2] = {times[0], times[1]};
    own[0].tv_sec -= shift;
    own[1].tv_sec -= shift;
    return real(path, own);
}
