internal import HTTP

extension Sequence<HTTPRequest> {
    /// Requests as they go out one after another, with an empty line between them.
    var preview: String {
        map { request in
            var text = request.preview
            while text.last == "\n" { text.removeLast() }
            return text
        }.joined(separator: "\n\n")
    }
}
