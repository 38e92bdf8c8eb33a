/// Keys of a terminal, from the bytes that it sends.
///
/// Arrows come as `ESC [ D` or `ESC O D` (ECMA-48; xterm's application mode), page keys as `ESC [ 5 ~`, and Home as
/// `ESC [ H`, `ESC O H`, `ESC [ 1 ~` (the console of Linux) or `ESC [ 7 ~` (rxvt). Sequences that are not known are
/// left out as a whole.
public struct KeyDecoder: Sendable {
    public enum Key: Hashable, Sendable {
        case left, right, up, down, pageUp, pageDown, home, end, enter, escape, backspace
        /// Ctrl-C, and what a terminal sends for other control characters: `a` for Ctrl-A.
        case control(Character)
        /// ASCII, printable.
        case character(Character)
    }

    /// The beginning of a sequence whose rest has not come yet.
    private var pending: [UInt8] = []
    /// Bytes: no key sends a longer sequence, so this is not one.
    private static let longest = 16

    public init() {}

    /// - Parameter bytes: as they were read. An escape character at their end is the key Esc: terminals send a sequence
    ///   at once.
    public mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            if !pending.isEmpty {
                pending.append(byte)
                if pending.count == 2, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") { continue }
                if pending.count == 2 {
                    // Esc, or Alt with a character: both mean the escape, and the character stands for itself. Another
                    // escape character may begin a sequence: Esc and an arrow that were read at once.
                    pending = byte == 0x1b ? [byte] : []
                    keys.append(.escape)
                    if let key = Self.key(byte) { keys.append(key) }
                    continue
                }
                guard (0x40...0x7e).contains(byte) else {
                    if pending.count >= Self.longest { pending = [] }
                    continue
                }
                if let key = Self.key(sequence: pending.dropFirst(2)) { keys.append(key) }
                pending = []
            } else if byte == 0x1b {
                pending = [byte]
            } else if let key = Self.key(byte) {
                keys.append(key)
            }
        }
        if pending == [0x1b] {
            pending = []
            keys.append(.escape)
        }
        return keys
    }

    private static func key(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x0d, 0x0a: .enter
        case 0x08, 0x7f: .backspace
        case 0x01...0x1a: .control(Character(UnicodeScalar(byte + 0x60)))
        case 0x20...0x7e: .character(Character(UnicodeScalar(byte)))
        default: nil
        }
    }

    private static func key(sequence: ArraySlice<UInt8>) -> Key? {
        switch String(decoding: sequence, as: UTF8.self) {
        case "D": .left
        case "C": .right
        case "A": .up
        case "B": .down
        case "5~": .pageUp
        case "6~": .pageDown
        case "H", "1~", "7~": .home
        case "F", "4~", "8~": .end
        default: nil
        }
    }
}
