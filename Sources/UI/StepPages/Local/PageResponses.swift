internal import PageExchange

/// What pages return.
extension ServedResponse {
    init(_ status: Int = 200, type: String, _ text: String) {
        self.init(status: status, headers: [("Content-Type", type)], body: .bytes(Array(text.utf8)))
    }

    static func page(_ markup: Markup, status: Int = 200) -> ServedResponse {
        ServedResponse(status, type: "text/html; charset=utf-8", markup.source)
    }

    static func redirect(to link: Link) -> ServedResponse {
        var response = ServedResponse(303, type: "text/plain; charset=utf-8", "")
        response.headers.append(("Location", link.text))
        return response
    }

    /// - Parameter events: server-sent events: each element is the text of one.
    static func events(_ events: AsyncStream<String>) -> ServedResponse {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let task = Task {
            for await event in events { continuation.yield(Array(event.utf8)) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return ServedResponse(status: 200, headers: [("Content-Type", "text/event-stream")], body: .stream(stream))
    }

    /// With the headers that make a browser strict: scripts, styles and requests only of this server, nothing in
    /// frames, nothing stored.
    var secured: ServedResponse {
        var response = self
        response.headers += [
            ("Content-Security-Policy", isPicture ? Self.policyOfPictures : Self.policyOfPages),
            ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Cache-Control", "no-store"),
            // With `no-referrer` browsers leave out the origin of a form, too (Fetch, 3.1), by which it is recognised.
            ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return response
    }

    private static let policyOfPages =
        "default-src 'none'; style-src 'self' '\(StyleSheet.refusalHash)'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// A picture of its own has its style sheet within it. It loads nothing, and nothing runs in it.
    private static let policyOfPictures =
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

    private var isPicture: Bool { headers.contains { $0.name == "Content-Type" && $0.value == Self.picture } }

    /// The type of a picture.
    static let picture = "image/svg+xml"
}
