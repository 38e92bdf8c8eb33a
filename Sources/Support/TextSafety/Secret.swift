/// A token or password. When it is printed, logged or dumped, it shows bullets; `reveal()` is the only access to the text.
public struct Secret: Hashable, Sendable {
    private let text: String

    public init(_ text: String) { self.text = text }

    /// The text itself, for the request that needs it and nothing else.
    public func reveal() -> String { text }

    /// The replacement for a secret. Its length is constant, so that it does not reveal the length of the secret.
    public static let bullets = "•••••"

    /// `text` with every occurrence of the secret replaced by bullets, because servers echo what they receive.
    ///
    /// Also finds the spellings of URLs (percent-encoding, RFC 3986, section 2.1), of JSON (RFC 8259, section 7) and of XML (character
    /// references), in any mixture, and the secret within base64 (RFC 4648, sections 4 and 5), such as after the user name of basic
    /// authentication; in base64 only from four bytes on, because fewer occur in any text.
    ///
    /// Cut a text only after it was scrubbed: a secret that is cut in half is not found.
    public func scrubbed(from text: String) -> String {
        guard !self.text.isEmpty, !text.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var isSecret = [Bool](repeating: false, count: bytes.count)
        for range in Spellings(self.text).ranges(in: bytes) {
            for index in range { isSecret[index] = true }
        }
        for fragment in Base64Fragment.all(of: self.text) {
            for range in Spellings(fragment.text).ranges(in: bytes) {
                for index in fragment.withEdges(range, in: bytes) { isSecret[index] = true }
            }
        }
        return replaced(bytes, where: isSecret) ?? text
    }

    /// Nil if nothing is to be replaced.
    private func replaced(_ bytes: [UInt8], where isSecret: [Bool]) -> String? {
        guard isSecret.contains(true) else { return nil }
        var result: [UInt8] = []
        for index in bytes.indices {
            if !isSecret[index] {
                result.append(bytes[index])
            } else if index == 0 || !isSecret[index - 1] {
                result += Secret.bullets.utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Secret.bullets }
    public var debugDescription: String { Secret.bullets }
    /// Without children, so that `dump` and the messages of failed expectations show nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
