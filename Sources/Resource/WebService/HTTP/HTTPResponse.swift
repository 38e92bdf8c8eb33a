internal import Foundation
public import Support

/// A server's answer. Only its size can be trusted.
public struct HTTPResponse: Hashable, Sendable {
    /// 200...999; interim answers (1xx) are not reported.
    public var status: Int
    private var headers: [Field]
    public var body: [UInt8]

    private struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    public init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers.map { Field(name: $0.lowercased(), value: $1) }
        self.body = body
    }

    /// The value of the first header of this name, whatever its case, without spaces around it.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name == name }?.value
    }

    /// The values of all headers of this name, in their order.
    public func values(of name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name == name }.map(\.value)
    }

    /// The body as UTF-8; invalid bytes are replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPResponse {
    /// Seconds. A server cannot stop a destination for longer than a day.
    private static let maximumWait = 86_400

    /// Seconds, 0...86400, that the server asks to wait before the next request (`Retry-After`: RFC 9110, section
    /// 10.2.3). A date counts from the answer's own `Date`, so that a wrong clock does not matter. Nil if the server
    /// does not ask for it.
    public var retryAfter: Int? {
        guard let text = header("Retry-After") else { return nil }
        let seconds: Int
        if !text.isEmpty, text.utf8.allSatisfy(AddressSyntax.isDigit) {
            // A number with more digits than fit is above the limit in any case.
            seconds = Int(text) ?? .max
        } else if let date = HTTPDate.seconds(text), let now = header("Date").flatMap(HTTPDate.seconds) {
            seconds = date - now
        } else {
            return nil
        }
        return min(max(seconds, 0), HTTPResponse.maximumWait)
    }

    /// Seconds, 0...86400, from the answer's own `Date` until a moment, in seconds since 1970: for services that report
    /// in a header of their own when to retry. Nil if the answer has no `Date`.
    public func wait(until moment: Int) -> Int? {
        header("Date").flatMap(HTTPDate.seconds).map {
            min(max(moment.subtractingReportingOverflow($0).partialValue, 0), Self.maximumWait)
        }
    }
}

extension HTTPResponse {
    /// Maximum Unicode scalars of a line of words; a character can have any number of them.
    public static let maximumLine = 200
    /// Maximum Unicode scalars of a server's text that are searched for secrets, as the search is slow.
    private static let maximumFinding = 4000

    /// The server's message in one line for a user, at most 200 characters, without anything that a terminal would
    /// interpret, and with every occurrence of `secrets` replaced by bullets. Empty if the server sent nothing
    /// readable.
    ///
    /// From JSON it takes `title` and `detail` (RFC 9457), `error_description` (RFC 6749), `error`, `message` or
    /// `errors`; from HTML the title, else the text; else the text as it is.
    public func words(hiding secrets: [Secret]) -> String {
        // A body in an encoding that was not requested is not text.
        guard (header("Content-Encoding") ?? "identity").lowercased() == "identity" else { return "" }
        return HTTPResponse.line(of: JSONWords.find(in: body) ?? HTMLText.text(ofPage: text), hiding: secrets)
    }

    /// A text from outside in one line for a user, without anything that a terminal would interpret, and with every
    /// occurrence of `secrets` replaced by bullets before anything is cut: its sender may repeat what was sent to it.
    ///
    /// - Parameter limit: Unicode scalars; what is longer ends in `…`.
    public static func line(of text: String, hiding secrets: [Secret], limit: Int = maximumLine) -> String {
        let masked = masked(text, secrets)
        let spaced = String(
            String.UnicodeScalarView(masked.unicodeScalars.map { $0.properties.isWhitespace ? " " : $0 }))
        return cut(replaced(spaced, with: "?").split(separator: " ").joined(separator: " "), limit)
    }

    /// The same with all characters as they are, to be put into quotes.
    public static func excerpt(of text: String, hiding secrets: [Secret], limit: Int) -> String {
        cut(masked(text, secrets), limit)
    }

    private static func cut(_ text: String, _ limit: Int) -> String {
        text.unicodeScalars.count > limit ? String(text.unicodeScalars.prefix(limit - 1)) + "…" : text
    }

    /// The beginning of a text with the secrets masked. Its last part is searched and left out: it may end with a part
    /// of a secret, which is not found.
    private static func masked(_ text: String, _ secrets: [Secret]) -> String {
        let rest = secrets.map(maximumSpelling).max() ?? 0
        let start = text.unicodeScalars.prefix(maximumFinding + rest)
        let masked = secrets.reduce(String(start)) { $1.scrubbed(from: $0) }
            // The answer to a challenge of Digest, which libcurl calculates (RFC 7616, section 3.4.1): passwords can be
            // tried with it.
            .replacing(/(response\s*=\s*\\*"?)[0-9a-fA-F]{8,}/) { "\($0.1)\(Secret(""))" }
        return start.endIndex < text.unicodeScalars.endIndex ? String(masked.unicodeScalars.dropLast(rest)) : masked
    }

    /// No spelling of a secret has more scalars: at most six for a byte of its UTF-8 (`\u0041`), or for a character of
    /// its base64.
    private static func maximumSpelling(of secret: Secret) -> Int { 8 * secret.reveal().utf8.count + 24 }
}

/// The message in an answer in JSON.
enum JSONWords {
    /// Nil if it is not JSON, or has none of the known keys.
    static func find(in body: [UInt8]) -> String? {
        guard let first = body.first(where: { !" \t\r\n".utf8.contains($0) }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let json = try? JSONSerialization.jsonObject(with: Data(body))
        else { return nil }
        return text(json, depth: 0)
    }

    private static func text(_ value: Any, depth: Int) -> String? {
        guard depth < 4 else { return nil }
        switch value {
        case let text as String: return text.isEmpty ? nil : text
        case let list as [Any]:
            let texts = list.prefix(5).compactMap { text($0, depth: depth + 1) }
            return texts.isEmpty ? nil : texts.joined(separator: "; ")
        case let object as [String: Any]: return known(object, depth: depth)
        default: return nil
        }
    }

    private static func known(_ object: [String: Any], depth: Int) -> String? {
        func message(_ key: String) -> String? { object[key].flatMap { text($0, depth: depth + 1) } }
        let problem = [message("title"), message("detail")].compactMap(\.self)
        if !problem.isEmpty { return problem.joined(separator: ": ") }
        for key in ["error_description", "error", "message", "errors"] {
            if let words = message(key) { return words }
        }
        // Below `errors`, fields with the errors of each: {"value": ["is too large"]}.
        guard depth > 0 else { return nil }
        let fields = object.keys.sorted().prefix(5).compactMap { key in message(key).map { key + " " + $0 } }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }
}
