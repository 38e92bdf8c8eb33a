#include <stdio.h>

// Swift Testing writes to stdout, which has a buffer of 4096 bytes if it is a pipe. Without it, the output of a process that hangs or is
// killed ends with the test that caused it.
__attribute__((constructor)) static void write_each_line(void) {
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}
