internal import HTTP
internal import Quoting
internal import Settings
internal import StepDomain

/// A goal at Beeminder, with a datapoint for each day.
///
/// Source: https://api.beeminder.com, "Create a datapoint": `requestid` makes it an upsert. What is identical to the datapoint
/// with this `requestid` is answered by an error that says "duplicate datapoint".
struct BeeminderDestination: ConfiguredDestination {
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

    var place: String { "\(url.origin)/\(user)/\(goal)" }

    func problems() -> [String] {
        do {
            _ = try credentials.secret(token)
            return []
        } catch {
            return [error.reason]
        }
    }

    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        try parcels.map { (parcel) throws(ShareFailure) in try request(parcel, .shown) }.preview
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        var receipts: [ShareReceipt] = []
        for parcel in parcels {
            let request = try request(parcel, credentials)
            let response = try await exchange.answer(to: request)
            if isDuplicate(response, request) {
                receipts.append(ShareReceipt())
                continue
            }
            if let failure = ShareFailure(response, to: request, ifNotFound: Self.advice) { throw failure }
            guard let point = response.json(Datapoint.self), point.daystamp == daystamp(parcel.day), point.value == Double(parcel.day.steps)
            else { throw .unconfirmed(request, "its answer is not the datapoint with these steps") }
            receipts.append(ShareReceipt(remoteID: point.id))
        }
        return receipts
    }

    /// Creates none of no datapoints: the token may stand in a body only, and so nothing can be asked by GET.
    func check() async throws(ShareFailure) -> String {
        let request = HTTPRequest.form(
            [.init("auth_token", .secret(try credentials.secret(token))), .init("datapoints", "[]")],
            to: goalAddress.appending(path: ["datapoints", "create_all.json"]), isRepeatable: true)
        do throws(ShareFailure) {
            let response = try await exchange.confirmed(request, ifNotFound: Self.advice)
            if response.isPage { throw .unconfirmed(request, "it answered with a web page") }
        } catch where error.kind == .rejected {
            // It found the user and the goal, and then nothing to do.
        }
        return "goal \(quoted(goal)) of \(user == "me" ? "whose the token is" : quoted(user)) at \(url.host)"
    }

    private static let advice = "Check `goal` and `username`: they stand in the goal's address, beeminder.com/username/goal."

    private var goalAddress: WebAddress { url.appending(path: ["api", "v1", "users", user, "goals", goal]) }

    private func request(_ parcel: ShareParcel, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        .form(
            [
                .init("auth_token", .secret(try credentials.secret(token))), .init("value", "\(parcel.day.steps)"),
                .init("daystamp", daystamp(parcel.day)), .init("comment", "from istep"), .init("requestid", "istep-\(parcel.day.day)"),
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
