internal import Quoting

extension HTTPRequest {
    /// Headers that say how a message is framed, or that come by themselves. One of these set twice is how requests are smuggled
    /// (RFC 9112, section 11.2).
    private static let own: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Why the request cannot be sent as it is; nil if it can. Values are never told, as they may be secret.
    var problem: String? {
        guard isToken(method) else { return "\(quoted(method)) is no method" }
        for header in headers {
            guard isToken(header.name) else { return "\(quoted(header.name)) is no name of a header" }
            if HTTPRequest.own.contains(header.name.lowercased()) { return "the header \(header.name) cannot be set; istep sets it" }
            if case .basic(let user, _) = header.value, user.contains(":") {
                return "a user of basic authentication cannot have a colon in the name"
            }
            // A line break in a value would begin another header, or another request.
            if header.value.revealed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                return "the value of the header \(header.name) has a control character in it"
            }
        }
        return nil
    }

    private func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(PercentEncoding.isToken) }
}
