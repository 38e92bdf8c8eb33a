internal import HTTP
internal import Settings
internal import StepDomain
internal import Support

extension DestinationKind {
    static let mastodon = DestinationKind(
        key: "mastodon", title: "a Mastodon account: a post for each day",
        specificExample: """
            [share.fediverse]
            kind = "mastodon"
            # The server of your account.
            url = "https://mastodon.example"
            users = ["Anna"]
            # A file that contains only the token, readable by you only: chmod 600. Or token_env, or token_credential. Create it
            # in the server's Preferences, Development, New application; scopes: write:statuses, read:accounts, read:statuses.
            token_file = "~/.config/istep/fediverse.token"

            # Who sees the post: "public", "unlisted" (everybody, but not in timelines), "private" (followers), "direct" (you).
            # visibility = "private"
            # The text, with {date} {weekday} {steps} {distance} {calories} {percentage} {goal} and {bars} (the hours of the day).
            # A line, or a part of a line between " · ", is left out if one of its values is not known. istep needs {date} to
            # find the post again after an answer was lost.
            # text = "{weekday} {date}: {steps} steps\\n{percentage} of the goal of {goal} · {distance} · {calories}\\n{bars}"
            # language = "en"                      # of the text, two letters; default: "en", for your own text that of the account
            # units = "metric"                     # or "imperial"
            # picture = false                      # true: with a picture of the day; needs librsvg and the scope write:media
            # edit = true                          # false: a post is not changed when more steps of its day arrive
            \(webKeys)
            """
    ) { reader, context in
        let base = reader.address("url", "the address of the account's server, such as https://mastodon.example")
        let token = reader.secret("token", isRequired: true)
        let template = reader.template(standard: PostTemplate.standard)
        let units = reader.choice("units", of: UnitSystem.self) ?? .metric
        let visibility = reader.choice("visibility", of: MastodonDestination.Visibility.self) ?? .private
        let language = reader.language() ?? (reader.table.keys.contains("text") ? nil : "en")
        let edits = reader.flag("edit") ?? true
        let attachesPicture = reader.flag("picture") ?? false
        let exchange = context.exchange(&reader)
        guard let base, let token, let template else { return nil }
        return MastodonDestination(
            context: context, exchange: exchange, base: base, token: token,
            template: template, units: units, visibility: visibility, language: language, edits: edits,
            attachesPicture: attachesPicture)
    }
}

extension TableReader {
    /// ISO 639-1, and if a language has no such code, ISO 639-3.
    fileprivate mutating func language() -> String? {
        value("language", "the code of a language, such as en") { text in
            let isCode =
                (2...3).contains(text.utf8.count)
                && text.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
            return isCode ? text : nil
        }
    }
}

/// An account of Mastodon (docs.joinmastodon.org/methods/statuses), or of a server with the same interface: a post for
/// each day.
///
/// After a post without an answer, istep searches the posts of the account before it posts again. Each post also
/// carries an `Idempotency-Key`, but that alone is not enough: Mastodon keeps it for an hour and stores it only after
/// the post is made, and other servers of this interface, such as GoToSocial and Pixelfed, ignore it.
struct MastodonDestination: SingleDayDestination {
    enum Visibility: String, CaseIterable, Sendable { case `public`, unlisted, `private`, direct }

    let context: DestinationContext
    var exchange: Exchange
    let base: WebAddress
    let token: SecretSource
    let template: PostTemplate
    let units: UnitSystem
    let visibility: Visibility
    /// ISO 639-1; nil for the account's own language.
    let language: String?
    /// Whether posts are edited when figures change.
    let edits: Bool
    /// Whether a picture of the day goes with its post.
    let attachesPicture: Bool

    var traits: ShareTraits {
        ShareTraits(
            resending: .repeats, corrects: edits, canFind: template.hasDate, acceptsUnfinishedDays: false,
            isPersonal: true)
    }

    var location: String { base.origin }

