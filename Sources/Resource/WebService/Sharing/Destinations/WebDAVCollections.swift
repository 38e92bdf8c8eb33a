internal import HTTP
internal import StepDomain

/// The collections (folders) of a WebDAV server, RFC 4918: a PUT does not create the collections that the file belongs in.
struct WebDAVCollections: Sendable {
    let exchange: Exchange
    /// Headers of every request: authentication, and the user's own.
    let headers: [HTTPRequest.Header]

    /// Creates the collection of a file, and its parents if they are missing.
    ///
    /// - Parameter isWebDAV: true if the server is known to be a WebDAV server; otherwise it is asked.
    /// - Returns: false if the server is not a WebDAV server.
    /// - Throws: the reason why a collection cannot be created.
    func makeParent(of url: WebAddress, isWebDAV: Bool) async throws(ShareFailure) -> Bool {
        if !isWebDAV, try await !hasCollection(around: url) { return false }
        try await make(url.parent)
        return true
    }

    /// Maximum levels of collections to create: no address of a day has as many, and a server that always answers 409 causes no endless
    /// loop.
    private static let deepest = 32

    /// Section 9.3.1: 201 means created, 405 that it exists already, 409 that its parent is missing (404 from some servers).
    private func make(_ collection: WebAddress) async throws(ShareFailure) {
        var missing: [WebAddress] = []
        var next = collection
        // Goes up to the first one that exists or can be created, then down again.
        while let refusal = try await refusal(of: next) {
            let isAlone = next.parent.path == "/" || missing.count == Self.deepest
            guard [404, 409].contains(refusal.status), !isAlone else { throw failure(refusal, next) }
            missing.append(next)
            next = next.parent
        }
        for collection in missing.reversed() {
            if let refusal = try await refusal(of: collection) { throw failure(refusal, collection) }
        }
    }

    /// Nil if the collection exists now.
    private func refusal(of collection: WebAddress) async throws(ShareFailure) -> HTTPResponse? {
        let response = try await exchange.answer(to: request("MKCOL", collection))
        return (200..<300).contains(response.status) || response.status == 405 ? nil : response
    }

    private func failure(_ response: HTTPResponse, _ collection: WebAddress) -> ShareFailure {
        let request = request("MKCOL", collection)
        var failure = ShareFailure(response, to: request) ?? .unconfirmed(request, "it did not make a folder")
        if failure.kind == .rejected { failure.advice = "The folder of `url` for this day could not be made: make it there." }
        return failure
    }

    /// Whether one of the parent collections of an address answers 207 to PROPFIND (section 9.1), as only WebDAV servers do. The requests
    /// are sent to collections that may exist, since lighttpd 1.4.69 never ends its answer to an OPTIONS request for a missing resource.
    private func hasCollection(around url: WebAddress) async throws(ShareFailure) -> Bool {
        var next = url
        for _ in 0..<Self.deepest where next.path != "/" {
            next = next.parent
            let status = try await exchange.answer(to: question(next)).status
            if status == 207 { return true }
            guard [404, 409].contains(status) else { return false }
        }
        return false
    }

    /// Checks that a collection answers and that the credentials are accepted. It sends no GET: many servers show no collection to a GET.
    ///
    /// - Returns: a text for the user; nil if the server is not a WebDAV server.
    func check(_ collection: WebAddress, isWebDAV: Bool) async throws(ShareFailure) -> String? {
        let request = question(collection)
        let response = try await exchange.answer(to: request)
        let origin = collection.origin
        if response.status == 207 { return "\(origin) answers (WebDAV)" }
        let isMissing = [404, 409].contains(response.status)
        if !isWebDAV {
            guard isMissing, try await hasCollection(around: collection) else { return nil }
        }
        if isMissing { return "\(origin) answers (WebDAV); \(collection.path) is made with the first day" }
        throw ShareFailure(response, to: request) ?? .unconfirmed(request, "it answered \(response.status) to PROPFIND, instead of 207")
    }

    private func question(_ collection: WebAddress) -> HTTPRequest {
        var request = request("PROPFIND", collection)
        request.headers.append(.init("Depth", "0"))
        return request
    }

    /// These methods have the same effect when repeated (IANA's registry of HTTP methods: MKCOL and PROPFIND are idempotent).
    private func request(_ method: String, _ url: WebAddress) -> HTTPRequest {
        HTTPRequest(method: method, url: url, headers: headers, isRepeatable: true)
    }
}
