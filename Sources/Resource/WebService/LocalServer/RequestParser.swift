internal import PageExchange
internal import Support

/// Reads requests of HTTP/1.1 (RFC 9112) from the bytes of a connection. It is strict, because protections can be
/// bypassed if two programs read the same request differently.
struct RequestParser: Sendable {
    enum Result: Hashable {
        /// More bytes are needed.
        case incomplete
        /// The request, whether the client allows another one on the connection, and how many bytes it took.
        case request(ServedRequest, keepsAlive: Bool, length: Int)
        /// The status to answer with; the connection cannot be used any further.
        case failure(Int)
    }

    let limits: ServerLimits
    /// The header does not end before this position.
    private var searched = 0

    init(limits: ServerLimits) { self.limits = limits }

    /// - Parameter bytes: all that the connection has received and no earlier request has used.
    mutating func parse(_ bytes: [UInt8]) -> Result {
        guard let end = headEnd(bytes) else {
            searched = max(0, bytes.count - 3)
            return bytes.count > limits.head ? .failure(431) : .incomplete
        }
        guard end <= limits.head else { return .failure(431) }
        guard hasPairedLineEnds(bytes[..<end]) else { return .failure(400) }
        let lines = bytes[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            $0.last == 0x0d ? $0.dropLast() : $0
        }
        let first = lines.first.map(text) ?? ""
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(isUpper), words[1].hasPrefix("/") else {
            return .failure(400)
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            return .failure(words[2].hasPrefix("HTTP/") ? 505 : 400)
        }
        guard let headers = fields(lines.dropFirst()) else { return .failure(400) }
        // If the length is given in two ways, programs may disagree about it.
        if headers["transfer-encoding"] != nil { return .failure(501) }
        if words[2] == "HTTP/1.1", headers["host"] == nil { return .failure(400) }
        var length = 0
        if let given = headers["content-length"] {
            guard !given.isEmpty, given.count <= 9, given.utf8.allSatisfy(isDigit), let number = Int(given) else {
                return .failure(400)
            }
            length = number
        }
        guard length <= limits.body else { return .failure(413) }
        let start = end + 4
        guard bytes.count >= start + length else { return .incomplete }
        searched = 0
        let connection = headers["connection"]?.lowercased() ?? ""
        return .request(
            ServedRequest(
                method: String(words[0]), target: String(words[1]), headers: headers,
                body: Array(bytes[start..<start + length])),
            keepsAlive: words[2] == "HTTP/1.1" ? !connection.contains("close") : false, length: start + length)
    }

    /// The position at which the empty line begins, without the line end before it.
    private func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        var index = min(searched, bytes.count - 4)
        while index <= min(bytes.count - 4, limits.head) {
            if bytes[index] == 0x0d, bytes[index + 1] == 0x0a, bytes[index + 2] == 0x0d, bytes[index + 3] == 0x0a {
                return index
            }
            index += 1
        }
        return nil
    }

    /// Whether carriage returns and line feeds stand only together.
    private func hasPairedLineEnds(_ bytes: ArraySlice<UInt8>) -> Bool {
        for index in bytes.indices {
            if bytes[index] == 0x0d, index + 1 == bytes.endIndex || bytes[index + 1] != 0x0a { return false }
            if bytes[index] == 0x0a, index == bytes.startIndex || bytes[index - 1] != 0x0d { return false }
        }
        return true
    }

    /// Nil if a line is not a field, or if two fields have the same name, because it is not known which of them is
    /// meant.
    private func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [String: String]? {
        guard lines.count <= 100 else { return nil }
        var fields: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(\.isToken)
            else {
                return nil
            }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { return nil }
            let name = text(line[..<colon]).lowercased()
            guard
                fields[name] == nil
                    || ["accept", "accept-language", "accept-encoding", "cache-control", "pragma"].contains(name)
            else {
                return nil
            }
            var trimmed = text(value)
            while let last = trimmed.last, last == " " || last == "\t" { trimmed.removeLast() }
            fields[name] = trimmed
        }
        return fields
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    private func isUpper(_ byte: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
    private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
