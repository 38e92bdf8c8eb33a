internal import Glibc
internal import Synchronization

/// A file descriptor that was received, or is sent, with a message. It is closed when the last reference is gone.
///
/// Two are equal only if they are the same object.
public final class DBusFileDescriptor: Sendable {
    private let owned: Mutex<Int32?>

    /// Takes over `descriptor`, which from now on is closed by this object.
    public init(owning descriptor: Int32) {
        owned = Mutex(descriptor)
    }

    /// Keeps a duplicate of `descriptor` (close-on-exec); `descriptor` itself stays the caller's. Nil if it cannot be
    /// duplicated, with `errno` set.
    public convenience init?(duplicating descriptor: Int32) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        self.init(owning: duplicate)
    }

    /// For a result of libdbus: a descriptor that this process owns, or -1, which counts as taken already.
    init(received descriptor: Int32) {
        owned = Mutex(descriptor >= 0 ? descriptor : nil)
    }

    deinit {
        if let descriptor = take() { Glibc.close(descriptor) }
    }

    /// Hands the descriptor over to the caller, who must close it. Nil if it was taken before.
    public func take() -> Int32? {
        owned.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Whether the descriptor was not taken yet.
    public var isOpen: Bool {
        owned.withLock { $0 != nil }
    }

    /// Uses the descriptor; it cannot be taken or closed meanwhile. Nil if it was taken before.
    func withDescriptor<Result: Sendable>(_ body: (Int32) -> Result) -> Result? {
        owned.withLock { $0.map(body) }
    }
}

extension DBusFileDescriptor: Hashable {
    /// The same object, not just the same number.
    public static func == (a: DBusFileDescriptor, b: DBusFileDescriptor) -> Bool { a === b }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
