internal import Glibc

/// A connected TCP socket.
struct Socket: Sendable {
    let number: Int32

    /// The received bytes; empty once the peer is gone.
    func receive(atMost most: Int = 64 * 1024) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = max(0, recv(number, buffer.baseAddress, most, 0))
        }
    }

    /// - Returns: false if the peer is gone.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Waits for `duration` or until the peer is gone.
    /// - Returns: false if the peer is gone.
    func pause(_ duration: Duration) -> Bool {
        // POLLRDHUP, which Swift does not import.
        var descriptor = pollfd(fd: number, events: Int16(0x2000), revents: 0)
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        return poll(&descriptor, 1, Int32(clamping: milliseconds)) == 0
    }

    func waitForHangup() {
        while !receive().isEmpty {}
    }

    /// Wakes threads that read from or write to it; for them the peer is gone.
    func interrupt() { shutdown(number, Int32(SHUT_RDWR)) }

    /// Makes `close` reset the connection instead of ending it orderly.
    func resetWhenClosed() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sends small answers at once.
    func sendAtOnce() {
        var yes: Int32 = 1
        setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    func close() { Glibc.close(number) }
}
