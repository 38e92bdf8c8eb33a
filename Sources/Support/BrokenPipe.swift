internal import Glibc

/// Blocks SIGPIPE on this thread, for libraries that write without MSG_NOSIGNAL, such as those of TLS: a write to a
/// connection that the server has closed then fails, instead of ending the whole program.
package func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}
