#pragma once

/// Accepts a connection whose descriptor never blocks and is not inherited by programs. Both flags are set at once, by accept4(2), which
/// Swift's module of the C library does not declare: with accept(2) and fcntl(2), a program that is started in between inherits it.
///
/// Returns -1 with errno set if there is no connection, or no descriptor.
int accept_private(int listener);
