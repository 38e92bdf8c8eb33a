#define _GNU_SOURCE
#include "CAccept.h"

#include <sys/socket.h>

int accept_private(int listener) {
    return accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
