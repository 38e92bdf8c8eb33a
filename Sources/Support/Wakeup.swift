internal import Glibc

/// A descriptor that becomes readable once, from any thread, and stays so.
package final class Wakeup: Sendable {
    /// For poll(2); -1 if no descriptor was available, which poll(2) ignores.
    package let descriptor: Int32
    private let other: Int32

    package init() {
        var pair: [Int32] = [-1, -1]
        let made = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0
        descriptor = made ? pair[0] : -1
        other = made ? pair[1] : -1
    }

    deinit {
        for end in [descriptor, other] where end >= 0 { close(end) }
    }

    package func wake() {
        if other >= 0 { shutdown(other, Int32(SHUT_RDWR)) }
    }
}
