import StepDomain

/// Reads a table of text record by record (RFC 4180, with any separator): quoted fields, line ends of any system, a
/// byte order mark.
struct DelimitedText {
    private let stream: any ByteStream
    private let path: String
    private let separator: UInt8
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var filled = 0
    private var position = 0
    private var isAtStart = true
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// Of the record that was read last, from 1.
    private(set) var line = 0

    private static let maximumBytes = 1 << 20
    private static let maximumFields = 2000

    init(_ file: ForeignFile, separator: UInt8) throws(ImportError) {
        stream = try file.text()
        path = file.path
        self.separator = separator
    }

    private mutating func fill() throws(ImportError) -> Bool {
        filled = try stream.read(&buffer)
        position = 0
        if isAtStart {
            isAtStart = false
            if filled >= 3, buffer[0] == 0xef, buffer[1] == 0xbb, buffer[2] == 0xbf { position = 3 }
        }
        return position < filled
    }

    /// The next record that is not empty; nil at the end.
    mutating func next() throws(ImportError) -> Record? {
        while true {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            guard try readRecord() else { return nil }
            line += 1
            if ends.count > 1 || !bytes.isEmpty { return Record(bytes: bytes, ends: ends) }
        }
    }

    private enum State { case start, plain, quoted, quoteInQuoted }

    private mutating func readRecord() throws(ImportError) -> Bool {
        var state = State.start
        var hasAny = false
        while true {
            if position == filled, try !fill() {
                guard hasAny else { return false }
                if state == .quoted {
                    throw .malformed(path: path, reason: "line \(line + 1) has a quotation mark without its second")
                }
                ends.append(bytes.count)
                return true
            }
            let byte = buffer[position]
            position += 1
            if byte == 0x0a || byte == 0x0d, state != .quoted {
                // CR LF is one end.
                if byte == 0x0d {
                    if position == filled { _ = try fill() }
                    if position < filled, buffer[position] == 0x0a { position += 1 }
                }
                ends.append(bytes.count)
                return true
            }
            hasAny = true
            if byte == separator, state != .quoted {
                ends.append(bytes.count)
                state = .start
                if ends.count > Self.maximumFields {
                    throw .malformed(path: path, reason: "line \(line + 1) has too many columns")
                }
                continue
            }
            if byte == UInt8(ascii: "\"") {
                switch state {
                case .start:
                    state = .quoted
                    continue
                case .quoted:
                    state = .quoteInQuoted
                    continue
                case .quoteInQuoted: state = .quoted
                case .plain: break
                }
            } else if state == .start {
                state = .plain
            }
            bytes.append(byte)
            if bytes.count > Self.maximumBytes { throw .malformed(path: path, reason: "line \(line + 1) is too long") }
        }
    }

    /// The fields of a record.
    struct Record {
        fileprivate let bytes: [UInt8]
        fileprivate let ends: [Int]

        var count: Int { ends.count }

        /// Without surrounding blanks; empty for a field that is not there.
        subscript(index: Int) -> ArraySlice<UInt8> {
            guard index >= 0, index < ends.count else { return [] }
            var field = bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
            while let first = field.first, first == 0x20 || first == 0x09 { field = field.dropFirst() }
            while let last = field.last, last == 0x20 || last == 0x09 { field = field.dropLast() }
            return field
        }

        /// With surrounding blanks.
        func whole(_ index: Int) -> String {
            guard index >= 0, index < ends.count else { return "" }
            return String(decoding: bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]], as: UTF8.self)
        }

        func isEmpty(_ index: Int) -> Bool { whole(index).isEmpty }

        func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }
    }
}

/// A number as it is written in tables.
enum WrittenNumber {
    /// What a point and a comma mean in a column.
    struct Marks: Hashable {
        var decimal: UInt8
        var grouping: UInt8?
    }

    /// A decimal number; nil for any other text.
    static func value(_ field: ArraySlice<UInt8>, _ marks: Marks) -> Double? {
        var (whole, fraction, scale, isNegative, hasDigit, isFraction) = (0.0, 0.0, 0.1, false, false, false)
        guard field.count <= 32 else { return nil }
        for (index, byte) in field.withPlainBlanks.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                hasDigit = true
                let digit = Double(byte - UInt8(ascii: "0"))
                if isFraction {
                    fraction += digit * scale
                    scale /= 10
                } else {
                    whole = whole * 10 + digit
                }
            case UInt8(ascii: "-") where index == 0: isNegative = true
            case UInt8(ascii: "+") where index == 0: break
            // 5 123
            case 0x20 where hasDigit && !isFraction: break
            case marks.decimal where !isFraction: isFraction = true
            case let mark where mark == marks.grouping && !isFraction && hasDigit: break
            default: return nil
            }
        }
        guard hasDigit else { return nil }
        return isNegative ? -(whole + fraction) : whole + fraction
    }
}
