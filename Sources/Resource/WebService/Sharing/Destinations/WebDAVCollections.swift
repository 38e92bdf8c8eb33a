internal import HTTP
internal import StepDomain

/// The collections (folders) of a WebDAV server, RFC 4918: a PUT does not create the collections that the file belongs
/// in.
struct WebDAVCollections: Sendable {
    let exchange: Exchange
    /// Headers of every request: authentication, and the user's own.
    let headers: [HTTPRequest.Header]

    /// Creates the collection of a file, and its parents if they are missing.
    ///
    /// - Parameter isWebDAV: true if the server is known to be a WebDAV server; otherwise it is asked. nginx does not
    ///   know the question (PROPFIND) unless it has a further module: then its answer to the creation shows what it is.
    /// - Returns: false if the server is not a WebDAV server.
    /// - Throws: the reason why a collection cannot be created.
    func makeParent(of url: WebAddress, isWebDAV: Bool) async throws(ShareFailure) -> Bool {
        if isWebDAV {
            try await make(url.parent)
            return true
        }
        switch try await kind(around: url) {
        case .webDAV: try await make(url.parent)
        case .other: return false
        case .withoutQuestions:
            do throws(ShareFailure) {
                try await make(url.parent)
            } catch  where [.credentials, .rejected, .misconfigured].contains(error.kind) {
                return false
            }
        }
        return true
    }

    /// What a server shows itself to be.
    private enum Kind {
        case webDAV
        /// It does not know the method PROPFIND.
        case withoutQuestions
        case other
    }

    /// Maximum levels of collections to create: no address of a day has as many, and a server that always answers 409
    /// causes no endless loop.
    private static let deepest = 32

    /// Section 9.3.1: 201 means created, 405 that it exists already, 409 that its parent is missing (404 from some
    /// servers).
    private func make(_ collection: WebAddress) async throws(ShareFailure) {
        var missing: [WebAddress] = []
        var next = collection
        var answer = try await creation(of: next)
        // Goes up to the first one that exists or can be created, then down again.
        while !isThere(answer) {
            let isAlone = next.parent.path == "/" || missing.count == Self.deepest
            guard [404, 409].contains(answer.status), !isAlone else { throw failure(answer, next) }
            missing.append(next)
            next = next.parent
            answer = try await creation(of: next)
        }
        for collection in missing.reversed() {
            answer = try await creation(of: collection)
            if !isThere(answer) { throw failure(answer, collection) }
        }
    }

    private func creation(of collection: WebAddress) async throws(ShareFailure) -> HTTPResponse {
        try await exchange.answer(to: request("MKCOL", collection))
    }

    private func isThere(_ answer: HTTPResponse) -> Bool { (200..<300).contains(answer.status) || answer.status == 405 }

    private func failure(_ response: HTTPResponse, _ collection: WebAddress) -> ShareFailure {
        let request = request("MKCOL", collection)
        var failure =
            ShareFailure(response, to: request, at: .item) ?? .unconfirmed(request, "it did not make a folder")
        if failure.kind == .rejected {
            failure.advice = "The folder of `url` for this day could not be made: make it there."
        }
        return failure
    }

    /// Asks the parent collections of an address, by PROPFIND (section 9.1), which only WebDAV servers answer with 207.
    /// The requests are sent to collections that may exist, since lighttpd 1.4.69 never ends its answer to an OPTIONS
    /// request for a missing resource.
    private func kind(around url: WebAddress) async throws(ShareFailure) -> Kind {
        var next = url
        for _ in 0..<Self.deepest where next.path != "/" {
            next = next.parent
            switch try await exchange.answer(to: question(next)).status {
            case 207: return .webDAV
            case 405, 501: return .withoutQuestions
            case 404, 409: continue
            default: return .other
            }
        }
        return .other
    }

    /// Checks that a collection answers and that the credentials are accepted. It sends no GET: many servers show no
    /// collection to a GET.
    ///
    /// - Returns: a text for the user; nil if the server is not a WebDAV server.
    func check(_ collection: WebAddress, isWebDAV: Bool) async throws(ShareFailure) -> String? {
        let request = question(collection)
        let response = try await exchange.answer(to: request)
        if response.status == 207 { return "answers (WebDAV)" }
        let isMissing = [404, 409].contains(response.status)
        if !isWebDAV {
            guard isMissing, case .webDAV = try await kind(around: collection) else { return nil }
        }
        if isMissing { return "answers (WebDAV); its folder is created with the first day" }
        throw ShareFailure(response, to: request, at: .item)
            ?? .unconfirmed(request, "it answered \(response.status) to PROPFIND, instead of 207")
    }

    private func question(_ collection: WebAddress) -> HTTPRequest {
        var request = request("PROPFIND", collection)
        request.headers.append(.init("Depth", "0"))
        return request
    }

    /// These methods have the same effect when repeated (IANA's registry of HTTP methods: MKCOL and PROPFIND are
    /// idempotent).
    private func request(_ method: String, _ url: WebAddress) -> HTTPRequest {
        HTTPRequest(method: method, url: url, headers: headers, isRepeatable: true)
    }
}
