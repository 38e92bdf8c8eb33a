/// The limits for data from peers that this module keeps.
///
/// The bus bounds a single message (`dbus-daemon`: 32 MiB on the system bus); these limits bound what is kept of many,
/// and of one text. The number of values in a message is bounded where it is decoded, by `BodyReader.maximumValues`.
enum DBusLimits {
    /// Bytes of one incoming message: the maximum that `dbus-daemon` passes on on the system bus (`max_message_size` in
    /// `system.conf`). libdbus itself would accept 128 MiB. If a peer sends more, the connection is lost.
    static let incomingMessage = 32 << 20

    /// Bytes that may wait to be sent. A bus that does not read this much is stuck: each message of this side is below
    /// a kilobyte.
    static let outgoing = 16 << 20

    /// UTF-8 bytes of the text of an error reply. Errors of BlueZ, systemd and ModemManager are one sentence; the text
    /// is printed, logged and stored.
    static let errorText = 1024

    /// Bytes in memory of the signals that wait in one stream, for every kind of buffering. 4,096 signals of a
    /// Bluetooth device with all its properties take some 12 MB.
    static let waitingSignals = 16 << 20
}

extension String {
    /// The first `limit` bytes of UTF-8, cut between characters, with `…` where something was cut.
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit - 3))
        while end > startIndex, end.samePosition(in: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }
}

extension DBusValue {
    /// Approximate bytes of memory of this value: used for the bounds on memory.
    package var memory: Int {
        let own = MemoryLayout<DBusValue>.stride
        // A heap object has a header of 32 bytes; a short text has none.
        func heap(_ bytes: Int) -> Int { bytes > 15 ? 32 + bytes : 0 }
        switch self {
        case .string(let text), .signature(let text): return own + heap(text.utf8.count)
        case .objectPath(let path): return own + heap(path.string.utf8.count)
        case .bytes(let bytes): return own + 32 + bytes.count
        case .array(_, let values), .structure(let values): return values.reduce(own + 32) { $0 + $1.memory }
        // A hash table is at most three quarters full.
        case .dictionary(_, _, let entries):
            return entries.reduce(own + 96) { $0 + ($1.key.memory + $1.value.memory) * 4 / 3 }
        case .variant(let value): return own + 16 + value.memory
        default: return own
        }
    }
}

extension DBusMessage {
    /// Approximate bytes of memory of this message.
    var memory: Int { body.reduce(512) { $0 + $1.memory } }
}
