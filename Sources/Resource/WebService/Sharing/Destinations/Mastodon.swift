internal import HTTP
internal import Quoting
internal import Settings
internal import StepDomain

/// An account of Mastodon (docs.joinmastodon.org/methods/statuses), or of a server with the same interface: a post for each day.
///
/// The server knows an `Idempotency-Key` for up to an hour. Later, what became of a post without an answer is looked up among the posts.
struct MastodonDestination: ConfiguredDestination {
    enum Visibility: String, CaseIterable, Sendable { case `public`, unlisted, `private`, direct }

    let context: DestinationContext
    let exchange: Exchange
    let base: WebAddress
    let token: SecretSource
    let template: PostTemplate
    let units: PostFigure.Units
    let visibility: Visibility
    /// ISO 639-1; nil for what the account has.
    let language: String?
    /// Whether posts are edited when figures change.
    let edits: Bool

    var traits: ShareTraits {
        ShareTraits(
            resending: .keyed(seconds: 3600), corrects: edits, canFind: template.hasDate, takesUnfinishedDays: false, isPersonal: true)
    }

    var place: String { base.origin + (base.path == "/" ? "" : base.path) }

    func problems() -> [String] {
        let found = Authentication.bearer(token).problems(context.surroundings.environment)
        return template.hasDate
            ? found : found + ["`text` has no {date}: where the answer to a post gets lost, nobody but you can tell whether it is there"]
    }

    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        try parcels.map { (parcel) throws(ShareFailure) in try request(parcel, .shown).preview }.joined(separator: "\n\n")
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        var receipts: [ShareReceipt] = []
        for parcel in parcels {
            let request = try request(parcel, credentials)
            let response = try await answer(to: request)
            guard let post = response.json(MastodonPost.self), post.isNamed else {
                throw .unconfirmed(request, "its answer is no post with an id")
            }
            receipts.append(ShareReceipt(remoteID: post.id))
        }
        return receipts
    }

    private func request(_ parcel: ShareParcel, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        let text = template.text { $0.value(parcel.day, units) }
        guard !text.isEmpty else {
            throw ShareFailure(
                .rejected, "nothing that `text` names is known of \(parcel.day.day)", advice: "Let `text` name {steps}, too.")
        }
        let language = language.map { [HTTPRequest.Field("language", $0)] } ?? []
        let headers = try authorized(credentials)
        // A post that is there already is edited: the same text again changes nothing.
        if let id = parcel.remoteID {
            return .form(
                [.init("status", text)] + language, to: endpoint("statuses", id), method: "PUT", headers: headers)
        }
        return .form(
            [.init("status", text), .init("visibility", visibility.rawValue)] + language, to: endpoint("statuses"),
            headers: headers + [.init("Idempotency-Key", parcel.key)])
    }

    func authorized(_ credentials: Credentials) throws(ShareFailure) -> [HTTPRequest.Header] {
        try Authentication.bearer(token).headers(credentials)
    }

    func endpoint(_ path: String...) -> WebAddress { base.appending(path: ["api", "v1"] + path) }

    /// An answer of 2xx, or what another one means here.
    func answer(to request: HTTPRequest) async throws(ShareFailure) -> HTTPResponse {
        let response = try await exchange.answer(to: request)
        guard var failure = ShareFailure(response, to: request) else { return response }
        switch failure.kind {
        case .busy: failure.retryAfter = failure.retryAfter ?? RateLimit.wait(response)
        case .credentials:
            failure.advice = "The token needs the scopes write:statuses, read:accounts and read:statuses; renew it, or grant it these."
        case .rejected where response.status == 404 && request.method == "PUT":
            failure.advice = "The post was deleted there, or is another account's: drop the day from the outbox, and it stays so."
        default: break
        }
        throw failure
    }
}

/// Of what servers send about a post (docs.joinmastodon.org/entities/Status), what is looked at.
struct MastodonPost: Decodable {
    var id: String
    /// HTML.
    var content: String
    /// ISO 8601.
    var created_at: String?

    /// Whether the id is one that can be kept: digits, and of other servers letters too.
    var isNamed: Bool { MastodonPost.isID(id) }

    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isPlain || "-_".utf8.contains($0) }
    }
}
