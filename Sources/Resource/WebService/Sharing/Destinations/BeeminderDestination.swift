internal import HTTP
internal import Settings
internal import StepDomain
internal import Support

extension DestinationKind {
    static let beeminder = DestinationKind(
        key: "beeminder", title: "a goal at Beeminder",
        specificExample: """
            [share.beeminder]
            kind = "beeminder"
            # The goal as in its address, beeminder.com/anna/steps.
            goal = "steps"
            # A file that contains only the token (beeminder.com/api/v1/auth_token.json), readable by you only: chmod 600.
            token_file = "~/.config/istep/beeminder.token"
            # token_env = "BEEMINDER_TOKEN"        # or an environment variable,
            # token_credential = "beeminder"       # or a systemd credential

            # username = "anna"                    # the owner of the goal; default: the owner of the token
            # url = "https://www.beeminder.com"    # another address of the service
            \(webKeys)
            """
    ) { reader, context in
        let url = reader.address(
            standard: "https://www.beeminder.com", "the address of the service, such as https://www.beeminder.com")
        let goal = reader.slug("goal", "the goal's name, which is part of its address, such as steps", isRequired: true)
        let user = reader.slug(
            "username", "the name of the goal's owner, which is part of the goal's address", isRequired: false)
        let token = reader.secret("token", isRequired: true)
        let exchange = context.exchange(&reader)
        guard let url, let goal, let token else { return nil }
        return BeeminderDestination(
            context: context, exchange: exchange, url: url, user: user ?? "me",
            goal: goal, token: token)
    }
}

extension TableReader {
    /// A part of an address at Beeminder: letters, digits, `-`, `_` and `.`.
    fileprivate mutating func slug(_ key: String, _ expected: String, isRequired: Bool) -> String? {
        if isRequired { require(key, expected) }
        return value(key, expected) { text in
            let isSlug =
                text.utf8.count <= 250 && text.contains { $0 != "." }
                && text.utf8.allSatisfy { $0.isAlphanumeric || "-_.".utf8.contains($0) }
            return isSlug ? text : nil
        }
    }
}

/// A goal at Beeminder, with a datapoint for each day.
///
/// Source: https://api.beeminder.com, "Create a datapoint": `requestid` makes it an upsert. A request that is identical
/// to the datapoint with this `requestid` is answered by an error that says "duplicate datapoint".
struct BeeminderDestination: SingleDayDestination {
    let context: DestinationContext
    let exchange: Exchange
    let url: WebAddress
    let user: String
    let goal: String
    let token: SecretSource

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.isPersonal = true
        return traits
    }

    var location: String { "\(url.origin)/\(user)/\(goal)" }

    func problems() -> [String] {
        ShareFailure.reasons { () throws(ShareFailure) in _ = try credentials.secret(token) }
    }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        try payloads.map { (payload) throws(ShareFailure) in try request(payload, .shown) }.preview
    }

    func deliver(_ payload: SharePayload) async throws(ShareFailure) -> ShareReceipt {
        let request = try request(payload, credentials)
        let response = try await exchange.answer(to: request)
        if isDuplicate(response, request) { return ShareReceipt() }
        if let failure = ShareFailure(response, to: request, at: Self.address) { throw failure }
        guard let point = response.json(Datapoint.self), point.daystamp == daystamp(payload.day),
            point.value == Double(payload.day.steps)
        else { throw .unconfirmed(request, "its answer is not the datapoint with these steps") }
        return ShareReceipt(remoteID: point.id)
    }

    /// Sends an empty list of datapoints, which creates none: the token may be in a body only, so GET cannot be used.
    func check() async throws(ShareFailure) -> String {
        let request = HTTPRequest.form(
            [.init("auth_token", .secret(try credentials.secret(token))), .init("datapoints", "[]")],
            to: goalAddress.appending(path: ["datapoints", "create_all.json"]), isRepeatable: true)
        do throws(ShareFailure) {
            let response = try await exchange.confirmed(request, at: Self.address)
            if let doubt = response.doubt { throw .unconfirmed(request, doubt) }
        } catch  where error.kind == .rejected {
            // The service found the user and the goal, and had nothing to create.
        }
        return "goal \(quoted(goal)) of \(user == "me" ? "the token's owner" : quoted(user)) at \(url.host)"
    }

    private static let address = Addressed.service(
        advice: "Check `goal` and `username`: they are part of the goal's address, beeminder.com/username/goal.")

    private var goalAddress: WebAddress { url.appending(path: ["api", "v1", "users", user, "goals", goal]) }

    private func request(_ payload: SharePayload, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        .form(
            [
                .init("auth_token", .secret(try credentials.secret(token))), .init("value", "\(payload.day.steps)"),
                .init("daystamp", daystamp(payload.day)), .init("comment", "from istep"),
                .init("requestid", "istep-\(payload.day.day)"),
            ],
            to: goalAddress.appending(path: ["datapoints.json"]), isRepeatable: true)
    }

    /// YYYYMMDD.
    private func daystamp(_ day: SharedDay) -> String { "\(day.day)".replacing("-", with: "") }

    private func isDuplicate(_ response: HTTPResponse, _ request: HTTPRequest) -> Bool {
        [200, 400, 409, 422].contains(response.status)
            && response.words(hiding: request.secrets).lowercased().contains("duplicate datapoint")
    }

    private struct Datapoint: Decodable {
        var id: String
        var daystamp: String
        var value: Double
    }
}
