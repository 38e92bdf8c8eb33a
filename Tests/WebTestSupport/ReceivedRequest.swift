/// A request as received.
public struct ReceivedRequest: Sendable, CustomStringConvertible {
    public let method: String
    /// Path and query, as received.
    public let target: String
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
    /// Its place among all of the server's requests, from 1.
    public internal(set) var number = 0
    /// The number of its connection, from 1.
    public internal(set) var connection = 0

    public var path: String { String(target.prefix { $0 != "?" }) }

    /// Without the question mark; nil if there is none.
    public var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The first header of this name, regardless of case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The request line, the headers, an empty line and the body, lines ended by `\n`.
    public var description: String {
        (["\(method) \(target) HTTP/1.1"] + headers.map { "\($0.name): \($0.value)" } + ["", text]).joined(
            separator: "\n")
    }
}