    func problems() -> [String] {
        let found =
            Authentication.bearer(token).problems(context.environment.variables)
            + [attachesPicture ? DayPicture.problem() : nil].compactMap(\.self)
        return template.hasDate
            ? found
            : found + [
                "`text` has no {date}: if the answer to a post is lost, only you can find out whether it was posted"
            ]
    }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        try payloads.map { (payload) throws(ShareFailure) in
            guard let upload = try upload(payload, .shown) else { return try request(payload, .shown).preview }
            return [upload.preview, try request(payload, .shown, media: "ID-OF-THE-PICTURE").preview].joined(
                separator: "\n\n")
        }.joined(separator: "\n\n")
    }

    func deliver(_ payload: SharePayload) async throws(ShareFailure) -> ShareReceipt {
        let media = try await uploaded(payload)
        let request = try request(payload, credentials, media: media)
        let response = try await answer(to: request, at: payload.remoteID == nil ? Self.server : .item)
        guard let post = response.json(MastodonPost.self), post.isNamed else {
            throw .unconfirmed(request, "its answer is not a post with an id")
        }
        return ShareReceipt(remoteID: post.id)
    }

    /// - Parameter media: the id of the picture. An edit has to name it as well: the server removes what is not named.
    private func request(
        _ payload: SharePayload, _ credentials: Credentials, media: String? = nil
    ) throws(ShareFailure) -> HTTPRequest {
        let text = template.text { $0.value(payload.day, units) }
        guard !text.isEmpty else {
            throw ShareFailure(
                .rejected, "all figures in `text` are unknown for \(payload.day.day)", advice: "Add {steps} to `text`.")
        }
        let language =
            (language.map { [HTTPRequest.Field("language", $0)] } ?? [])
            + (media.map { [.init("media_ids[]", $0)] } ?? [])
        let headers = try authorized(credentials)
        // An existing post is edited: the same text again changes nothing.
        if let id = payload.remoteID {
            return .form(
                [.init("status", text)] + language, to: endpoint("statuses", id), method: "PUT", headers: headers)
        }
        return .form(
            [.init("status", text), .init("visibility", visibility.rawValue)] + language, to: endpoint("statuses"),
            headers: headers + [.init("Idempotency-Key", payload.key)])
    }

    func authorized(_ credentials: Credentials) throws(ShareFailure) -> [HTTPRequest.Header] {
        try Authentication.bearer(token).headers(credentials)
    }

    /// The same with a limit for all requests that follow from one another.
    var limited: MastodonDestination {
        var limited = self
        limited.exchange = exchange.limited()
        return limited
    }

    func endpoint(_ path: String..., version: String = "v1") -> WebAddress {
        base.appending(path: ["api", version] + path)
    }

    static let server = Addressed.service(
        advice: "Check `url`: it must be the address of the account's server.")

    /// Returns an answer of 2xx, or throws what any other answer means here.
    func answer(to request: HTTPRequest, at address: Addressed) async throws(ShareFailure) -> HTTPResponse {
        let response = try await exchange.answer(to: request)
        guard var failure = ShareFailure(response, to: request, at: address) else { return response }
        switch failure.kind {
        case .busy: failure.retryAfter = failure.retryAfter ?? RateLimit.wait(response)
        case .credentials:
            let scopes =
                "write:statuses, read:accounts and read:statuses"
                + (attachesPicture ? ", and for the picture write:media" : "")
            failure.advice = "The token needs the scopes \(scopes); renew it, or grant it these."
        case .rejected where response.status == 404 && request.method == "PUT":
            failure.advice =
                "The post was deleted there, or belongs to another account. To leave it so, drop the day from the outbox."
        // Pixelfed and other servers of pictures.
        case .rejected
        where response.status == 422 && !attachesPicture && failure.reason.lowercased().contains("media"):
            failure.advice = "If the server accepts no post without a picture: picture = true"
        default: break
        }
        throw failure
    }
}

extension MastodonDestination {
    /// The limit of a post, from a server's description of itself (docs.joinmastodon.org/entities/Instance).
    private struct Instance: Decodable {
        struct Configuration: Decodable {
            struct Statuses: Decodable { var max_characters: Int }

            var statuses: Statuses
        }

        var configuration: Configuration
    }

    /// Reads the account of the token and the maximum length of a post.
    func check() async throws(ShareFailure) -> String {
        let account = try await account()
        let request = HTTPRequest(method: "GET", url: base.appending(path: ["api", "v2", "instance"]))
        // Other server software may not have this.
        let limit = try await exchange.answer(to: request).json(Instance.self)?.configuration.statuses.max_characters
        if let limit, template.longest > limit {
            throw ShareFailure(
                .misconfigured,
                "\(base.host) takes posts of \(limit) characters, and with `text` they can have \(template.longest)",
                advice: "Shorten `text`.")
        }
        let named = try credentials.secret(token).scrubbed(from: "@\(account.acct)@\(base.host)")
        let isPlain = named.utf8.count <= 200 && named.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        return "account \(isPlain ? named : quoted(String(named.prefix(100))))"
            + (limit.map { ", posts of up to \($0) characters" } ?? "")
    }
}

/// Calculates when a server of Mastodon accepts requests again (docs.joinmastodon.org/api/rate-limits).
enum RateLimit {
    /// Seconds from the answer on, by `X-RateLimit-Reset`; nil if the answer does not state it.
    static func wait(_ response: HTTPResponse) -> Int? {
        response.header("X-RateLimit-Reset").flatMap(moment).flatMap { response.wait(until: $0) }
    }

    /// Seconds since 1970 of a moment as servers write it, such as `2026-11-21T14:05:00.000000Z`, or with an offset
    /// instead of the Z (docs.joinmastodon.org/api/datetime-format).
    static func moment(_ text: String) -> Int? {
        let form = /([0-9-]{10})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))/
        guard let match = text.prefix(40).wholeMatch(of: form) else { return nil }
        let (_, date, hour, minute, second, sign, offsetHours, offsetMinutes) = match.output
        guard let day = Day(String(date)), let hour = Int(hour), let minute = Int(minute), let second = Int(second),
            hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let offset = (offsetHours.flatMap { Int($0) } ?? 0) * 3600 + (offsetMinutes.flatMap { Int($0) } ?? 0) * 60
        return day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - (sign == "-" ? -offset : offset)
    }
}
