// A file system without locks or without shared memory, for programs that are started with this library in LD_PRELOAD: calls on files below
// $FILE_SYSTEM_AT fail as on some network file systems and some volumes of containers. $FILE_SYSTEM_LACKS has one or more of the words
// `flock`, `fcntl` and `mmap`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int lacks(const char *word, int file) {
    const char *all = getenv("FILE_SYSTEM_LACKS"), *directory = getenv("FILE_SYSTEM_AT");
    if (!all || !directory || !strstr(all, word)) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strncmp(path, directory, strlen(directory)) == 0;
}

static int is_lock(int command) {
    return command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

#define FCNTL(NAME)                                                                     \
    int NAME(int file, int command, ...) {                                              \
        static int (*real)(int, int, ...);                                              \
        if (!real) real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, #NAME);              \
        va_list arguments;                                                              \
        va_start(arguments, command);                                                   \
        void *argument = va_arg(arguments, void *);                                     \
        va_end(arguments);                                                              \
        if (is_lock(command) && lacks("fcntl", file)) return errno = ENOLCK, -1;        \
        return real(file, command, argument);                                           \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int flock(int file, int operation) {
    static int (*real)(int, int);
    if (!real) real = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    if (lacks("flock", file)) return errno = ENOLCK, -1;
    return real(file, operation);
}

#define MMAP(NAME)                                                                                              \
    void *NAME(void *address, size_t length, int protection, int flags, int file, off_t offset) {               \
        static void *(*real)(void *, size_t, int, int, int, off_t);                                             \
        if (!real) real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, #NAME);             \
        if (file >= 0 && flags & MAP_SHARED && lacks("mmap", file)) return errno = ENODEV, MAP_FAILED;          \
        return real(address, length, protection, flags, file, offset);                                          \
    }
MMAP(mmap)
MMAP(mmap64)
