/// Puts an answer together from what libcurl hands over, line by line and piece by piece, within limits.
struct AnswerReader {
    private let limits: HTTPLimits
    private var status = 0
    private var headers: [(String, String)] = []
    private var body: [UInt8] = []
    private var headBytes = 0
    private var place = Place.betweenHeads
    /// What of the answer was too much.
    private(set) var excess: String?

    private enum Place {
        case betweenHeads, inHead
        /// What else looks like headers are trailers: they could contradict what was read (RFC 9110, section 6.5.1).
        case afterHead
    }

    init(limits: HTTPLimits) { self.limits = limits }

    /// A line of a head, with its line break.
    /// - Returns: false if it is too much.
    mutating func take(line bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard headBytes <= limits.head else {
            excess = "headers of more than \(limits.head / 1024) KiB"
            return false
        }
        guard place != .afterHead else { return true }
        let line = String(decoding: bytes, as: UTF8.self)[...].trimmed
        if place == .betweenHeads {
            place = .inHead
            headers = []
            // "HTTP/1.1 200 OK", and "HTTP/2 200".
            let words = line.split(separator: " ")
            status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        } else if line.isEmpty {
            place = 100...199 ~= status ? .betweenHeads : .afterHead
        } else if let colon = line.firstIndex(of: ":") {
            headers.append((line[..<colon].trimmed, line[line.index(after: colon)...].trimmed))
        }
        return true
    }

    /// - Returns: false if it is too much.
    mutating func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limits.body else {
            excess = "more than \(limits.body / 1024) KiB"
            return false
        }
        body += bytes
        return true
    }

    /// The answer, once nothing more comes; nil if there was none but interim ones.
    var response: HTTPResponse? {
        place == .afterHead && 200...999 ~= status ? HTTPResponse(status: status, headers: headers, body: body) : nil
    }
}

extension Substring {
    fileprivate var trimmed: String {
        // Scalars, as a carriage return and line feed are one character.
        let isBlank: (Unicode.Scalar) -> Bool = { " \t\r\n".unicodeScalars.contains($0) }
        var scalars = unicodeScalars.drop(while: isBlank)
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return String(scalars)
    }
}
