/// Divides what a console sends into lines, whatever pieces it arrives in.
struct LineReader {
    /// Bytes. A record has about 90.
    static let longest = 1_024

    /// Lines that were longer than `longest`, and are left out.
    private(set) var oversized = 0
    private var line: [UInt8] = []
    private var isOversized = false

    /// The lines that these bytes complete, without their ends; empty ones are left out.
    mutating func add(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if isOversized {
                    oversized += 1
                } else if !line.isEmpty {
                    lines.append(String(decoding: line, as: UTF8.self))
                }
                line.removeAll(keepingCapacity: true)
                isOversized = false
            case _ where line.count == Self.longest:
                isOversized = true
            default:
                line.append(byte)
            }
        }
        return lines
    }
}

/// A line of the watch's console.
enum BangleLine: Hashable {
    /// The answer begins.
    case begin
    /// All records have been sent.
    case end(count: Int)
    /// - ts: milliseconds since 1970, at the end of the 10 minutes, as the watch calculates it from its local time.
    case record(milliseconds: Int, steps: Int)
    /// Steps while they are being made, without a time: a later record contains them, too.
    case live
    /// Per cent.
    case battery(Int)
    /// Its answer to the question about its clock.
    case clock(BangleClock)
    /// An error of its JavaScript.
    case failure(String)
    /// Its app `android` does not know the request: it is older than 0.31.
    case unknownRequest(String)
    /// Its console requires a password (`E.setPassword`).
    case locked
    /// A record that cannot be decoded.
    case undecodableRecord
    /// An end of the answer that cannot be decoded.
    case undecodable
    /// Anything else that a console prints.
    case other

    /// The most steps that a record can hold: the watch stores 16 bits.
    private static let maximumSteps = 0xffff

    init(_ text: String) {
        // A prompt or control characters may be before it.
        guard let brace = text.firstIndex(of: "{"), text[..<brace].allSatisfy({ !$0.isLetter && !$0.isNumber }) else {
            self = Self.message(text)
            return
        }
        guard let fields = FlatJSON(text[brace...]) else {
            // What is left of records if notifications were lost between them.
            self = text.contains(#""t":"act","ts":"#) ? .undecodableRecord : .other
            return
        }
        switch fields["t"] {
        case .text("actfetch"):
            switch fields["state"] {
            case .text("start"): self = .begin
            case .text("end"):
                if let count = fields.integer("count"), count >= 0 {
                    self = .end(count: count)
                } else {
                    self = .undecodable
                }
            default: self = .other
            }
        case .text("act"):
            if fields["rt"] != nil || fields["ts"] == nil {
                self = .live
            } else if let time = fields.integer("ts"), time > 0, let steps = fields.integer("stp"),
                (0...Self.maximumSteps).contains(steps)
            {
                self = .record(milliseconds: time, steps: steps)
            } else {
                self = .undecodableRecord
            }
        case .text("istep"): self = BangleClock(fields).map(BangleLine.clock) ?? .other
        case .text("status"):
            if let level = fields.integer("bat"), (0...100).contains(level) {
                self = .battery(level)
            } else {
                self = .other
            }
        default: self = .other
        }
    }

    /// A line that is not JSON.
    ///
    /// Source: espruino/Espruino, `src/jsinteractive.c` ("Invalid password", "Uncaught"); espruino/BangleApps,
    /// `apps/android/lib.js`.
    private static func message(_ text: String) -> BangleLine {
        if text.contains("Invalid password") { return .locked }
        if text.contains("GB Unknown") { return .unknownRequest(text) }
        // The break that was sent before the request may have ended another program.
        return text.contains("Uncaught") && !text.contains("Execution Interrupted") ? .failure(text) : .other
    }
}

/// A JSON object without objects or arrays inside, on one line: all that the watch sends for its records.
///
/// Foundation's decoder is not used: a first reading has some ten thousand of such lines, and a wrong type in one field
/// would hide the others.
struct FlatJSON {
    enum Value: Hashable {
        case text(String)
        case number(Double)
        case boolean(Bool)
        case null
    }

    private var fields: [String: Value] = [:]

    subscript(name: String) -> Value? { fields[name] }

    /// A number without a fraction that fits; nil for anything else.
    func integer(_ name: String) -> Int? {
        guard case .number(let number)? = fields[name] else { return nil }
        return Int(exactly: number)
    }

    /// Nil for anything that is not such an object. A field that is there twice has its last value, as in JavaScript.
    init?(_ text: Substring) {
        var rest = Array(text.utf8)[...]
        func skipSpace() { while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() } }
        func take(_ character: Character) -> Bool {
            guard rest.first == character.asciiValue else { return false }
            rest.removeFirst()
            return true
        }
        /// Escaped characters are replaced by a question mark: none of the known values has one.
        func string() -> String? {
            guard take("\"") else { return nil }
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard rest.popFirst() != nil else { return nil }
                    bytes.append(UInt8(ascii: "?"))
                default: bytes.append(byte)
                }
            }
            return nil
        }
        func value() -> Value? {
            if rest.first == UInt8(ascii: "\"") { return string().map(Value.text) }
            let word = rest.prefix { !",} \t".utf8.contains($0) }
            rest = rest.dropFirst(word.count)
            switch String(decoding: word, as: UTF8.self) {
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            case "null": return .null
            case let digits: return Double(digits).flatMap { $0.isFinite ? .number($0) : nil }
            }
        }
        skipSpace()
        guard take("{") else { return nil }
        skipSpace()
        while !take("}") {
            guard let name = string() else { return nil }
            skipSpace()
            guard take(":") else { return nil }
            skipSpace()
            guard let value = value() else { return nil }
            fields[name] = value
            skipSpace()
            if rest.first != UInt8(ascii: "}") {
                guard take(",") else { return nil }
                skipSpace()
                guard rest.first == UInt8(ascii: "\"") else { return nil }
            }
        }
        skipSpace()
        guard rest.isEmpty else { return nil }
    }
}
