internal import TextSafety

/// An address within the page that is shown: a path on the same server, or a place in the same document. There is no way to write one that
/// leads elsewhere.
package struct Link: Hashable, Sendable {
    package let text: String

    /// A path of the local page with its query.
    ///
    /// - Parameters:
    ///   - parts: between the slashes, of any characters.
    ///   - query: empty values are left out.
    package init(_ parts: [String], query: [(String, String)] = []) {
        var text = parts.map { "/" + percentEncodedComponent($0) }.joined()
        if text.isEmpty { text = "/" }
        let pairs = query.filter { !$0.1.isEmpty }.map { percentEncodedComponent($0.0) + "=" + percentEncodedComponent($0.1) }
        if !pairs.isEmpty { text += "?" + pairs.joined(separator: "&") }
        self.text = text
    }

    /// A place in the same document, by the `id` of its element.
    package init(fragment: String) { text = "#" + percentEncodedComponent(fragment) }

    /// A text that was made from another link.
    init(constant text: String) { self.text = text }
}
