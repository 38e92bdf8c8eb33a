import Foundation

/// Requests as text, to compare those that were sent with a preview.
enum WebText {
    /// The requests of a preview, in order.
    static func requests(in preview: String) -> [String] {
        var requests: [[Substring]] = []
        for line in preview.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.wholeMatch(of: /[A-Z]+ \/\S* HTTP\/1\.1/) != nil { requests.append([]) }
            if !requests.isEmpty { requests[requests.count - 1].append(line) }
        }
        // Each request but the last ends with an empty line.
        return requests.enumerated().map { index, lines in
            (index < requests.count - 1 ? lines.dropLast() : lines[...]).joined(separator: "\n")
        }
    }

    /// Headers are sorted, and secrets are replaced by bullets. The transport's own header is left out, and the length
    /// of a body with a secret in it.
    static func normal(_ request: String) -> String {
        let parts = masked(request).split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        let body = parts.count > 1 ? parts[1] : ""
        let lines = parts[0].split(separator: "\n").filter {
            !$0.hasPrefix("User-Agent:") && !($0.hasPrefix("Content-Length:") && body.contains(TestSecret.bullets))
        }
        return (lines.prefix(1) + lines.dropFirst().sorted()).joined(separator: "\n") + "\n\n" + body
    }

    private static func masked(_ text: String) -> String {
        // RFC 3986, section 2.3: all but these are encoded in a form.
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let inForm = TestSecret.text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
        return text.replacing(TestSecret.text, with: TestSecret.bullets).replacing(inForm, with: TestSecret.bullets)
            .replacing(/Authorization: Basic [A-Za-z0-9+\/=]+/, with: "Authorization: Basic \(TestSecret.bullets)")
    }
}
