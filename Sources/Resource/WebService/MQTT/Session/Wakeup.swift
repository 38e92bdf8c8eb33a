internal import Glibc

/// A descriptor that becomes readable once, from any thread, and stays so.
final class Wakeup: Sendable {
    /// To be polled; -1 if there is no descriptor to be had, which no poll minds.
    let descriptor: Int32
    private let other: Int32

    init() {
        var pair: [Int32] = [-1, -1]
        let made = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0
        descriptor = made ? pair[0] : -1
        other = made ? pair[1] : -1
    }

    deinit {
        for end in [descriptor, other] where end >= 0 { close(end) }
    }

    func wake() {
        if other >= 0 { shutdown(other, Int32(SHUT_RDWR)) }
    }
}
