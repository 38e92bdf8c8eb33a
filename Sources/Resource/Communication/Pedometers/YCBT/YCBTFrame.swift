/// A request or an answer of a YCBT ring.
struct YCBTFrame: Hashable {
    /// The most bytes of a frame; no longer one is known.
    static let longest = 1_024

    let group: UInt8
    let command: UInt8
    let data: [UInt8]

    init(_ group: UInt8, _ command: UInt8, _ data: [UInt8] = []) {
        self.group = group
        self.command = command
        self.data = data
    }

    /// Nil if the length or the checksum is wrong.
    init?(received bytes: [UInt8]) {
        guard bytes.count >= 6, bytes.little(2, 2) == bytes.count,
            bytes.little(bytes.count - 2, 2) == Self.checksum(bytes.dropLast(2))
        else {
            return nil
        }
        self.init(bytes[0], bytes[1], Array(bytes[4..<bytes.count - 2]))
    }

    /// Whether it refuses a request.
    var isRefusal: Bool { data.count == 1 && data[0] >= 0xfb }

    var bytes: [UInt8] {
        let bytes = [group, command] + .little(data.count + 6, 2) + data
        return bytes + .little(Self.checksum(bytes), 2)
    }

    /// CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF.
    static func checksum(_ bytes: some Sequence<UInt8>) -> Int {
        var checksum: UInt16 = 0xffff
        for byte in bytes {
            checksum ^= UInt16(byte) << 8
            for _ in 0..<8 { checksum = checksum & 0x8000 == 0 ? checksum << 1 : checksum << 1 ^ 0x1021 }
        }
        return Int(checksum)
    }
}

/// Assembles frames from notifications.
struct YCBTFrames {
    private var pending: [UInt8] = []

    /// The frames that these bytes complete. One with a wrong checksum is nil.
    mutating func add(_ bytes: [UInt8]) -> [YCBTFrame?] {
        pending += bytes
        var frames: [YCBTFrame?] = []
        var start = 0
        while pending.count - start >= 4, let length = pending.little(start + 2, 2) {
            // What cannot be the beginning of a frame is skipped.
            guard (1...6).contains(pending[start]), (6...YCBTFrame.longest).contains(length) else {
                start += 1
                continue
            }
            guard pending.count - start >= length else { break }
            frames.append(YCBTFrame(received: Array(pending[start..<start + length])))
            start += length
        }
        pending.removeFirst(start)
        return frames
    }
}
