internal import HTTP
internal import Settings
internal import StepDomain

/// The wellness page of an athlete at intervals.icu, which has a field for steps: one record per date; a PUT changes
/// the fields that it contains and keeps the others.
///
/// Source: https://intervals.icu/api-docs.html and https://forum.intervals.icu/t/api-access-to-intervals-icu/609 (the
/// user of basic authentication is literally `API_KEY`; athlete 0 is the owner of the key). 10 requests a second; more
/// are answered 429.
struct IntervalsICUDestination: AuthenticatedDestination, SingleDayDestination {
    let context: DestinationContext
    let exchange: Exchange
    let url: WebAddress
    let athlete: String
    let authentication: Authentication

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.isPersonal = true
        return traits
    }

    var location: String { "\(url.origin), athlete \(athlete)" }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        try payloads.map { (payload) throws(ShareFailure) in try request(payload, .shown) }.preview
    }

    func deliver(_ payload: SharePayload) async throws(ShareFailure) -> ShareReceipt {
        let request = try request(payload, credentials)
        let response = try await exchange.confirmed(request, at: Self.address)
        guard let record = response.json(Record.self), record.steps == payload.day.steps,
            record.id == "\(payload.day.day)"
        else {
            throw .unconfirmed(request, "its answer is not the record with these steps")
        }
        return ShareReceipt()
    }

    func check() async throws(ShareFailure) -> String {
        let request = HTTPRequest(
            method: "GET", url: url.appending(path: ["api", "v1", "athlete", athlete]),
            headers: try authentication.headers(credentials))
        let response = try await exchange.confirmed(request, at: Self.address)
        guard let athlete = response.json(Athlete.self) else {
            throw .unconfirmed(request, "its answer is not an athlete")
        }
        return "athlete \(request.quotation(of: athlete.name ?? athlete.id, limit: 64)) at \(url.host)"
    }

    private static let address = Addressed.service(
        advice: "Check `athlete`: its number is in the settings of intervals.icu, such as i12345.")

    private func request(_ payload: SharePayload, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        .json(
            "PUT", url.appending(path: ["api", "v1", "athlete", athlete, "wellness", "\(payload.day.day)"]),
            headers: try authentication.headers(credentials), ["steps": payload.day.steps])
    }

    private struct Record: Decodable {
        /// The date.
        var id: String
        var steps: Int
    }

    private struct Athlete: Decodable {
        var id: String
        var name: String?
    }
}

extension DestinationKind {
    static let intervalsICU = DestinationKind(
        key: "intervals-icu", title: "the wellness page of intervals.icu",
        specificExample: """
            [share.intervals]
            kind = "intervals-icu"
            # A file that contains only the API key (intervals.icu, Settings, Developer Settings), readable by you only: chmod 600.
            api_key_file = "~/.config/istep/intervals.key"
            # api_key_env = "INTERVALS_KEY"        # or an environment variable,
            # api_key_credential = "intervals"     # or a systemd credential

            # athlete = "i12345"                   # for a coach's key; default: the owner of the key
            # url = "https://intervals.icu"        # another address of the service
            \(webKeys)
            """
    ) { reader, context in
        let url = reader.address(
            standard: "https://intervals.icu", "the address of the service, such as https://intervals.icu")
        let athlete = reader.text("athlete", Expected.athlete) ?? "0"
        let isAthlete =
            athlete.utf8.count <= 32 && athlete.utf8.allSatisfy { $0 | 0x20 == UInt8(ascii: "i") || 0x30...0x39 ~= $0 }
        if !isAthlete { reader.refuse("athlete", expected: Expected.athlete) }
        let key = reader.secret("api_key", isRequired: true)
        let exchange = context.exchange(&reader)
        guard let url, let key, isAthlete else { return nil }
        return IntervalsICUDestination(
            context: context, exchange: exchange, url: url, athlete: athlete,
            authentication: .basic(user: "API_KEY", key))
    }

    private enum Expected {
        static let athlete = "the athlete's number, such as i12345"
    }
}
