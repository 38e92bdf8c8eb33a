internal import HTTP
internal import Quoting
internal import Settings
internal import StepDomain

/// A web service that takes a day as JSON: the user's own, or any that is willing to learn it.
///
/// Each request has an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07: a string of structured fields, so
/// in quotes), equal for each attempt to send the same content.
struct RESTDestination: ConfiguredDestination {
    let context: DestinationContext
    let exchange: Exchange
    let template: AddressTemplate
    let method: String
    let headers: [HTTPRequest.Header]
    let authentication: Authentication
    let traits: ShareTraits

    /// Without the query, which some services have a key in.
    var place: String { String(template.text.prefix { $0 != "?" }) }

    func problems() -> [String] { authentication.problems(context.surroundings.environment) }

    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        try parcels.map { (parcel) throws(ShareFailure) in try request(parcel, .shown) }.preview
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        var receipts: [ShareReceipt] = []
        for parcel in parcels {
            let request = try request(parcel, credentials)
            let response = try await exchange.confirmed(request)
            // The service says nothing that could be checked, but a page for people is no answer of one.
            if response.isPage { throw .unconfirmed(request, "it answered with a web page") }
            receipts.append(ShareReceipt())
        }
        return receipts
    }

    func check() async throws(ShareFailure) -> String {
        let request = try lookAround()
        let response = try await exchange.answer(to: request)
        guard let failure = ShareFailure(response, to: request) else {
            return "\(request.url.origin) answers (HTTP \(response.status))"
        }
        // Many services have nothing to show there; who is asking they have looked at by then, or will with a day.
        guard failure.kind == .rejected else { throw failure }
        return "\(request.url.origin) answers (HTTP \(response.status) to GET \(request.url.path))"
    }

    private func lookAround() throws(ShareFailure) -> HTTPRequest {
        do {
            let url = try WebAddress(template.base, insecure: template.isInsecure)
            return HTTPRequest(method: "GET", url: url, headers: headers + (try authentication.headers(credentials)))
        } catch let failure as ShareFailure {
            throw failure
        } catch {
            throw ShareFailure(.misconfigured, "`url` is no address: \(error)")
        }
    }

    private func request(_ parcel: ShareParcel, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        let own = [HTTPRequest.Header("Idempotency-Key", "\"\(parcel.key)\"")] + headers
        return .json(
            method, try template.address(parcel.day, destination: name),
            headers: try authentication.headers(credentials) + own,
            DayDocument(day: parcel.day, hasSamples: traits.wantsSamples), isRepeatable: traits.resending == .replaces)
    }
}
